import type { Json } from "../../model/core.js";
import type { Scope } from "../../model/object/object-key.js";
import type { User } from "../access/user.js";
import type { Body, FieldValidation, PatchBody } from "../decode/decoded-body.js";
import type {
  DeleteCollectionResponse,
  ServerDeleteOptions,
  DeleteResponse,
  ServerGetOptions,
  ServerListOptions,
  ListResponse,
  ObjectEvent,
  ServerWatchOptions,
  ServerWriteOptions,
  WriteResponse,
} from "../registry/requests.js";
import type { Capabilities, Verb } from "../resources/resource-type.js";
import type { ObjectResponse } from "../resources/stored-object.js";

/** Group, version and plural name of the resource of a request. */
export interface GroupVersionResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
}

/**
 * One request to the API. Every caller builds one: the HTTP server for its clients, the transport of controllers in this process, the
 * server's own controllers.
 *
 * Options and body may be read lazily: the steps that need them come after authorization, so that a refused request is neither
 * parsed nor downloaded.
 */
export interface ApiRequest<V extends Verb = Verb> {
  readonly user: User;
  readonly verb: V;
  readonly resource: GroupVersionResource;
  readonly scope: Scope;
  /** Absent for requests about a collection. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  readonly options: RequestOptions[V];
  readonly body?: RequestBody | undefined;
  /** Name of the client program. Default for the field manager. */
  readonly program?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The response to a list may have a `rest`, which is read while it is sent. */
  readonly streams?: boolean | undefined;
  /** Receives warnings for the client; HTTP sends them as `Warning` headers. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** Options of a create, update or patch, as clients send them. */
export interface RequestWriteOptions extends Pick<ServerWriteOptions, "fieldManager" | "force"> {
  readonly dryRun?: readonly string[] | undefined;
  readonly fieldValidation?: string | undefined;
}

/** Options of a delete, as clients send them in the query. If there is a body, it replaces them. */
export interface RequestDeleteOptions extends Omit<ServerDeleteOptions, "dryRun"> {
  readonly dryRun?: readonly string[] | undefined;
}

/** Options of each verb: Kubernetes' GetOptions, ListOptions, CreateOptions and so on, not yet validated. */
export interface RequestOptions {
  readonly get: ServerGetOptions;
  readonly list: ServerListOptions;
  readonly watch: ServerWatchOptions;
  readonly create: RequestWriteOptions;
  readonly update: RequestWriteOptions;
  readonly patch: RequestWriteOptions;
  readonly delete: RequestDeleteOptions;
  readonly deletecollection: ServerListOptions & RequestDeleteOptions;
}

/** Result of each verb. */
export interface ApiResponse {
  readonly get: ObjectResponse;
  readonly list: ListResponse;
  readonly watch: AsyncIterable<readonly ObjectEvent[]>;
  readonly create: WriteResponse;
  readonly update: WriteResponse;
  readonly patch: WriteResponse;
  readonly delete: DeleteResponse;
  readonly deletecollection: DeleteCollectionResponse;
}

/** Kind of the object that a body contains or changes, and how strictly its fields are checked. */
export interface ExpectedBody {
  readonly type: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly capabilities: Pick<Capabilities, "protobuf" | "strategicMerge">;
  };
  readonly fieldValidation: FieldValidation | undefined;
}

/** Content of a request. Each method is called at most once, by the verbs that need it. */
export interface RequestBody {
  /** Object of a create or update. */
  object(expected: ExpectedBody): Body | Promise<Body>;
  patch(expected: ExpectedBody): PatchBody | Promise<PatchBody>;
  /** ServerDeleteOptions; undefined if there is no content. */
  deleteOptions(): Json | undefined | Promise<Json | undefined>;
}
