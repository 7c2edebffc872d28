import type { ObjectKey, Scope } from "../../model/object/object-key.js";
import type { User } from "../access/user.js";
import type { Body, PatchType } from "../decode/decoded-body.js";
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
import type { ResourceType, Subresource, Verb } from "../resources/resource-type.js";
import type { ObjectResponse } from "../resources/stored-object.js";
import type { ApiRequest, ApiResponse, RequestBody, RequestWriteOptions } from "./api-request.js";
import type { RequestPipeline } from "./pipeline.js";
import { checkSubresource } from "./resolve.js";

/** Options of a write; `warn` receives its warnings. */
export interface CallerWriteOptions extends ServerWriteOptions {
  readonly subresource?: Subresource | undefined;
  readonly warn?: ((text: string) => void) | undefined;
}

/** Makes requests as one user, for kinds that need no resolving. Used by the server's own controllers. */
export class Caller {
  readonly #pipeline: RequestPipeline;
  readonly #user: User;

  constructor(pipeline: RequestPipeline, user: User) {
    this.#pipeline = pipeline;
    this.#user = user;
  }

  get(
    type: ResourceType,
    { namespace, name }: ObjectKey,
    { subresource, ...options }: ServerGetOptions & { readonly subresource?: Subresource | undefined } = {},
  ): Promise<ObjectResponse> {
    return this.#handle(type, { verb: "get", scope: { namespace }, name, subresource, options });
  }

  list(type: ResourceType, scope: Scope, options: ServerListOptions = {}): Promise<ListResponse> {
    return this.#handle(type, { verb: "list", scope, options });
  }

  async *watch(
    type: ResourceType,
    scope: Scope,
    { signal, ...options }: ServerWatchOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<readonly ObjectEvent[], void, undefined> {
    yield* await this.#handle(type, { verb: "watch", scope, options, signal });
  }

  async create(
    type: ResourceType,
    scope: Scope,
    body: Body,
    options: CallerWriteOptions = {},
  ): Promise<ObjectResponse> {
    const { object } = await this.#handle(type, { verb: "create", scope, ...content(body, options) });
    return object;
  }

  update(
    type: ResourceType,
    { namespace, name }: ObjectKey,
    body: Body,
    options: CallerWriteOptions = {},
  ): Promise<WriteResponse> {
    return this.#handle(type, { verb: "update", scope: { namespace }, name, ...content(body, options) });
  }

  patch(
    type: ResourceType,
    { namespace, name }: ObjectKey,
    patch: { readonly type: PatchType; readonly body: Body; readonly force?: boolean | undefined },
    options: CallerWriteOptions = {},
  ): Promise<WriteResponse> {
    const { type: patchType, body, force } = patch;
    const rest = content(body, { ...options, force }, patchType);
    return this.#handle(type, { verb: "patch", scope: { namespace }, name, ...rest });
  }

  delete(
    type: ResourceType,
    { namespace, name }: ObjectKey,
    options: ServerDeleteOptions = {},
  ): Promise<DeleteResponse> {
    return this.#handle(type, { verb: "delete", scope: { namespace }, name, options: wireOptions(options) });
  }

  deleteCollection(
    type: ResourceType,
    scope: Scope,
    selection: ServerListOptions = {},
    deletion: ServerDeleteOptions = {},
  ): Promise<DeleteCollectionResponse> {
    const options = { ...selection, ...wireOptions(deletion) };
    return this.#handle(type, { verb: "deletecollection", scope, options });
  }

  async #handle<V extends Verb>(
    type: ResourceType,
    request: Omit<ApiRequest<V>, "user" | "resource">,
  ): Promise<ApiResponse[V]> {
    const { group, version, plural } = type;
    const { name, subresource } = request;
    if (subresource !== undefined) checkSubresource(type, name, subresource);
    const resource = { group, version, resource: plural };
    // TypeScript cannot infer that adding the two omitted fields makes a complete request.
    const complete = { ...request, user: this.#user, resource } as unknown as ApiRequest<V>;
    return this.#pipeline.handle(complete, { type, subresource });
  }
}

function content(
  body: Body,
  { subresource, warn, ...options }: CallerWriteOptions,
  patchType: PatchType = "merge",
): Pick<ApiRequest, "subresource" | "warn" | "body"> & { readonly options: RequestWriteOptions } {
  const decoded: RequestBody = {
    object: () => body,
    patch: () => ({ type: patchType, body }),
    deleteOptions: () => body.object,
  };
  return { subresource, warn, body: decoded, options: wireOptions(options) };
}

/** Options in the form in which clients send them. */
function wireOptions<Options extends { readonly dryRun?: boolean | undefined }>({
  dryRun,
  ...options
}: Options): Omit<Options, "dryRun"> & { readonly dryRun: readonly string[] | undefined } {
  return { ...options, dryRun: dryRun ? ["All"] : undefined };
}
