export type {
  ApplyOptions,
  Client,
  Manifest,
  ModifyOptions,
  PatchOptions,
  StrategicPatchOptions,
  Where,
  ObjectRef,
} from "./client.js";
export { createClient, type ClientOptions } from "./create-client.js";
export { retryOnConflict, type RetryOptions } from "./retry.js";
export {
  kind,
  type AnyKind,
  type ContentOf,
  type DraftOf,
  type ExternalKind,
  type ObjectHeader,
  type KindInfo,
  type KindName,
  type KindReference,
  type ObjectOf,
  type PartialDraftOf,
  type PartialStatusDraftOf,
  type PatchOf,
  type StatusDraftOf,
  type UntypedObject,
} from "./kinds/kind.js";

export {
  ConnectionError,
  type CallOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  type Page,
  type Patch,
  type Selection,
  type Subresource,
  type Transport,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from "./transport/transport.js";
export type { ObjectKey, Scope } from "../model/object/object-key.js";
export type { ClientCertificate, Connection, ConnectionTls } from "./transport/connection.js";
export {
  httpTransport,
  type HttpTransport,
  type HttpTransportOptions,
  type RequestInfo,
} from "./transport/http/http-transport.js";
export type { DocumentOptions } from "./transport/http/documents.js";

export { loadConnection, type LoadOptions } from "./kubeconfig/load-connection.js";
export { inClusterConnection, type InClusterOptions } from "./kubeconfig/in-cluster.js";
export { connectionTo, type ConnectionTo } from "./kubeconfig/connection-to.js";
export { connectionOf, type ContextOptions } from "./kubeconfig/connection-of.js";
export { loadKubeconfig, type KubeconfigSource } from "./kubeconfig/load-kubeconfig.js";
export { parseKubeconfig } from "./kubeconfig/parse.js";
export { listContexts, type ContextSummary } from "./kubeconfig/list-contexts.js";
export type { Kubeconfig } from "./kubeconfig/kubeconfig.js";
export { KubeconfigError } from "./kubeconfig/kubeconfig-error.js";

export { createInformers, type InformersOptions } from "./informer/create-informers.js";
export type {
  Informer,
  InformerProblem,
  Informers,
  InformerScope,
  InformerState,
} from "./informer/informers.js";
export { readYourWrites } from "./informer/read-your-writes.js";
export { withoutManagedFields } from "./informer/informers.js";
export { byController, byField, byLabel, byOwner } from "./source/index-functions.js";
export type { ObjectChange, ChangeType, IndexFunction, Source, Subscription } from "./source/source.js";

export { poll, type Poller, type PollOptions, type PollRowsOptions } from "./polling/poll.js";
export { directorySource, type DirectoryOptions, type SourceFile } from "./polling/directory-source.js";
export type { PollReport, PollStats } from "./polling/stats.js";
