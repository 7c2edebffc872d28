import type { Pair } from "../requests/draft.js";
import type { Piece } from "../wire/http1.js";

export interface CaseRequest {
  readonly method: string;
  readonly target: string;
  readonly headers?: readonly Pair[];
  /** Body, sent as JSON unless it is bytes. */
  readonly body?: object;
}

/** Request that once had a wrong response, or none. */
export interface Case {
  /** Description of the request. */
  readonly name: string;
  /** Request to send first. */
  readonly before?: CaseRequest;
  /** Request that is valid except for the problem. */
  readonly request?: CaseRequest;
  /** Or bytes to send on a plain connection; `@host@` and `@token@` are filled in. */
  readonly pieces?: readonly Piece[];
  /** Expected code and reason. */
  readonly answer: string;
}
