import type { ControllerState } from "../../plane/management/contract.js";
import { UsageError } from "../command.js";
import type { Connected } from "../connect.js";
import { findKind } from "../kinds/find-kind.js";
import { servedKinds, type ServedKind } from "../kinds/served-kinds.js";

/** A kind and perhaps a name, as somebody typed them: `site/hello`, `site hello`, `site`. */
export interface TargetWords {
  readonly kind: string;
  readonly name: string | undefined;
}

export function targetWords(words: readonly string[]): TargetWords {
  const [first = "", second, ...more] = words;
  const [kind = "", name, ...rest] = first.split("/");
  const isBoth = name !== undefined && second !== undefined;
  if (kind === "" || name === "" || rest.length > 0 || more.length > 0 || isBoth) {
    throw new UsageError(
      words.length === 0
        ? "missing object: KIND/NAME or KIND NAME"
        : `invalid object ${JSON.stringify(words.join(" "))}; use one KIND/NAME or KIND NAME`,
    );
  }
  return { kind, name: name ?? second };
}

/** As {@link targetWords}, where an object is needed. */
export function objectWords(words: readonly string[]): { readonly kind: string; readonly name: string } {
  const { kind, name } = targetWords(words);
  if (name === undefined) throw new UsageError(`missing name: ${kind}/NAME or ${kind} NAME`);
  return { kind, name };
}

/** What a word means: the controllers for a kind, or one by its own name; else a kind that none is for. */
type Meant =
  | { readonly controllers: readonly [ControllerState, ...ControllerState[]] }
  | { readonly controllers: readonly []; readonly kind: ServedKind };

/**
 * Controllers are looked at first: they may be for kinds that the API does not have, which a poller lists.
 *
 * @throws what says which kinds there are, when there is none of that name.
 */
export async function meantBy(
  word: string,
  controllers: readonly ControllerState[],
  { transport }: Pick<Connected, "transport">,
  signal: AbortSignal,
): Promise<Meant> {
  const text = word.toLowerCase();
  const named = controllers.find(({ name }) => name === word);
  if (named !== undefined) return { controllers: [named] };
  const [first, ...others] = controllers.filter((each) => namesOf(each).includes(text));
  if (first !== undefined) return { controllers: [first, ...others] };
  // A short name, or a kind that nothing here is for.
  const kind = findKind(await servedKinds(transport, signal), word);
  const [short, ...more] = controllers.filter(
    (each) => each.kind === kind.kind && groupOf(each.apiVersion) === kind.group,
  );
  return short === undefined ? { controllers: [], kind } : { controllers: [short, ...more] };
}

/** As {@link meantBy}, where a controller is needed. */
export async function controllersNamed(
  word: string,
  controllers: readonly ControllerState[],
  connected: Pick<Connected, "transport">,
  signal: AbortSignal,
): Promise<readonly ControllerState[]> {
  const meant = await meantBy(word, controllers, connected, signal);
  if (meant.controllers.length > 0) return meant.controllers;
  const list = controllers.map(({ name, kind }) => `${name} (${kind})`).join(", ") || "no controllers";
  const { kind } = meant as Extract<Meant, { readonly kind: ServedKind }>;
  throw new Error(`no controller of this control plane reconciles ${kind.kind}; it runs ${list}`);
}

function namesOf({ kind, plural, apiVersion }: ControllerState): readonly string[] {
  const group = groupOf(apiVersion);
  const names = [kind.toLowerCase(), plural];
  return group === "" ? names : [...names, ...names.map((name) => `${name}.${group}`)];
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** How the control plane calls an object of a controller's kind. */
export function keyFor({ scope }: Pick<ControllerState, "scope">, name: string, namespace: string): string {
  return scope === "Cluster" ? name : `${namespace}/${name}`;
}
