import type { Json } from "../../../src/model/core.js";
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
  /** What was broken, in words. */
  broken: string[];
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
  readonly broken: readonly string[];
}

/** Where an answer's own words come in: what a request says depends on those before it, the request itself does not. */
export const placeholders = { version: "@version@", uid: "@uid@", continue: "@continue@" } as const;
