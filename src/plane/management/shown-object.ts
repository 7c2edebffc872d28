import { diff, type Change, type Json, type KubeObject } from "../../model/core.js";
import { comparable, withoutSecrets } from "../../runtime/log/secrets.js";

/** What every write changes and nobody asks about. */
export const bookkeeping = [
  "metadata.managedFields",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.uid",
  "metadata.creationTimestamp",
  "metadata.selfLink",
];

/** An object as it is told: without what a Secret contains, unless that is wanted. */
export function shown<T extends KubeObject | undefined>(object: T, reveal: boolean): T {
  return reveal || object?.kind !== "Secret" ? object : (withoutSecrets(object) as T);
}

/** What people would say has changed between two versions; of a Secret, which entries and not what they are. */
export function changesOf(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  reveal: boolean,
): readonly Change[] {
  const [from, to] = reveal
    ? [before as Json | undefined, after as Json | undefined]
    : comparable(before, after);
  return diff(from, to, { ignore: bookkeeping });
}
