import type { Json } from "../../model/core.js";

/** Decoded content of a request, with the problems that can no longer be seen in the parsed object. */
export interface Body {
  readonly object: Json;
  /** Nobody else holds the object or any part of it, and its depth has been checked: it may be changed in place. */
  readonly fresh?: boolean | undefined;
  /** `duplicate field "data.a"`: reported according to the field validation of the request. */
  readonly duplicates?: readonly string[] | undefined;
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export type PatchType = "json" | "merge" | "strategic" | "apply";

/** Decoded patch. */
export interface PatchBody {
  readonly type: PatchType;
  readonly body: Body;
}
