/** What the store and its writing thread say to each other. All of it is answered in the order it was asked. */
export type Request = CommitRequest | SweepRequest | { readonly type: "close" };

/** Commits to be applied one after the other and made durable together. */
export interface CommitRequest {
  readonly type: "commit";
  readonly commits: readonly (readonly WireChange[])[];
  /** The bytes of all puts, in one piece: one transfer instead of a copy each. */
  readonly values: Uint8Array<ArrayBuffer>;
  readonly time: number;
}

export interface WireChange {
  readonly key: string;
  /** The revision the key must be at, or -1 for any. */
  readonly expect: number;
  /** Where the value lies in {@link CommitRequest.values}; undefined for a delete. */
  readonly value: readonly [start: number, end: number] | undefined;
  readonly expires: number | null;
}

/** Raises the floor, if need be, and deletes a bounded number of changes that it made unreadable. */
interface SweepRequest {
  readonly type: "sweep";
  readonly floor: number;
}

export type Reply = CommitReply | SweepReply;

export interface CommitReply {
  readonly type: "commit";
  readonly outcomes: readonly Outcome[];
}

export type Outcome = Committed | Refused | Failed;

export interface Committed {
  readonly type: "committed";
  readonly revision: number;
  /** For each change in turn the id of the version it replaced (0: none) and the revision its key dates from. */
  readonly replaced: readonly number[];
  readonly created: readonly number[];
}

export interface Refused {
  readonly type: "refused";
  readonly change: number;
  readonly actual: number;
}

interface Failed extends Failure {
  readonly type: "failed";
}

export interface Failure {
  readonly reason: "full" | "damaged" | "failed";
  readonly message: string;
}

export interface SweepReply {
  readonly type: "sweep";
  /** Whether there is more to delete below the floor. */
  readonly more: boolean;
  readonly failure?: Failure | undefined;
}
