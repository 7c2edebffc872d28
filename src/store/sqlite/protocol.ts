import type { TailRange } from "./tail.js";

/**
 * Messages between the store and its writer thread; `codec.ts` encodes commits and outcomes. Replies come in the order
 * of the requests, with notices in between.
 */
export type WriterRequest = CommitRequest | SweepRequest | { readonly type: "close" };

export type WriterReply = CommitReply | SweepReply | IndexedNotice;

/** Start parameters of the writer thread. */
export interface WriterSettings {
  readonly path: string;
  /** Number of mutations in the tail at which indexing starts. */
  readonly indexAfter: number;
}

/** Mutation as the writer gets it. */
export interface WireMutation {
  readonly key: string;
  /** Required revision of the key; -1: any. */
  readonly expect: number;
  /** Undefined for a delete. */
  readonly value: Uint8Array | undefined;
  readonly expires: number | undefined;
}

/** Result of a commit. */
export type CommitOutcome = Committed | Refused | Failed;

export interface Committed {
  readonly type: "committed";
  readonly revision: number;
  /** For each mutation the id of the version it replaced; 0: none. */
  readonly replaced: readonly number[];
  /** For each mutation the revision at which its key was created. */
  readonly created: readonly number[];
}

export interface Refused {
  readonly type: "refused";
  /** Index of the mutation whose expectation failed. */
  readonly mutation: number;
  /** Current revision of its key. */
  readonly actual: number;
}

interface Failed extends WriterFailure {
  readonly type: "failed";
}

export interface WriterFailure {
  /** "uncertain": the commit may be in the file, and be there after the next opening. */
  readonly reason: "full" | "damaged" | "failed" | "uncertain";
  readonly message: string;
}

/**
 * Commits to apply in order. Threads copy messages object by object, so any number of commits is sent as a few flat
 * arrays.
 */
export interface CommitRequest {
  readonly type: "commit";
  readonly keys: readonly string[];
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly values: Uint8Array<ArrayBuffer>;
  readonly time: number;
}

/** Outcomes of the commits of one or more requests. */
export interface CommitReply {
  readonly type: "commit";
  readonly requests: number;
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly failures: readonly WriterFailure[];
}

/** Raises the floor if it is lower, and deletes a bounded number of mutations that nobody can read any more. */
interface SweepRequest {
  readonly type: "sweep";
  readonly floor: number;
}

export interface SweepReply {
  readonly type: "sweep";
  /** True when there is more to delete below the floor. */
  readonly more: boolean;
  readonly failure?: WriterFailure | undefined;
}

/** Part of the tail that has been indexed; it covers only commits of earlier replies, so the reader can drop it. */
interface IndexedNotice {
  readonly type: "indexed";
  readonly range: TailRange;
}
