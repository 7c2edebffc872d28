/**
 * Record of what clients sent to a server and what they received, for {@link checkHistory}.
 *
 * All clients run in one process. Moments are numbers of one counter, so that "A returned before B was invoked" is a
 * comparison of two numbers.
 */
export interface History {
  readonly operations: readonly Operation[];
  readonly watches: readonly WatchRecord[];
  /** Watch of everything from the start to the end. The other records are compared with the changes that it received. */
  readonly reference: WatchRecord;
}

/** Object that the clients read and write, as a response or an event contained it. */
export interface Register {
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  /** Label for selectors. */
  readonly side: Side;
  /** `write` is the id of the write that made this version. */
  readonly data: Readonly<Record<string, string>>;
}

export type Side = "left" | "right";

export type Operation =
  | PutOperation
  | DeleteOperation
  | DeleteCollectionOperation
  | GetOperation
  | ListOperation;

interface Timed {
  readonly client: string;
  readonly invoked: number;
  readonly returned: number;
}

/** Error of a write. A refused write had no effect. An unknown one happened once or never, perhaps later. */
export type Failure =
  | { readonly type: "refused"; readonly code: number; readonly reason: string }
  | { readonly type: "unknown"; readonly cause: string };

export interface PutOperation extends Timed {
  readonly type: "put";
  /** `update` is a compare-and-swap; `patch` and `apply` have no precondition. */
  readonly verb: "create" | "update" | "patch" | "apply";
  /** Unique; sent as `data.write`. */
  readonly id: string;
  readonly name: string;
  readonly side: Side;
  /** Whole data of a create or an update; changed fields of a patch or an apply. */
  readonly data: Readonly<Record<string, string>>;
  /** Revision of the version that an update replaces. */
  readonly expects?: number | undefined;
  readonly outcome: { readonly type: "ok"; readonly register: Register } | Failure;
}

export interface DeleteOperation extends Timed {
  readonly type: "delete";
  readonly name: string;
  readonly expects?: number | undefined;
  readonly outcome: { readonly type: "ok"; readonly uid: string } | Failure;
}

export interface DeleteCollectionOperation extends Timed {
  readonly type: "deletecollection";
  readonly side: Side | undefined;
  readonly outcome: { readonly type: "ok"; readonly uids: readonly string[] } | Failure;
}

/** Reads that failed are not recorded. */
export interface GetOperation extends Timed {
  readonly type: "get";
  readonly name: string;
  readonly found: Register | undefined;
}

export interface ListOperation extends Timed {
  readonly type: "list";
  /** Label selector. */
  readonly side: Side | undefined;
  /** Requested revision and how to match it; undefined for the newest state. */
  readonly at?: { readonly revision: number; readonly match: "Exact" | "NotOlderThan" } | undefined;
  /** Responses in order; several if the list was read with `limit` and `continue`. "future" if the server did not know `at`. */
  readonly pages: readonly Page[] | "future";
}

export interface Page {
  readonly revision: number;
  readonly items: readonly Register[];
}

/** Everything that one watcher received, across reconnects. */
export interface WatchRecord {
  readonly client: string;
  readonly side: Side | undefined;
  readonly steps: readonly WatchStep[];
}

export type WatchStep =
  /** List to start from: at the beginning, after a 410, or at an earlier revision. */
  | { readonly type: "listed"; readonly at: number; readonly page: Page }
  /** Watch request: from the last revision, or from an earlier one in order to receive events again. */
  | { readonly type: "opened"; readonly from: number }
  | {
      readonly type: "event";
      readonly at: number;
      readonly event: "ADDED" | "MODIFIED" | "DELETED";
      readonly register: Register;
    }
  | { readonly type: "bookmark"; readonly at: number; readonly revision: number }
  /** 410: the revision has been compacted. */
  | { readonly type: "expired" }
  /** The server did not know a revision that it had sent before. */
  | { readonly type: "future"; readonly from: number };
