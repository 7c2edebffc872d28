import type { Json } from "../../../src/model/core.js";
import type { Attention } from "../wire/answer.js";
import type { Resource } from "./catalog.js";

/** Encoding of a body. */
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

/** Request whose parts can still be broken separately. */
export interface Draft {
  readonly resource: Resource | undefined;
  readonly family: string;
  /** Verb before the request was broken. */
  readonly verb: string;
  method: string;
  /** Segments of the path, not escaped. */
  segments: string[];
  /** Raw target, instead of the segments. */
  target: string | undefined;
  /** Parameters, not escaped. */
  query: Pair[];
  /** Raw text appended to the query. */
  rawQuery: string;
  headers: Pair[];
  form: Form;
  value: Json | undefined;
  /** Raw body, instead of the value. */
  bytes: Uint8Array | undefined;
  /** The framing of the message is wrong: the connection cannot be reused, and there may be no response. */
  lies: boolean;
  /** The end of the request is missing: the server has to wait until its timeout. */
  waits: boolean;
  /** Part of a stream to read. Default: a glance. */
  attention: Attention | undefined;
  /** Descriptions of what was broken. */
  broken: string[];
}

/** Draft with defaults for everything else. */
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

/** Request to send. */
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

/** Placeholders for values of earlier responses, so that a request itself does not depend on them. */
export const placeholders = {
  version: "@version@",
  /** First resourceVersion that the session has received. */
  first: "@first@",
  uid: "@uid@",
  continue: "@continue@",
  /** Id of a run of a controller. */
  run: "@run@",
} as const;
