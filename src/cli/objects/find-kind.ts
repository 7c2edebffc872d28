import { nearest } from "../command/nearest.js";
import type { ServedKind } from "../server/served-kinds.js";

/** No kind of the server goes by the name that was given. */
class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";
}

/**
 * The kind that somebody means: by its plural, singular or short name or its kind, alone (`site`, `deploy`) or with the
 * group (`sites.demo.dev`) or with version and group (`sites.v1.demo.dev`). Capitals do not matter.
 *
 * @throws {UnknownKindError} that says what there is instead.
 */
export function findKind(served: readonly ServedKind[], word: string): ServedKind {
  const [found] = kindsNamed(served, word);
  if (found !== undefined) return found;
  throw unknownKind(served, word);
}

/** As {@link findKind}, for a word that may be a category as well, such as `all`, which is several kinds. */
export function findKinds(served: readonly ServedKind[], word: string): readonly ServedKind[] {
  const [found] = kindsNamed(served, word);
  if (found !== undefined) return [found];
  const category = word.toLowerCase();
  const members = served.filter(
    ({ categories, verbs }) => categories.includes(category) && verbs.includes("list"),
  );
  // Every version of a kind is in the category; the preferred one stands first.
  const kinds = members.filter(
    (kind, at) =>
      members.findIndex(({ group, plural }) => group === kind.group && plural === kind.plural) === at,
  );
  if (kinds.length > 0) return kinds;
  throw unknownKind(served, word);
}

/** An object's kind; undefined when the server no longer has it. */
export function kindOf(
  served: readonly ServedKind[],
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): ServedKind | undefined {
  return served.find((each) => each.apiVersion === apiVersion && each.kind === kind);
}

/** The name of a kind in what is printed, such as `configmap` or `site.demo.dev`; with a name, that of an object. */
export function titleOf({ singular, group }: ServedKind, name?: string): string {
  const kind = group === "" ? singular : `${singular}.${group}`;
  return name === undefined ? kind : `${kind}/${name}`;
}

/** All that a word can mean, the likeliest first: real names before short ones, as the server orders them. */
export function kindsNamed(served: readonly ServedKind[], word: string): readonly ServedKind[] {
  const [name = "", ...rest] = word.toLowerCase().split(".");
  const tail = rest.join(".");
  const within = served.filter(({ group, version }) => {
    if (rest.length === 0) return true;
    if (tail === group) return true;
    return rest[0] === version && rest.slice(1).join(".") === group;
  });
  const named = within.filter(
    ({ plural, singular, kind }) => name === plural || name === singular || name === kind.toLowerCase(),
  );
  return named.length > 0 ? named : within.filter(({ shortNames }) => shortNames.includes(name));
}

const mostShown = 30;

function unknownKind(served: readonly ServedKind[], word: string): UnknownKindError {
  const problem = `unknown kind ${JSON.stringify(word)}`;
  const [name = "", ...group] = word.toLowerCase().split(".");
  const names = served.flatMap((kind) => [kind.plural, kind.singular, kind.kind.toLowerCase()]);
  // Nearly everything is near to a short name.
  const alike =
    nearest(name, names) ??
    nearest(
      name,
      served.flatMap(({ shortNames }) => shortNames),
    );
  if (alike !== undefined) {
    const [kind] = kindsNamed(served, alike);
    const where = group.length > 0 && kind !== undefined ? ` (${titleOf(kind)})` : "";
    return new UnknownKindError(`${problem}; did you mean ${alike}${where}?`);
  }
  const own = served.filter(({ group }) => group.includes(".") && !group.endsWith("k8s.io"));
  const list = [...new Set((own.length > 0 ? own : served).map(({ plural }) => plural))];
  const shown = list.slice(0, mostShown).join(", ") + (list.length > mostShown ? ", …" : "");
  const besides = own.length > 0 ? ", and Kubernetes' own kinds" : "";
  return new UnknownKindError(`${problem}; the server has ${shown}${besides}`);
}
