import type { Json } from "../../../model/core.js";
import { decodeJson } from "../../decode/json.js";
import { drained, send } from "../response/send.js";
import { anonymous, type User } from "../../access/user.js";
import type { HttpContext } from "../context.js";
import { isDisconnected, type Exchange } from "../exchange.js";
import { readBody } from "../request/read-body.js";

/** An authenticated and authorized request below the path of an extension. */
export interface ExtensionRequest {
  readonly method: string;
  /** Path below the extension's own, without leading and trailing slash. */
  readonly path: string;
  /** First value of a query parameter. */
  parameter(name: string): string | undefined;
  readonly user: User;
  /** Reads the body as JSON; undefined without a body. */
  json(): Promise<Json | undefined>;
  /** Body as a stream. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/** Response of an extension: JSON, text, or a stream that is read no faster than the client reads. */
export type ExtensionResponse =
  | { readonly code?: number; readonly json: unknown }
  | { readonly code?: number; readonly type: string; readonly text: string }
  | { readonly type: string; readonly stream: AsyncIterable<string | Uint8Array> };

/**
 * Paths served beside the Kubernetes API. Errors are ApiErrors. A request with `follow=true` has no timeout and counts as a
 * watch.
 */
export interface Extension {
  /** Path prefix, such as `/fettle/v1`. */
  readonly path: string;
  /** Handles a request; undefined responds with 404. */
  serve(request: ExtensionRequest): Promise<ExtensionResponse | undefined>;
}

export function extensionFor(extensions: readonly Extension[], path: string): Extension | undefined {
  return extensions.find((each) => path === each.path || path.startsWith(`${each.path}/`));
}

/** True for `follow=true`: the response lasts until the client disconnects. */
export function isFollowing({ rawQuery, query }: Exchange): boolean {
  return rawQuery.includes("follow=") && query.get("follow")?.[0] === "true";
}

/** Responds to a request; false when the extension has nothing at the path. */
export async function serveExtension(
  extension: Extension,
  exchange: Exchange,
  path: string,
  { limits, watches }: HttpContext,
): Promise<boolean> {
  const abort = new AbortController();
  const disconnect = (): void => abort.abort(new Error("the client disconnected"));
  exchange.response.once("close", disconnect);
  watches.set(abort, exchange);
  try {
    const response = await extension.serve({
      method: exchange.method,
      path: path.slice(extension.path.length).replaceAll(/^\/|\/$/g, ""),
      parameter: (name) => exchange.query.get(name)?.[0],
      user: exchange.user ?? anonymous,
      json: async () => parse(await readBody(exchange, limits.bodyBytes)),
      body: exchange.request,
      signal: abort.signal,
    });
    if (response === undefined) return false;
    if ("json" in response) {
      await send(exchange, response.code ?? 200, "application/json", `${JSON.stringify(response.json)}\n`);
    } else if ("text" in response) {
      await send(exchange, response.code ?? 200, response.type, response.text);
    } else {
      await sendStream(exchange, response.type, response.stream);
    }
    return true;
  } finally {
    watches.delete(abort);
    exchange.response.off("close", disconnect);
  }
}

function parse(body: Buffer): Json | undefined {
  return body.length === 0 ? undefined : decodeJson(body).object;
}

async function sendStream(
  exchange: Exchange,
  type: string,
  stream: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const { response } = exchange;
  if (exchange.over) return;
  response.writeHead(200, [
    "Audit-Id",
    exchange.auditId,
    "Content-Type",
    type,
    "Cache-Control",
    "no-cache, private",
  ]);
  response.flushHeaders();
  for await (const chunk of stream) {
    if (isDisconnected(response)) return;
    if (!response.write(chunk) && !(await drained(response, isDisconnected(response)))) return;
  }
  response.end();
}
