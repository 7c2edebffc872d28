import { UsageError } from "../command.js";
import { findKinds } from "./find-kind.js";
import type { ServedKind } from "./served-kinds.js";

/** Objects of a kind that a command is about: those with the names, or without names all. */
export interface Targets {
  readonly kind: ServedKind;
  readonly names: readonly string[];
}

/**
 * Which objects the words of a command mean: `KIND`, `KIND NAME…`, `KIND,KIND`, `KIND/NAME…`, or a category.
 *
 * @throws {UsageError} when they cannot be understood, and UnknownKindError when the server has no such kind.
 */
export function targetsOf(words: readonly string[], served: readonly ServedKind[]): readonly Targets[] {
  const [first, ...names] = words;
  if (first === undefined) throw new UsageError("missing argument: KIND, KIND NAME or KIND/NAME");
  if (words.some((word) => word.includes("/"))) return pairsOf(words, served);
  const kinds = first
    .split(",")
    .filter((word) => word !== "")
    .flatMap((word) => findKinds(served, word));
  if (kinds.length === 0) throw new UsageError(`${JSON.stringify(first)} is not a kind`);
  return kinds.map((kind) => ({ kind, names: [...new Set(names)] }));
}

/** `KIND/NAME` words, gathered by kind in the order in which they first appear. */
function pairsOf(words: readonly string[], served: readonly ServedKind[]): readonly Targets[] {
  const gathered = new Map<ServedKind, Set<string>>();
  for (const word of words) {
    const [kindWord = "", name = "", ...more] = word.split("/");
    if (kindWord === "" || name === "" || more.length > 0) {
      throw new UsageError(
        `${JSON.stringify(word)} is not KIND/NAME; use KIND/NAME for every argument, or one KIND followed by names`,
      );
    }
    for (const kind of kindWord.split(",").flatMap((each) => findKinds(served, each))) {
      const names = gathered.get(kind) ?? new Set();
      gathered.set(kind, names.add(name));
    }
  }
  return Array.from(gathered, ([kind, names]) => ({ kind, names: [...names] }));
}

/** The one object that the words mean. */
export function oneTarget(
  words: readonly string[],
  served: readonly ServedKind[],
): { readonly kind: ServedKind; readonly name: string } {
  const [target, ...others] = targetsOf(words, served);
  const [name, ...more] = target?.names ?? [];
  if (target === undefined || name === undefined)
    throw new UsageError("missing object: KIND NAME or KIND/NAME");
  if (others.length > 0 || more.length > 0)
    throw new UsageError("too many objects: this command takes one KIND NAME or KIND/NAME");
  return { kind: target.kind, name };
}
