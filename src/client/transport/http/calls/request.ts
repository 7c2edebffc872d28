import type { WireRequest } from "../wire/exchange.js";

/** What a call does, in Kubernetes' words. */
export type Verb =
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

/** A call before it is known over which connection and on whose behalf it goes. */
export interface ApiRequest extends Pick<WireRequest, "method" | "path" | "body"> {
  readonly verb: Verb;
  /** For messages: `get pods/web-1 in the namespace "default"`. */
  readonly title: string;
  readonly accept: string;
  readonly contentType?: string | undefined;
  /** Whether doing it twice is like doing it once. */
  readonly idempotent: boolean;
}

/** One try of a call, as metrics count it. */
export interface RequestInfo {
  readonly verb: Verb;
  readonly method: string;
  readonly host: string;
  /** The HTTP status; `<error>`, as dashboards of other clients have it, when there was none. */
  readonly code: number | "<error>";
  /** Milliseconds until the answer was there, or for a watch until it began. */
  readonly duration: number;
  /** Milliseconds for which the client's own rate limit held it back. Not part of the duration. */
  readonly waited: number;
}
