import type { GroupVersion } from "../../model/core.js";
import { asApiError } from "../../model/errors/api-error.js";
import {
  deniedError,
  mastersOnly,
  type Attributes,
  type Authorize,
  type Decision,
} from "../access/authorize.js";
import type { User } from "../access/user.js";
import type { AdmissionPlugin } from "../admission/admission.js";
import type { Registry } from "../registry/registry.js";
import type { ResourceType, Verb } from "../resources/resource-type.js";
import type { ApiRequest, ApiResponse } from "./api-request.js";
import { performVerb } from "./perform-verb.js";
import { PageNotFound, resolve, type Resolution, type ResolvedResource } from "./resolve.js";

/** One request after it was handled: who did what, and the outcome. A watch is recorded when it starts. */
export interface AuditRecord extends Attributes {
  /** Absent for paths outside the API. */
  readonly request?: ApiRequest | undefined;
  /** HTTP status code: 200 for every success, 500 for an internal error. */
  readonly code: number;
}

export interface PipelineOptions {
  readonly registry: Registry;
  /** Default: members of `system:masters` may do everything, and others nothing. */
  readonly authorize?: Authorize | undefined;
  /** Run in this order for every write. */
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  readonly audit?: ((record: AuditRecord) => void) | undefined;
  /** Receives errors of `audit`. They do not change the outcome of a request. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Handles every request to the API, whoever makes it, in the same steps:
 *
 * 1. **resolve** the resource to a kind
 * 2. **authorize** the user; only then is the outcome of the first step revealed
 * 3. validate the options and decode the body
 * 4. perform the verb in the **registry**; a write runs, for each attempt, **mutating admission**, the rules of its kind,
 *    **validating admission** and the **commit**
 * 5. **audit** the outcome
 */
export class RequestPipeline {
  readonly registry: Registry;
  readonly #authorize: Authorize;
  readonly #admission: readonly AdmissionPlugin[];
  readonly #audit: ((record: AuditRecord) => void) | undefined;
  readonly #onError: (error: unknown) => void;

  constructor({
    registry,
    authorize = mastersOnly,
    admission = [],
    audit,
    onError = () => {},
  }: PipelineOptions) {
    this.registry = registry;
    this.#authorize = authorize;
    this.#admission = admission;
    this.#audit = audit;
    this.#onError = onError;
  }

  /**
   * Handles a request for a resource. Parts of the server that know the kind pass it as `target`: it need not be served.
   *
   * @throws {ApiError}; PageNotFound for a path at which no API is served.
   */
  async handle<V extends Verb>(request: ApiRequest<V>, target?: ResolvedResource): Promise<ApiResponse[V]> {
    const attributes = attributesOf(request);
    try {
      const resolution = target ?? resolve(this.registry.types, request);
      const authorizing = this.checkAccess(attributes);
      if (authorizing !== undefined) await authorizing;
      const { type, subresource } = accept(resolution, request);
      const context = { registry: this.registry, type, subresource, admission: this.#admission };
      const response = await performVerb(context, request);
      this.#record(attributes, 200, request);
      return response;
    } catch (error) {
      this.#record(attributes, codeOf(error), request);
      throw error;
    }
  }

  /**
   * Handles a request for a path outside the API: authorizes the user, performs it, audits the outcome. With `authorize: false`,
   * `perform` checks access itself.
   */
  async handlePath<Result>(
    attributes: Attributes,
    perform: () => Result | Promise<Result>,
    { authorize = true }: { readonly authorize?: boolean } = {},
  ): Promise<Result> {
    try {
      if (authorize) await this.checkAccess(attributes);
      const result = await perform();
      this.#record(attributes, 200);
      return result;
    } catch (error) {
      this.#record(attributes, codeOf(error));
      throw error;
    }
  }

  /**
   * Kinds that are served in one version of a group.
   *
   * @throws {PageNotFound} when there are none.
   */
  discover(user: User, { group, version }: GroupVersion): Promise<readonly ResourceType[]> {
    const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    return this.handlePath({ user, verb: "get", path }, () => {
      const { all } = this.registry.types;
      const types = all.filter((type) => type.group === group && type.version === version);
      if (types.length === 0) throw new PageNotFound();
      return types;
    });
  }

  /**
   * Checks one more permission that a request needs, such as for the objects that a path outside the API shows.
   *
   * @returns undefined when access was granted at once.
   * @throws {ApiError} 403
   */
  checkAccess(attributes: Attributes): Promise<void> | undefined {
    const decision = this.#authorize(attributes);
    if (decision instanceof Promise) return decision.then((later) => refuseUnlessAllowed(attributes, later));
    refuseUnlessAllowed(attributes, decision);
    return undefined;
  }

  #record(attributes: Attributes, code: number, request?: ApiRequest): void {
    if (this.#audit === undefined) return;
    try {
      this.#audit({ ...attributes, request, code });
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** Reveals the outcome of resolving an authorized request. */
function accept(resolution: Resolution, { warn }: ApiRequest): ResolvedResource {
  const { type } = resolution;
  if (type?.deprecation !== undefined) warn?.(type.deprecation);
  if ("refusal" in resolution) throw resolution.refusal;
  return resolution;
}

function refuseUnlessAllowed(attributes: Attributes, { allowed, reason }: Decision): void {
  if (!allowed) throw deniedError(attributes, reason);
}

function attributesOf({ user, verb, resource: of, scope, name, subresource }: ApiRequest): Attributes {
  const { group, version, resource } = of;
  // Access rules see the name of a namespace as its namespace.
  const namespace = scope.namespace ?? (resource === "namespaces" ? name : undefined);
  return { user, verb, path: "", resource: { group, version, resource, subresource, namespace, name } };
}

function codeOf(error: unknown): number {
  return asApiError(error)?.code ?? (error instanceof PageNotFound ? 404 : 500);
}
