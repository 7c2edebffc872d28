import { failures, type Json } from "../../../model/core.js";
import type { ObjectSchema } from "../../../model/structural/object-schema.js";
import type { Draft } from "../../resources/resource-type.js";
import type { StructType } from "../idl/type-definition.js";
import { typeFault } from "./check-types.js";
import { normalize } from "./normalize.js";
import { removeUnknownFields } from "./unknown-fields.js";

/**
 * Typed decoding of a built-in kind. Kubernetes decodes such objects rather than validating them by a schema: a wrong
 * JSON type is rejected first (ApiError 400), unknown fields are dropped, and the rest is normalized and defaulted.
 * Further validation is up to the kind's strategy. `defaults` sets defaults that depend on other fields.
 */
export function typedRules(struct: StructType, defaults?: (object: Draft) => void): ObjectSchema {
  return {
    prune(object) {
      const fault = typeFault(struct, object as Json);
      if (fault !== undefined) throw failures.badRequest(fault);
      return removeUnknownFields(struct, object);
    },
    applyDefaults(object) {
      normalize(struct, object as Draft);
      defaults?.(object as Draft);
    },
    validate: () => [],
  };
}
