import { asApiError } from "../../model/errors/api-error.js";
import {
  deniedError,
  mastersOnly,
  type Attributes,
  type Authorize,
  type Decision,
} from "../access/authorize.js";
import type { AdmissionPlugin } from "../admission/admission.js";
import type { Registry } from "../registry/registry.js";
import type { Verb } from "../resources/resource-type.js";
import type { ApiRequest, ApiResponse } from "./api-request.js";
import { performVerb } from "./perform-verb.js";
import { PageNotFound, resolve, type ResolvedResource } from "./resolve.js";

/** One request after it was handled. */
export interface AuditRecord {
  readonly request: ApiRequest;
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

  constructor({ registry, authorize = mastersOnly, admission = [], audit }: PipelineOptions) {
    this.registry = registry;
    this.#authorize = authorize;
    this.#admission = admission;
    this.#audit = audit;
  }

  /**
   * Handles a request. Parts of the server that know the kind pass it as `target`: it need not be served.
   *
   * @throws {ApiError}; PageNotFound for a path at which no API is served.
   */
  async handle<V extends Verb>(request: ApiRequest<V>, target?: ResolvedResource): Promise<ApiResponse[V]> {
    try {
      const resolution = target ?? resolve(this.registry.types, request);
      const authorizing = this.checkAccess(attributesOf(request));
      if (authorizing !== undefined) await authorizing;
      const { type } = resolution;
      if (type?.deprecation !== undefined) request.warn?.(type.deprecation);
      if ("refusal" in resolution) throw resolution.refusal;
      const { registry } = this;
      const { subresource } = resolution;
      const context = { registry, type: resolution.type, subresource, admission: this.#admission };
      const response = await performVerb(context, request);
      this.#audit?.({ request, code: 200 });
      return response;
    } catch (error) {
      this.#audit?.({ request, code: codeOf(error) });
      throw error;
    }
  }

  /**
   * Checks access to something that is not handled as a request: a path outside the API, or the history of an object.
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
