import { nearest } from "../../model/object/nearest.js";
import type { ServedKind } from "../server/served-kinds.js";

/** The server has no kind of this name. */
class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";
}

/**
 * Finds a kind by plural, singular, short name or kind, alone (`site`, `deploy`), with group (`sites.demo.dev`) or with version
 * and group (`sites.v1.demo.dev`). Case-insensitive.
 *
 * @throws {UnknownKindError} with a suggestion.
 */
export function findKind(served: readonly ServedKind[], word: string): ServedKind {
  const [found] = kindsNamed(served, word);
  if (found !== undefined) return found;
  throw unknownKind(served, word);
}

/** Finds kinds as {@link findKind} does; the word may also be a category, such as `all`. */
export function findKinds(served: readonly ServedKind[], word: string): readonly ServedKind[] {
  const [found] = kindsNamed(served, word);
  if (found !== undefined) return [found];
  const category = word.toLowerCase();
  const members = served.filter(
    ({ categories, verbs }) => categories.includes(category) && verbs.includes("list"),
  );
  // Every version of a kind is in the category; the preferred one comes first.
  const kinds = members.filter(
    (kind, at) =>
      members.findIndex(({ group, plural }) => group === kind.group && plural === kind.plural) === at,
  );
  if (kinds.length > 0) return kinds;
  throw unknownKind(served, word);
}

/** Kind of an object; undefined when the server no longer serves it. */
export function servedKindOf(
  served: readonly ServedKind[],
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): ServedKind | undefined {
  return served.find((each) => each.apiVersion === apiVersion && each.kind === kind);
}

/** Printed name of a kind (`configmap`, `site.demo.dev`), or of an object (`site.demo.dev/hello`). */
export function titleOf({ singular, group }: ServedKind, name?: string): string {
  const kind = group === "" ? singular : `${singular}.${group}`;
  return name === undefined ? kind : `${kind}/${name}`;
}

/** Kinds that match a word, in the order of the server; short names only without other matches. */
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

const maxListed = 30;

function unknownKind(served: readonly ServedKind[], word: string): UnknownKindError {
  const problem = `unknown kind ${JSON.stringify(word)}`;
  const [name = "", ...group] = word.toLowerCase().split(".");
  const names = served.flatMap((kind) => [kind.plural, kind.singular, kind.kind.toLowerCase()]);
  // Short names come last: almost every word is similar to one.
  const suggestion =
    nearest(name, names) ??
    nearest(
      name,
      served.flatMap(({ shortNames }) => shortNames),
    );
  if (suggestion !== undefined) {
    const [kind] = kindsNamed(served, suggestion);
    const where = group.length > 0 && kind !== undefined ? ` (${titleOf(kind)})` : "";
    return new UnknownKindError(`${problem}; did you mean ${suggestion}${where}?`);
  }
  const own = served.filter(({ group }) => group.includes(".") && !group.endsWith("k8s.io"));
  const list = [...new Set((own.length > 0 ? own : served).map(({ plural }) => plural))];
  const listed = list.slice(0, maxListed).join(", ") + (list.length > maxListed ? ", …" : "");
  const besides = own.length > 0 ? ", and Kubernetes' own kinds" : "";
  return new UnknownKindError(`${problem}; the server has ${listed}${besides}`);
}
