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
  Selection,
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../transport.js";
import type { ObjectKey, Scope } from "../../../model/object/object-key.js";
import { readJson } from "./responses/json.js";
import {
  acceptJson,
  acceptMetadata,
  acceptMetadataList,
  readDeleted,
  readKinds,
  readObject,
  readPage,
} from "./responses/objects.js";
import { callListener } from "../../async/call-listener.js";
import { warningsIn } from "./responses/warnings.js";
import { RequestSender, type CompleteResponse } from "./calls/request-sender.js";
import { RateLimit, type Rate } from "./calls/rate-limit.js";
import type { OutgoingRequest, RequestInfo, RequestVerb } from "./calls/request.js";
import { RetryPolicy, type RequestRetryOptions } from "./calls/retries.js";
import { readBytes, readJsonLines, type DocumentOptions } from "./documents.js";
import { collectionPath, objectPath, queryText, versionPath, type QueryParameters } from "./paths.js";
import { streamWatch } from "./watch/watch.js";

export type { HttpTransport, RequestInfo };

export interface HttpTransportOptions {
  readonly connection: Connection;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** User-Agent header; its part before the slash is the default field manager of the server. */
  readonly userAgent?: string | undefined;
  /** Client-side rate limit, without watches; false for none. Default: 50 per second, 100 at once. */
  readonly rate?: Rate | false | undefined;
  /**
   * Timeout of a call including retries, after which it fails with a 504; 0 for none. Default: 30s. The wait for the rate limit
   * does not count; it does count towards the timeout of a single call.
   */
  readonly timeout?: Duration | undefined;
  /** Retries of failed calls; false for none. */
  readonly retries?: RequestRetryOptions | false | undefined;
  /** Called for every request, for metrics. */
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
 * Creates a transport to an API server over HTTP.
 *
 * @example
 * await using transport = httpTransport({ connection: { server: "http://127.0.0.1:8001", namespace: "default" } });
 * const [configMap] = await transport.discover("v1");
 */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  return new HttpTransport(options);
}

/** Parts of a request that depend on the verb. */
interface RequestParts extends Partial<Pick<OutgoingRequest, "accept" | "contentType" | "idempotent">> {
  readonly method: OutgoingRequest["method"];
  readonly path: string;
  readonly query?: QueryParameters;
  readonly content?: unknown;
}

class HttpTransport implements Transport {
  readonly namespace: string;
  readonly #sender: RequestSender;
  readonly #clock: Clock;
  /** Path of the API on its host; empty for the root. */
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
    this.#sender = new RequestSender({
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
    const { body } = await this.#sender.call(request, options);
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
    const { body } = await this.#sender.call(request, options);
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
    const { body } = await this.#sender.call(request, options);
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
    return streamWatch({ sender: this.#sender, clock: this.#clock, request, options, kind, metadataOnly });
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
      // A repeated patch of another type could revert a change made in between.
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
      // Without a uid, a repeated delete could hit another object of the same name.
      idempotent: options.preconditions?.uid !== undefined || options.dryRun === true,
      ...deletion(options),
    });
    const { body } = await this.#sender.call(request, options);
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
    const { body } = await this.#sender.call(request, options);
    return readPage(readJson(body, request.title), { kind }).items;
  }

  /**
   * Reads a JSON object at a path without a kind.
   *
   * @example
   * await transport.document("/openapi/v3");
   */
  async document(path: string, options: DocumentOptions = {}): Promise<Record<string, unknown>> {
    const request = this.#documentRequest("get", path, options);
    const { body } = await this.#sender.call(request, options);
    return readJson(body, request.title);
  }

  /** Reads newline-delimited JSON until the server ends the stream or the signal aborts. */
  lines(path: string, options: DocumentOptions = {}): AsyncGenerator<unknown, void, undefined> {
    const { title } = this.#documentRequest("watch", path, options);
    return readJsonLines(this.bytes(path, options), title);
  }

  /** Reads a response of any type until the server ends it or the signal aborts, no faster than the consumer reads. */
  bytes(path: string, options: DocumentOptions = {}): AsyncGenerator<Buffer, void, undefined> {
    const request = this.#documentRequest("watch", path, options);
    return readBytes(() => this.#sender.open(request, options.signal), options.signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#sender.close();
  }

  async #write(
    kind: KindInfo,
    title: string,
    options: WriteOptions,
    verb: RequestVerb,
    parts: RequestParts,
  ): Promise<KubeObject> {
    const { dryRun, fieldManager, fieldValidation, onWarning } = options;
    const request = this.#request(verb, title, {
      ...parts,
      query: { dryRun: dryRun === true ? "All" : undefined, fieldManager, fieldValidation, ...parts.query },
      // A dry run is always idempotent.
      idempotent: parts.idempotent === true || dryRun === true,
    });
    const response: CompleteResponse = await this.#sender.call(request, options);
    if (onWarning !== undefined) {
      for (const text of warningsIn(response.headers.warning))
        callListener("onWarning", () => onWarning(text));
    }
    return readObject(readJson(response.body, title), { kind });
  }

  #documentRequest(verb: "get" | "watch", path: string, options: DocumentOptions): OutgoingRequest {
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
    verb: RequestVerb,
    title: string,
    { method, path, query = {}, content, accept = acceptJson, contentType, idempotent }: RequestParts,
  ): OutgoingRequest {
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
    `${JSON.stringify(server)} is not the URL of a server: use one such as "https://127.0.0.1:6443"`,
  );
}

function titleOf(verb: string, { plural }: KindInfo, { name, namespace }: Partial<ObjectKey>): string {
  const what = name === undefined ? plural : `${plural}/${name}`;
  return namespace === undefined ? `${verb} ${what}` : `${verb} ${what} in the namespace ${namespace}`;
}

/** DeleteOptions body; undefined for the defaults. */
function deletion({
  propagationPolicy,
  gracePeriodSeconds,
  preconditions,
  dryRun,
}: DeleteOptions): Partial<RequestParts> {
  const options = {
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions !== undefined && { preconditions }),
    ...(dryRun === true && { dryRun: ["All"] }),
  };
  if (Object.keys(options).length === 0) return {};
  return {
    content: { apiVersion: "v1", kind: "DeleteOptions", ...options },
    contentType: "application/json",
  };
}
