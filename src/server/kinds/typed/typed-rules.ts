import { failures, type Json } from "../../../model/core.js";
import type { ObjectSchema } from "../../../model/structural/object-schema.js";
import type { Draft } from "../../resources/resource-type.js";
import type { StructType } from "../idl/type-definition.js";
import { typeFault } from "./check-types.js";
import { normalize } from "./normalize.js";
import { removeUnknownFields } from "./unknown-fields.js";

/**
 * The rules of a built-in kind's type. Kubernetes does not hold such objects against a schema, it decodes them: what
 * has the wrong JSON type is refused before anything else (an ApiError 400), what is unknown is dropped, and what
 * remains takes the form that Kubernetes writes, defaults included. After that there is nothing left that a schema
 * could find: the rest are the rules of the kind's strategy. `defaults` fills in what depends on other fields.
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
