import type { Pair } from "../requests/draft.js";
import type { Piece } from "../wire/http1.js";

export interface CaseRequest {
  readonly method: string;
  readonly target: string;
  readonly headers?: readonly Pair[];
  /** What is no bytes is sent as JSON. */
  readonly body?: object;
}

/** Something that once was answered badly, or not at all. */
export interface Case {
  /** What is sent. */
  readonly name: string;
  /** What has to be there first. */
  readonly before?: CaseRequest;
  /** A proper request, but for what is wrong with it. */
  readonly request?: CaseRequest;
  /** Or bytes for a bare connection, in which `@host@` and `@token@` are filled in. */
  readonly pieces?: readonly Piece[];
  /** Code and reason. */
  readonly answer: string;
}
