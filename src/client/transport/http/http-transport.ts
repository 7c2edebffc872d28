import {
  duration,
  systemClock,
  type Clock,
  type Duration,
  type KubeObject,
  type Random,
} from "../../../model/core.js";
import type { KindInfo } from "../../kinds/kind.js";
import type { Connection } from "../connection.js";
import type {
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Page,
  Patch,
  Scope,
  Selection,
  ObjectKey,
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../transport.js";
import { readJson } from "./answers/json.js";
import {
  acceptJson,
  acceptMetadata,
  acceptMetadataList,
  readDeleted,
  readKinds,
  readObject,
  readPage,
} from "./answers/objects.js";
import { callListener } from "../../async/call-listener.js";
import { warningsIn } from "./answers/warnings.js";
import { Caller, type Answer } from "./calls/caller.js";
import { RateLimit, type Rate } from "./calls/rate-limit.js";
import type { ApiRequest, RequestInfo, Verb } from "./calls/request.js";
import { RetryPolicy, type RetryOptions } from "./calls/retries.js";
import { readLines, type DocumentOptions } from "./documents.js";
import { collectionPath, objectPath, queryText, versionPath, type Query } from "./paths.js";
import { watch } from "./watch/watch.js";

export type { HttpTransport, RequestInfo };

export interface HttpTransportOptions {
  readonly connection: Connection;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** What the server is told this program is; up to a slash, the field manager of writes that name none. */
  readonly userAgent?: string | undefined;
  /** How many requests are sent at most; false for no limit. Watches do not count. Default 50 a second, 100 at once. */
  readonly rate?: Rate | false | undefined;
  /**
   * How long a call may take, repetitions included, until it fails with a 504 Timeout; 0 for no limit. Default 30s. It
   * does not count the wait for the rate limit; a timeout that is given with a call does.
   */
  readonly timeout?: Duration | undefined;
  /** How often calls are repeated; false for never. */
  readonly retries?: RetryOptions | false | undefined;
  /** Is told of every request, for metrics. */
  readonly onRequest?: ((info: RequestInfo) => void) | undefined;
}

const patchTypes: Readonly<Record<Patch["type"], string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  // JSON is YAML too.
  apply: "application/apply-patch+yaml",
};

/**
 * Reaches an API server over the network.
 *
 * @example
 * await using transport = httpTransport({ connection: { server: "http://127.0.0.1:8001", namespace: "default" } });
 * const [configMap] = await transport.discover("v1");
 */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  return new HttpTransport(options);
}

/** What differs from verb to verb; the rest is the same for all. */
interface Asked extends Partial<Pick<ApiRequest, "accept" | "contentType" | "idempotent">> {
  readonly method: ApiRequest["method"];
  readonly path: string;
  readonly query?: Query;
  readonly content?: unknown;
}

class HttpTransport implements Transport {
  readonly namespace: string;
  readonly #caller: Caller;
  readonly #clock: Clock;
  /** What stands before every path, where the API is not at the root of its host. */
  readonly #prefix: string;

