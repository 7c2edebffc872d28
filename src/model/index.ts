// All of the model but the making of kinds, which brings zod: what runs without zod imports core.js.
export * from "./core.js";

export { resource } from "./schema/resource.js";
export type {
  Column,
  ColumnOptions,
  DeepReadonly,
  ResourceObject,
  Resource,
  ResourceOptions,
  Scope,
  Spec,
  SpecInput,
  StandardStatus,
  Status,
  StatusOutput,
} from "./schema/resource-types.js";
export { DefinitionError, type DefinitionProblem } from "./schema/definition-error.js";
export { schema } from "./schema/markers.js";
