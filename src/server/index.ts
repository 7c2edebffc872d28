export { startApi, type Api, type ApiOptions } from "./api.js";
export { startServer, type Server, type ServerOptions } from "./server.js";
export { Registry, type RegistryOptions } from "./registry/registry.js";
export type {
  ServerDeleteOptions,
  DeleteResponse,
  EventType,
  ServerGetOptions,
  ServerListOptions,
  ListResponse,
  ObjectEvent,
  ServerWatchOptions,
  ServerWriteOptions,
  WriteResponse,
} from "./registry/requests.js";
export type { Body, FieldValidation, PatchBody, PatchType } from "./decode/decoded-body.js";
export { serviceIdentity, type User } from "./access/user.js";
export type { AccessRules, Attributes, Authorize, Decision } from "./access/authorize.js";
export type { AdmissionPlugin, AdmissionRequest } from "./admission/admission.js";
export type {
  ApiRequest,
  ApiResponse,
  ExpectedBody,
  GroupVersionResource,
  RequestBody,
  RequestDeleteOptions,
  RequestOptions,
  RequestWriteOptions,
} from "./request/api-request.js";
export { Caller, type CallerWriteOptions } from "./request/caller.js";
export { RequestPipeline, type AuditRecord, type PipelineOptions } from "./request/pipeline.js";
export { PageNotFound } from "./request/resolve.js";
export { ValueBody } from "./request/value-body.js";
export type {
  Capabilities,
  Draft,
  ResourceType,
  KindStrategy,
  Subresource,
  TableColumn,
  Verb,
} from "./resources/resource-type.js";
export { ResourceTypes } from "./resources/resource-types.js";
export type { ObjectResponse } from "./resources/stored-object.js";
export type { Extension, ExtensionResponse, ExtensionRequest, ServeSocket } from "./http/paths/extension.js";
export type { SocketConnection } from "./http/socket/socket-connection.js";
export {
  problemDetails,
  problemType,
  type FieldProblem,
  type ProblemDetails,
} from "./http/response/problem.js";
export type { MetricSource } from "./http/metrics/prometheus.js";
export type { KeyPair } from "./http/tls/certificate.js";
export type { KeyPairFiles } from "./http/tls/certificate-files.js";
export type { HealthCheck } from "./http/paths/health.js";
