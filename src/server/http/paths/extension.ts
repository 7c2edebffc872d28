import type { Json } from "../../../model/core.js";
import { decodeJson } from "../../decode/json.js";
import { drained, send } from "../response/send.js";
import type { User } from "../../access/user.js";
import type { HttpContext } from "../context.js";
import { isDisconnected, type Exchange } from "../exchange.js";
import { readBody } from "../request/read-body.js";

/** A request below the path of an extension. Who asks has been checked, and so has what they may. */
export interface ExtensionRequest {
  readonly method: string;
  /** What follows the extension's own path, without a slash at either end. */
  readonly path: string;
  /** A parameter of the query: the first one of the name. */
  parameter(name: string): string | undefined;
  readonly user: User;
  /** The body as JSON; undefined when there is none. */
  json(): Promise<Json | undefined>;
  /** The body as it comes. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client is gone or the server closes. */
  readonly signal: AbortSignal;
}

/** What is answered: JSON, or a stream that goes no faster than the client reads. */
export type ExtensionAnswer =
  | { readonly code?: number; readonly json: unknown }
  | { readonly code?: number; readonly type: string; readonly text: string }
  | { readonly type: string; readonly stream: AsyncIterable<string | Uint8Array> };

/**
 * More that is served beside the API, at a path of its own. Failures are ApiErrors. A request with `follow=true` may take as
 * long as it likes and counts as a watch.
 */
export interface Extension {
  /** Such as `/fettle/v1`. */
  readonly path: string;
  /** Undefined when there is nothing at that path. */
  serve(request: ExtensionRequest): Promise<ExtensionAnswer | undefined>;
}

export function extensionFor(extensions: readonly Extension[], path: string): Extension | undefined {
  return extensions.find((each) => path === each.path || path.startsWith(`${each.path}/`));
}

/** Whether a request is answered for as long as the client stays. */
export function isFollowing({ rawQuery, query }: Exchange): boolean {
  return rawQuery.includes("follow=") && query.get("follow")?.[0] === "true";
}

/** Answers a request; false when there is nothing at the path. */
export async function serveExtension(
  extension: Extension,
  exchange: Exchange,
  path: string,
  { limits, watches }: HttpContext,
): Promise<boolean> {
  const ending = new AbortController();
  const end = (): void => ending.abort(new Error("the client is gone"));
  exchange.response.once("close", end);
  watches.add(ending);
  try {
    const answer = await extension.serve({
      method: exchange.method,
      path: path.slice(extension.path.length).replaceAll(/^\/|\/$/g, ""),
      parameter: (name) => exchange.query.get(name)?.[0],
      user: exchange.user ?? { name: "", groups: [] },
      json: async () => parse(await readBody(exchange, limits.bodyBytes)),
      body: exchange.request,
      signal: ending.signal,
    });
    if (answer === undefined) return false;
    if ("json" in answer) {
      await send(exchange, answer.code ?? 200, "application/json", `${JSON.stringify(answer.json)}\n`);
    } else if ("text" in answer) {
      await send(exchange, answer.code ?? 200, answer.type, answer.text);
    } else {
      await sendStream(exchange, answer.type, answer.stream);
    }
    return true;
  } finally {
    watches.delete(ending);
    exchange.response.off("close", end);
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
