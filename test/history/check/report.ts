import type { Register } from "../history.js";

/** A broken promise. */
export interface Violation {
  readonly rule: Rule;
  readonly detail: string;
}

type Rule =
  /** The reference watch itself could not be followed. */
  | "reference"
  /** Revisions are unique and increase in real-time order. */
  | "order"
  /** An acknowledged write is in the history. */
  | "lost write"
  /** A refused write had no effect. */
  | "effect of a refused write"
  /** A write happens at most once. */
  | "repeated write"
  /** Every change comes from a write that a client sent. */
  | "invented change"
  /** A version has the content that its write and the version before it give. */
  | "content"
  /** A version is replaced by at most one compare-and-swap, and only while it is current. */
  | "compare-and-swap"
  /** A write is refused only for a reason that was true while it was handled. */
  | "wrong refusal"
  /** A read shows a state at least as new as everything that was seen before it was sent. */
  | "stale read"
  /** A read shows a state that existed. */
  | "wrong read"
  /** A watcher gets every change, once, in order. */
  | "lost event"
  | "repeated event"
  | "wrong event"
  /** A revision that was sent exists from then on. */
  | "lost revision";

export type Report = (rule: Rule, detail: string) => void;

export function sameRegister(a: Register, b: Register): boolean {
  if (a.name !== b.name || a.uid !== b.uid || a.revision !== b.revision || a.side !== b.side) return false;
  return sameData(a.data, b.data);
}

export function sameData(a: Register["data"], b: Register["data"]): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Short text for a message. */
export function show(register: Register | undefined): string {
  if (register === undefined) return "nothing";
  const { name, uid, revision, side, data } = register;
  const { padding: _, ...rest } = data;
  return `${name}@${revision} (${uid.slice(0, 8)}, ${side}, ${JSON.stringify(rest)})`;
}
