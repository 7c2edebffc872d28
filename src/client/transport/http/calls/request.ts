import type { WireRequest } from "../wire/exchange.js";

/** Verb of a request, for metrics and retries: Kubernetes' verbs, and `discover` and `apply`. */
export type RequestVerb =
  | "discover"
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "apply"
  | "delete"
  | "deletecollection";

/** Request before a connection and credentials are chosen for it. */
export interface OutgoingRequest extends Pick<WireRequest, "method" | "path" | "body"> {
  readonly verb: RequestVerb;
  /** Operation for messages: `get pods/web-1 in the namespace "default"`. */
  readonly title: string;
  readonly accept: string;
  readonly contentType?: string | undefined;
  /** True if repeating the request has no further effect. */
  readonly idempotent: boolean;
}

/** One attempt of a request, for metrics. */
export interface RequestInfo {
  readonly verb: RequestVerb;
  readonly method: string;
  readonly host: string;
  /** HTTP status; `<error>` (as in client-go's metrics) without a response. */
  readonly code: number | "<error>";
  /** Milliseconds until the response was complete; for a watch, until it started. */
  readonly duration: number;
  /** Milliseconds spent waiting for the client-side rate limit; not part of the duration. */
  readonly waited: number;
}
