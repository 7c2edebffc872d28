import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { User } from "../access/user.js";
import type { InFlightSlot } from "./limits/in-flight.js";
import type { RequestSeries } from "./metrics/request-metrics.js";
import { AbortedError } from "./request/aborted-error.js";
import { parseQuery, type Query } from "./request/query.js";
import { Warnings } from "./response/warnings.js";

/** Request over HTTP/1 or HTTP/2; only properties that both have are used. */
export type HttpRequest = IncomingMessage;
export type HttpResponse = ServerResponse;

const maxAuditIdLength = 128;

/** One HTTP request with its response, and the state of handling it. */
export class Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly method: string;
  /** Path as it was sent, percent-encoded. */
  readonly rawPath: string;
  /** Query as it was sent, without the question mark. */
  readonly rawQuery: string;
  /** Start in milliseconds of the monotonic clock (`performance.now()`). */
  readonly started: number;
  /** Time at which the response must be complete; undefined for watches. */
  deadline: number | undefined;
  user: User | undefined;
  /** Metric series that counts the request. */
  series: RequestSeries | undefined;
  /** Slot among the requests in flight, acquired or queued for. */
  slot: InFlightSlot | undefined;
  /** True when errors are sent as problems (RFC 9457). */
  hasProblems = false;
  /** True when the client sent `Expect: 100-continue` and waits for that response. */
  expectsContinue = false;
  /** True once the request was counted and its slot released. */
  finished = false;
  #query: Query | undefined;
  #warnings: Warnings | undefined;
  #auditId: string | undefined;
  #abort: AbortController | undefined;

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

  /** Values of the `Warning` header; undefined without warnings. */
  get warningHeaders(): readonly string[] | undefined {
    return this.#warnings?.headers;
  }

  /** Value of `Audit-Id`: the client's, or a new UUID. */
  get auditId(): string {
    if (this.#auditId === undefined) {
      const { "audit-id": given } = this.request.headers;
      const usable = typeof given === "string" && given !== "" && given.length <= maxAuditIdLength;
      this.#auditId = usable ? given : randomUUID();
    }
    return this.#auditId;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return typeof value === "string" ? value : value?.[0];
  }

  /** Host and port that the client addressed. */
  get host(): string | undefined {
    return this.header(":authority") ?? this.request.headers.host;
  }

  /** Aborts when the client disconnects or the time for the response is up. Created on first use, since most requests need none. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      // One request may delete many objects at once.
      setMaxListeners(0, this.#abort.signal);
      if (this.over) this.abort();
      else this.response.once("close", () => this.finished || this.abort());
    }
    return this.#abort.signal;
  }

  /** Ends work whose outcome nobody receives. */
  abort(): void {
    this.#abort?.abort(new AbortedError("the client disconnected"));
  }

  /** True when no response can be started: it was started before, or the client disconnected. */
  get over(): boolean {
    const { response } = this;
    return this.finished || response.headersSent || response.writableEnded || isDisconnected(response);
  }
}

/** True when the client disconnected. With HTTP/2, only the stream has that state. */
export function isDisconnected(response: HttpResponse): boolean {
  const { stream } = response as { stream?: { readonly destroyed: boolean } };
  return stream === undefined ? response.destroyed : stream.destroyed;
}

export function isHttp2(response: HttpResponse): boolean {
  return "stream" in response;
}

/** Path and query of a request target; proxies may send an absolute URL (`GET http://host/path`). */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const scheme = target.indexOf("://");
  if (scheme < 0) return target;
  const path = target.indexOf("/", scheme + 3);
  return path < 0 ? "/" : target.slice(path);
}
