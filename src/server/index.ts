export { startApi, type Api, type ApiOptions } from "./api.js";
export { startServer, type Server, type ServerOptions } from "./server.js";
export { Registry, type RegistryOptions } from "./registry/registry.js";
export type {
  Body,
  Deleted,
  DeleteOptions,
  EventType,
  FieldValidation,
  GetOptions,
  ListAnswer,
  ListOptions,
  ObjectEvent,
  Patch,
  Scope,
  Subresource,
  Target,
  WatchOptions,
  WriteOptions,
  Written,
} from "./registry/requests.js";
export type { ResourceType, Strategy, TableColumn, Verb } from "./resources/resource-type.js";
export { ResourceTypes } from "./resources/resource-types.js";
export type { Answer } from "./resources/stored-object.js";
export type { Extension, ExtensionAnswer, ExtensionRequest } from "./http/paths/extension.js";
export type { MetricSource } from "./http/metrics/prometheus.js";
export type { HealthCheck } from "./http/paths/health.js";
