import type { Json } from "../../../src/model/core.js";
import type { Attention } from "../wire/answer.js";
import type { Resource } from "./catalog.js";

/** How a body is written. */
export type Form =
  | "json"
  | "yaml"
  | "protobuf"
  | "json-patch"
  | "merge-patch"
  | "strategic-patch"
  | "apply-patch";

export const contentTypes: Readonly<Record<Form, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
  "json-patch": "application/json-patch+json",
  "merge-patch": "application/merge-patch+json",
  "strategic-patch": "application/strategic-merge-patch+json",
  "apply-patch": "application/apply-patch+yaml",
};

export type Pair = [name: string, value: string];

/** A request in the making, with its parts still apart so that each can be broken. */
export interface Draft {
  readonly resource: Resource | undefined;
  readonly family: string;
  /** What it was to be before it was broken. */
  readonly verb: string;
  method: string;
  /** Not escaped. */
  segments: string[];
  /** In place of the segments, as it is. */
  target: string | undefined;
  /** Not escaped. */
  query: Pair[];
  /** Behind the query, as it is. */
  rawQuery: string;
  headers: Pair[];
  form: Form;
  value: Json | undefined;
  /** In place of the value, as it is. */
  bytes: Uint8Array | undefined;
  /** The frame of the message is not what it says: the connection is of no use afterwards, and an answer may not come. */
  lies: boolean;
  /** Nothing is said to be the end of what is sent: the server has to wait for more, and to grow tired of it. */
  waits: boolean;
  /** How much of a stream is read; no more than a glance unless told. */
  attention: Attention | undefined;
  /** What was broken, in words. */
  broken: string[];
}

/** A draft of which only the essential is said. */
export function draft(
  given: Pick<Draft, "resource" | "family" | "verb" | "method" | "segments"> & Partial<Draft>,
): Draft {
  return {
    target: undefined,
    query: [],
    rawQuery: "",
    headers: [],
    form: "json",
    value: undefined,
    bytes: undefined,
    lies: false,
    waits: false,
    attention: undefined,
    broken: [],
    ...given,
  };
}

/** A request as it is sent. */
export interface FuzzRequest {
  readonly family: string;
  readonly verb: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Pair[];
  readonly body: Uint8Array | undefined;
  readonly lies: boolean;
  readonly waits: boolean;
  readonly attention?: Attention | undefined;
  readonly broken: readonly string[];
}

/** Where an answer's own words come in: what a request says depends on those before it, the request itself does not. */
export const placeholders = {
  version: "@version@",
  /** The first of the versions that a session has heard of. */
  first: "@first@",
  uid: "@uid@",
  continue: "@continue@",
  /** A run of a controller. */
  run: "@run@",
} as const;
