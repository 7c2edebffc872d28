import type { ResourceType } from "../resources/resource-type.js";
import { deleteOptions, patch, scale, status } from "./meta-types.js";
import type { Model } from "./operations.js";
import type { Published, Schemas } from "./schemas.js";

/** A reference to what an operation takes or answers. */
export function refTo(model: Model, type: ResourceType, schemas: Schemas): Published {
  switch (model) {
    case "object":
      return schemas.refToObject(type);
    case "list":
      return schemas.refToList(type);
    case "status":
      return schemas.refToMeta(status);
    case "deleteOptions":
      return schemas.refToMeta(deleteOptions);
    case "patch":
      return schemas.refToMeta(patch);
    case "scale":
      return schemas.refToMeta(scale);
  }
}
