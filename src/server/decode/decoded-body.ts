import type { Json } from "../../model/core.js";

/** Decoded body of a request, with the problems that are not visible in the parsed object. */
export interface Body {
  readonly object: Json;
  /** The object is not shared and its depth has been checked, so it may be changed in place. */
  readonly fresh?: boolean | undefined;
  /** Messages such as `duplicate field "data.a"`, reported according to the request's field validation. */
  readonly duplicates?: readonly string[] | undefined;
  /** Size of the encoded body; undefined for values of this process. */
  readonly bytes?: number | undefined;
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export type PatchType = "json" | "merge" | "strategic" | "apply";

/** Decoded patch. */
export interface PatchBody {
  readonly type: PatchType;
  readonly body: Body;
}
