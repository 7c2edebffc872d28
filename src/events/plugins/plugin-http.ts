import type * as Undici from "undici";
import { duration, systemClock, within, type Clock, type Duration } from "../../model/core.js";
import { messageOf } from "../../runtime/log/message-of.js";
import type { PluginPermissions } from "./permissions.js";

export interface PluginRequest {
  /** Default: GET, or POST with a body. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Body as JSON. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array | undefined;
  /** Time limit, with reading the response. Default: 10s. */
  readonly timeout?: Duration | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PluginResponse {
  readonly status: number;
  /** True for 200 to 299. */
  readonly ok: boolean;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  /** @throws {SyntaxError} */
  json(): unknown;
}

/** HTTP client of a plugin. Every call has a time limit and a limit for its response, and follows no redirects. */
export interface PluginHttp {
  /** @throws {PluginHttpError} if there is no response. @throws {PluginPermissionError} */
  request(url: string | URL, request?: PluginRequest): Promise<PluginResponse>;
  get(url: string | URL, request?: Omit<PluginRequest, "method" | "body" | "json">): Promise<PluginResponse>;
  post(url: string | URL, request?: Omit<PluginRequest, "method">): Promise<PluginResponse>;
}

/** A request of a plugin that got no response. */
export class PluginHttpError extends Error {
  override readonly name = "PluginHttpError";
}

export interface PluginHttpOptions {
  readonly plugin: string;
  readonly permissions: PluginPermissions;
  readonly clock?: Clock | undefined;
  /** Ends all requests. */
  readonly signal: AbortSignal;
}

const defaultTimeout = "10s";
const maxResponse = 10 * 2 ** 20;

export function pluginHttp({
  plugin,
  permissions,
  clock = systemClock,
  signal: stopped,
}: PluginHttpOptions): PluginHttp {
  const request = async (address: string | URL, options: PluginRequest = {}): Promise<PluginResponse> => {
    const url = urlOf(plugin, address);
    permissions.checkHost(url);
    const { timeout = defaultTimeout, signal } = options;
    const limit = {
      clock,
      limit: duration(timeout),
      what: `the request of plugin ${plugin} to ${url.host}`,
      // A signal per request: Node warns of a leak when many requests listen to one.
      signal: AbortSignal.any(signal === undefined ? [stopped] : [stopped, signal]),
    };
    // Loading takes a fifth of a whole start, and not every plugin makes requests.
    const undici = await import("undici");
    return within(limit, (limited) => send(undici, url, options, limited, plugin));
  };
  return {
    request,
    get: (url, options) => request(url, { ...options, method: "GET" }),
    post: (url, options) => request(url, { ...options, method: "POST" }),
  };
}

function urlOf(plugin: string, address: string | URL): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new PluginHttpError(`plugin ${plugin}: the address of a request must begin with http:// or https://`);
}

async function send(
  undici: typeof Undici,
  url: URL,
  { method, headers = {}, json, body = json === undefined ? undefined : JSON.stringify(json) }: PluginRequest,
  signal: AbortSignal,
  plugin: string,
): Promise<PluginResponse> {
  try {
    const response = await undici.request(url, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { ...(json !== undefined && { "content-type": "application/json" }), ...headers },
      body: body ?? null,
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const text = await readBody(response.body);
    const { statusCode: status } = response;
    return {
      status,
      ok: status >= 200 && status < 300,
      headers: response.headers,
      body: text,
      json: () => JSON.parse(text) as unknown,
    };
  } catch (error) {
    if (signal.aborted || error instanceof PluginHttpError) throw error;
    const { errors } = error as { readonly errors?: readonly unknown[] };
    const reason = messageOf(error) || messageOf(errors?.[0]);
    throw new PluginHttpError(`plugin ${plugin}: ${url.host} could not be reached: ${reason}`, {
      cause: error,
    });
  }
}

async function readBody(body: AsyncIterable<Uint8Array> & { destroy(): unknown }): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxResponse) {
      body.destroy();
      throw new PluginHttpError(`the response has more than ${maxResponse} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
