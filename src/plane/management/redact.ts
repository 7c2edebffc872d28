import { diff, type FieldChange, type Json, type KubeObject } from "../../model/core.js";
import { comparableVersions, withoutSecrets } from "../../runtime/log/secrets.js";

/** Metadata that changes with every write, and is left out of differences. */
export const bookkeeping = [
  "metadata.managedFields",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.uid",
  "metadata.creationTimestamp",
  "metadata.selfLink",
];

/** An object without the contents of Secrets, unless they are to be revealed. */
export function redacted<T extends KubeObject | undefined>(object: T, reveal: boolean): T {
  return reveal || object?.kind !== "Secret" ? object : (withoutSecrets(object) as T);
}

/** Differences between two versions of an object; of a Secret which entries differ, not their contents. */
export function changesOf(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  reveal: boolean,
): readonly FieldChange[] {
  const [from, to] = reveal
    ? [before as Json | undefined, after as Json | undefined]
    : comparableVersions(before, after);
  return diff(from, to, { ignore: bookkeeping });
}
