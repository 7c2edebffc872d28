import type { Stretch } from "./tail.js";

/**
 * What the store and its writing thread say to each other; `codec.ts` turns commits and outcomes into it. All of it
 * is answered in the order it was asked, and notices come in between.
 */
export type Request = CommitRequest | SweepRequest | { readonly type: "close" };

export type Reply = CommitReply | SweepReply | IndexedNotice;

/** What a writing thread is started with. */
export interface WriterSettings {
  readonly path: string;
  /** How many changes wait in the tail before they are brought into `versions`. */
  readonly indexAfter: number;
}

/** A mutation on its way to the writer. */
export interface WireMutation {
  readonly key: string;
  /** The revision the key must be at, or -1 for any. */
  readonly expect: number;
  /** Undefined for a delete. */
  readonly value: Uint8Array | undefined;
  readonly expires: number | undefined;
}

/** What became of a commit. */
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
  /** Which mutation met a revision it did not expect, and which revision that was. */
  readonly mutation: number;
  readonly actual: number;
}

interface Failed extends Failure {
  readonly type: "failed";
}

export interface Failure {
  readonly reason: "full" | "damaged" | "failed";
  readonly message: string;
}

/**
 * Commits to be applied one after the other. Threads copy what they send each other object by object, so they are sent
 * as a few flat arrays, whatever their number.
 */
export interface CommitRequest {
  readonly type: "commit";
  readonly keys: readonly string[];
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly values: Uint8Array<ArrayBuffer>;
  readonly time: number;
}

/** What became of the commits of one or more requests. */
export interface CommitReply {
  readonly type: "commit";
  readonly requests: number;
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly failures: readonly Failure[];
}

/** Raises the floor, if need be, and deletes a bounded number of changes that it made unreadable. */
interface SweepRequest {
  readonly type: "sweep";
  readonly floor: number;
}

export interface SweepReply {
  readonly type: "sweep";
  /** Whether there is more to delete below the floor. */
  readonly more: boolean;
  readonly failure?: Failure | undefined;
}

/** Tells what has been brought into `versions`: of all that the thread has answered so far, the tail can forget it. */
interface IndexedNotice {
  readonly type: "indexed";
  readonly stretch: Stretch;
}