  constructor({
    connection,
    clock = systemClock,
    random,
    userAgent = "fettle",
    rate = { perSecond: 50, burst: 100 },
    timeout = "30s",
    retries,
    onRequest = () => {},
  }: HttpTransportOptions) {
    const server = serverUrl(connection.server);
    this.namespace = connection.namespace;
    this.#clock = clock;
    this.#prefix = server.pathname.replace(/\/+$/, "");
    this.#caller = new Caller({
      connection,
      server,
      clock,
      userAgent,
      onRequest,
      policy: new RetryPolicy(retries, random),
      limit: rate === false ? undefined : new RateLimit(rate, clock),
      timeout: duration(timeout),
    });
  }

  async discover(apiVersion: string, options: CallOptions = {}): Promise<readonly KindInfo[]> {
    const title = `discover the kinds of ${apiVersion}`;
    const request = this.#request("discover", title, { method: "GET", path: versionPath(apiVersion) });
    const { body } = await this.#caller.call(request, options);
    return readKinds(readJson(body, title), apiVersion);
  }

  async get(kind: KindInfo, target: ObjectKey, options: GetOptions = {}): Promise<KubeObject> {
    const { metadataOnly, resourceVersion, subresource } = options;
    const request = this.#request("get", titleOf("get", kind, target), {
      method: "GET",
      path: objectPath(kind, target, subresource),
      query: { resourceVersion },
      ...(metadataOnly === true && { accept: acceptMetadata }),
    });
    const { body } = await this.#caller.call(request, options);
    return readObject(readJson(body, request.title), { kind, metadataOnly });
  }

  async list(kind: KindInfo, scope: Scope, options: ListOptions = {}): Promise<Page> {
    const { metadataOnly, signal: _signal, timeout: _timeout, ...query } = options;
    const request = this.#request("list", titleOf("list", kind, scope), {
      method: "GET",
      path: collectionPath(kind, scope),
      query,
      ...(metadataOnly === true && { accept: acceptMetadataList }),
    });
    const { body } = await this.#caller.call(request, options);
    return readPage(readJson(body, request.title), { kind, metadataOnly });
  }

  watch(
    kind: KindInfo,
    scope: Scope,
    options: WatchOptions = {},
  ): AsyncGenerator<readonly WatchEvent[], void, undefined> {
    const { metadataOnly, signal: _signal, ...query } = options;
    const request = this.#request("watch", titleOf("watch", kind, scope), {
      method: "GET",
      path: collectionPath(kind, scope),
      query: { watch: true, ...query },
      ...(metadataOnly === true && { accept: acceptMetadata }),
    });
    return watch({ caller: this.#caller, clock: this.#clock, request, options, kind, metadataOnly });
  }

  async create(kind: KindInfo, scope: Scope, body: unknown, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#write(kind, titleOf("create", kind, scope), options, "create", {
      method: "POST",
      path: collectionPath(kind, scope),
      content: body,
      contentType: "application/json",
    });
  }

  async update(
    kind: KindInfo,
    target: ObjectKey,
    body: unknown,
    options: WriteOptions = {},
  ): Promise<KubeObject> {
    return this.#write(kind, titleOf("update", kind, target), options, "update", {
      method: "PUT",
      path: objectPath(kind, target, options.subresource),
      content: body,
      contentType: "application/json",
    });
  }

  async patch(
    kind: KindInfo,
    target: ObjectKey,
    { type, body, force }: Patch,
    options: WriteOptions = {},
  ): Promise<KubeObject> {
    const verb = type === "apply" ? "apply" : "patch";
    return this.#write(kind, titleOf(verb, kind, target), options, verb, {
      method: "PATCH",
      path: objectPath(kind, target, options.subresource),
      query: { force: force === true ? true : undefined },
      content: body,
      contentType: patchTypes[type],
      // Other patches would take back what somebody has changed in between.
      idempotent: type === "apply",
    });
  }

  async delete(
    kind: KindInfo,
    target: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<KubeObject | undefined> {
    const request = this.#request("delete", titleOf("delete", kind, target), {
      method: "DELETE",
      path: objectPath(kind, target),
      // Otherwise it might be another that has got the name in between.
      idempotent: options.preconditions?.uid !== undefined || options.dryRun === true,
      ...deletion(options),
    });
    const { body } = await this.#caller.call(request, options);
    return readDeleted(readJson(body, request.title), kind);
  }

  async deleteCollection(
    kind: KindInfo,
    scope: Scope,
    { labelSelector, fieldSelector }: Selection = {},
    options: DeleteOptions = {},
  ): Promise<readonly KubeObject[]> {
    const request = this.#request("deletecollection", titleOf("delete all", kind, scope), {
      method: "DELETE",
      path: collectionPath(kind, scope),
      query: { labelSelector, fieldSelector },
      idempotent: options.dryRun === true,
      ...deletion(options),
    });
    const { body } = await this.#caller.call(request, options);
    return readPage(readJson(body, request.title), { kind }).items;
  }

  /**
   * What the server has at a path besides its objects, which is always a JSON object.
   *
   * @example
   * await transport.document("/openapi/v3");
   */
  async document(path: string, options: DocumentOptions = {}): Promise<Record<string, unknown>> {
    const request = this.#documentRequest("get", path, options);
    const { body } = await this.#caller.call(request, options);
    return readJson(body, request.title);
  }

  /** JSON values, one a line, for as long as the server has some to send; ends when the signal aborts. */
  lines(path: string, options: DocumentOptions = {}): AsyncGenerator<unknown, void, undefined> {
    const request = this.#documentRequest("watch", path, options);
    return readLines(() => this.#caller.open(request, options.signal), request.title, options.signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#caller.close();
  }

  async #write(
    kind: KindInfo,
    title: string,
    options: WriteOptions,
    verb: Verb,
    asked: Asked,
  ): Promise<KubeObject> {
    const { dryRun, fieldManager, fieldValidation, onWarning } = options;
    const request = this.#request(verb, title, {
      ...asked,
      query: { dryRun: dryRun === true ? "All" : undefined, fieldManager, fieldValidation, ...asked.query },
      // A rehearsal can be repeated whatever it is.
      idempotent: asked.idempotent === true || dryRun === true,
    });
    const answer: Answer = await this.#caller.call(request, options);
    if (onWarning !== undefined) {
      for (const text of warningsIn(answer.headers.warning)) callListener("onWarning", () => onWarning(text));
    }
    return readObject(readJson(answer.body, title), { kind });
  }

  #documentRequest(verb: "get" | "watch", path: string, options: DocumentOptions): ApiRequest {
    const { query = {}, accept = acceptJson, content } = options;
    const method = options.method ?? (content === undefined ? "GET" : "POST");
    return this.#request(verb, `${method === "GET" ? "read" : method} ${path}`, {
      method,
      path,
      query,
      accept,
      ...(content !== undefined && { content, contentType: "application/json" }),
    });
  }

  #request(
    verb: Verb,
    title: string,
    { method, path, query = {}, content, accept = acceptJson, contentType, idempotent }: Asked,
  ): ApiRequest {
    return {
      verb,
      title,
      method,
      path: this.#prefix + path + queryText(query),
      body: content === undefined ? undefined : JSON.stringify(content),
      accept,
      contentType,
      idempotent: idempotent ?? method === "GET",
    };
  }
}

function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new TypeError(
    `${JSON.stringify(server)} is no address of a server: write it as in "https://127.0.0.1:6443"`,
  );
}

function titleOf(verb: string, { plural }: KindInfo, { name, namespace }: Partial<ObjectKey>): string {
  const what = name === undefined ? plural : `${plural}/${name}`;
  return namespace === undefined ? `${verb} ${what}` : `${verb} ${what} in the namespace ${namespace}`;
}

/** The body of a delete, where it says more than the default. */
function deletion({
  propagationPolicy,
  gracePeriodSeconds,
  preconditions,
  dryRun,
}: DeleteOptions): Partial<Asked> {
  const said = {
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions !== undefined && { preconditions }),
    ...(dryRun === true && { dryRun: ["All"] }),
  };
  if (Object.keys(said).length === 0) return {};
  return {
    content: { apiVersion: "v1", kind: "DeleteOptions", ...said },
    contentType: "application/json",
  };
}
