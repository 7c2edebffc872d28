// All of the model, including resource(), which needs zod. Code that must run without zod imports core.js.
export * from "./core.js";

export { resource } from "./resource/resource.js";
export type {
  Column,
  ColumnOptions,
  DeepReadonly,
  ResourceObject,
  Resource,
  ResourceOptions,
  ResourceScope,
  Spec,
  SpecInput,
  StandardStatus,
  Status,
  StatusOutput,
} from "./resource/resource-types.js";
export { DefinitionError, type DefinitionProblem } from "./resource/convert/definition-error.js";
export { schema } from "./resource/markers.js";
