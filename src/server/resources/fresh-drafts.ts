import type { KubeObject } from "../../model/core.js";
import type { Draft, ResourceType } from "./resource-type.js";

/** How many are remembered: more than writes are under way at once. */
const capacity = 1024;

const drafts = new Map<Uint8Array, { readonly type: ResourceType; readonly draft: Draft }>();
/** What is remembered, in a ring: who comes takes the place of the oldest. */
const ring: (Uint8Array | undefined)[] = Array.from({ length: capacity });
let next = 0;

/**
 * Remembers what some bytes were made of, for those who look at them soon: what is written is often read at once, by who
 * wrote it and by who watches, and need not be parsed for that. From here on the draft is nobody else's.
 */
export function rememberDraft(value: Uint8Array, type: ResourceType, draft: Draft): void {
  const oldest = ring[next];
  if (oldest !== undefined) drafts.delete(oldest);
  ring[next] = value;
  next = (next + 1) % capacity;
  drafts.set(value, { type, draft });
}

/** The object that was made of a draft, in the version that it was given; undefined when it is no longer remembered. */
export function objectOfDraft(
  value: Uint8Array,
  type: ResourceType,
  revision: number,
): KubeObject | undefined {
  const known = drafts.get(value);
  if (known?.type !== type) return undefined;
  drafts.delete(value);
  const { draft } = known;
  draft.metadata["resourceVersion"] = String(revision);
  return draft;
}

/** What some bytes were made of, to be looked at only; undefined when it is no longer remembered. */
export function draftOf(value: Uint8Array): Draft | undefined {
  return drafts.get(value)?.draft;
}
