import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { User } from "../access/user.js";
import type { InFlightPlace } from "./limits/in-flight.js";
import type { Series } from "./metrics/request-metrics.js";
import { parseQuery, type Query } from "./request/query.js";
import { Warnings } from "./response/warnings.js";

/** Requests over HTTP/1 and HTTP/2; only what both have is used. */
export type HttpRequest = IncomingMessage;
export type HttpResponse = ServerResponse;

const longestAuditId = 128;

/** One request and its answer, from the first header to the last byte. */
export class Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly method: string;
  /** As it was sent: what stands before and behind the question mark. */
  readonly rawPath: string;
  readonly rawQuery: string;
  /** Milliseconds of a clock that never jumps. */
  readonly started: number;
  /** The time at which the answer must have been given; undefined for watches. */
  deadline: number | undefined;
  user: User | undefined;
  /** Where it is counted. */
  series: Series | undefined;
  /** Its place among the requests in flight, or in the row of those who wait for one. */
  place: InFlightPlace | undefined;
  /** Whether the client waits to be told that its body is wanted. */
  expectsContinue = false;
  /** Whether everything that is done once at the end has been done. */
  settled = false;
  #query: Query | undefined;
  #warnings: Warnings | undefined;
  #auditId: string | undefined;

  constructor(request: HttpRequest, response: HttpResponse) {
    this.request = request;
    this.response = response;
    this.method = request.method ?? "GET";
    const target = originForm(request.url ?? "/");
    const mark = target.indexOf("?");
    this.rawPath = mark < 0 ? target : target.slice(0, mark);
    this.rawQuery = mark < 0 ? "" : target.slice(mark + 1);
    this.started = performance.now();
  }

  get query(): Query {
    this.#query ??= parseQuery(this.rawQuery);
    return this.#query;
  }

  get warnings(): Warnings {
    this.#warnings ??= new Warnings();
    return this.#warnings;
  }

  /** The values of the `Warning` header, if there was anything to warn of. */
  get warningHeaders(): readonly string[] | undefined {
    return this.#warnings?.headers;
  }

  /** The name of this exchange in logs, the client's own or a new one. */
  get auditId(): string {
    if (this.#auditId === undefined) {
      const { "audit-id": given } = this.request.headers;
      const usable = typeof given === "string" && given !== "" && given.length <= longestAuditId;
      this.#auditId = usable ? given : randomUUID();
    }
    return this.#auditId;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return typeof value === "string" ? value : value?.[0];
  }

  /** The address that the client believes to talk to. */
  get host(): string | undefined {
    return this.header(":authority") ?? this.request.headers.host;
  }

  /** Whether nobody can be answered any more, or somebody has been. */
  get over(): boolean {
    const { response } = this;
    return this.settled || response.headersSent || response.writableEnded || isGone(response);
  }
}

/** Whether nobody is there any more to be answered. HTTP/2 knows it of its streams only. */
export function isGone(response: HttpResponse): boolean {
  const { stream } = response as { stream?: { readonly destroyed: boolean } };
  return stream === undefined ? response.destroyed : stream.destroyed;
}

export function isHttp2(response: HttpResponse): boolean {
  return "stream" in response;
}

/** Proxies may send the whole address (`GET http://host/path`). */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const scheme = target.indexOf("://");
  if (scheme < 0) return target;
  const path = target.indexOf("/", scheme + 3);
  return path < 0 ? "/" : target.slice(path);
}
