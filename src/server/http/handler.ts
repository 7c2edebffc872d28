import { statusOf } from "../../model/errors/api-error.js";
import { failureStatus } from "../../model/errors/status.js";
import { asApiError, failures } from "../../model/core.js";
import { isPretty } from "./response/is-pretty.js";
import { problemDetails, problemType } from "./response/problem.js";
import { send, sendStatus, sendText } from "./response/send.js";
import type { Authenticate } from "./auth/authenticate.js";
import type { HostCheck } from "./auth/hosts.js";
import { checkHeaders } from "./auth/refused-headers.js";
import { anonymous, type User } from "../access/user.js";
import type { HttpContext } from "./context.js";
import { Exchange, type HttpRequest, type HttpResponse } from "./exchange.js";
import { Deadlines } from "../../model/time/deadlines.js";
import { costOfList, limitOf, type InFlight, type RequestLoad } from "./limits/in-flight.js";
import { PageNotFound } from "../request/resolve.js";
import type { Verb } from "../resources/resource-type.js";
import { isSubresource } from "../resources/subresources.js";
import {
  extensionFor,
  isFollowing,
  serveExtension,
  serveUpgrade,
  type Extension,
} from "./paths/extension.js";
import { servePath, type PathParts } from "./paths/serve-path.js";
import { AbortedError } from "./request/aborted-error.js";
import { decodePath, parseResourcePath, verbOf, type ResourcePath } from "./request/path.js";
import { timeoutOf } from "./request/timeout.js";
import { respond } from "./respond.js";
import type { SocketUpgrade } from "./socket/accept-websocket.js";
import { serveWatch } from "./watch/serve-watch.js";
import { webSocketWatch } from "./watch/serve-websocket.js";

/** Parts of a server that handle its requests. */
export interface HandlerParts extends PathParts {
  readonly context: HttpContext;
  readonly hosts: HostCheck;
  readonly authenticate: Authenticate;
  readonly inFlight: InFlight;
  readonly extensions: readonly Extension[];
}

/** Status code in metrics for clients that disconnected before the response, as in nginx. */
const clientClosedRequest = 499;

/** User, verb and path of a request. */
interface RequestTarget {
  readonly user: User;
  readonly verb: string;
  readonly path: string;
  readonly resource: ResourcePath | undefined;
  readonly extension: Extension | undefined;
  /** Set for a WebSocket. */
  readonly upgrade: SocketUpgrade | undefined;
}

const metricVerbs = new Map([
  ["get", "GET"],
  ["list", "LIST"],
  ["watch", "WATCH"],
  ["create", "POST"],
  ["update", "PUT"],
  ["patch", "PATCH"],
  ["delete", "DELETE"],
  ["deletecollection", "DELETECOLLECTION"],
]);

/** Handles every request in the same steps: check the host, authenticate, wait for a free slot, authorize, respond. */
export class Handler {
  readonly #parts: HandlerParts;
  readonly #deadlines: Deadlines<Exchange>;
  /** Requests without a complete response. */
  #open = 0;
  #onIdle: (() => void) | undefined;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
    this.#deadlines = new Deadlines(parts.context.clock, (exchange) => this.#expire(exchange));
  }

  /** Resolves when all responses are complete. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open === 0) resolve();
      else this.#onIdle = resolve;
    });
  }

  handle(
    request: HttpRequest,
    response: HttpResponse,
    { expectsContinue = false, upgrade }: { expectsContinue?: boolean; upgrade?: SocketUpgrade } = {},
  ): void {
    const exchange = new Exchange(request, response);
    exchange.expectsContinue = expectsContinue;
    this.#open++;
    try {
      const responding = this.#serve(exchange, upgrade);
      if (responding === undefined) this.#finish(exchange);
      else {
        responding.then(
          () => this.#finish(exchange),
          (error: unknown) => this.#fail(exchange, error),
        );
      }
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #serve(exchange: Exchange, upgrade: SocketUpgrade | undefined): void | Promise<void> {
    const { hosts, authenticate, context } = this.#parts;
    const { request, method, host } = exchange;
    if (host === undefined && request.httpVersion !== "1.0") {
      throw failures.badRequest("the Host header is missing");
    }
    checkHeaders(request);
    hosts.check(host, request.headers.origin);
    const path = decodePath(exchange.rawPath);
    const { resource, extension } = this.#find(path);
    exchange.hasProblems = extension?.errors === "problem";
    const user = authenticate(request) ?? anonymous;
    exchange.user = user;

    const verb = resource ? verbOf(method, resource, () => exchange.query) : method.toLowerCase();
    const target: RequestTarget = { user, verb, path, resource, extension, upgrade };
    const kind = isLasting(exchange, target) ? "watches" : limitOf(verb);
    if (kind !== "watches") this.#setDeadline(exchange, context.limits.requestTimeout);
    const cost = verb === "list" ? costOf(exchange) : 1;
    const ready = isExempt(path) ? undefined : this.#acquireSlot(exchange, { kind, user: user.name, cost });
    if (ready === undefined) return this.#respond(exchange, target);
    return ready.then(() => (exchange.finished ? undefined : this.#respond(exchange, target)));
  }

  /** Resource or extension at a path. The core group has only the version v1, so that extensions may serve others: `/api/v2`. */
  #find(path: string): Pick<RequestTarget, "resource" | "extension"> {
    const resource = parseResourcePath(path);
    if (resource !== undefined && (resource.group !== "" || resource.version === "v1")) {
      return { resource, extension: undefined };
    }
    const extension = extensionFor(this.#parts.extensions, path);
    return extension === undefined ? { resource, extension } : { resource: undefined, extension };
  }

  /** Acquires a slot among the requests in flight. Resolves when the request may start; undefined when it may start now. */
  #acquireSlot(exchange: Exchange, load: RequestLoad): Promise<void> | undefined {
    const slot = this.#parts.inFlight.acquire(load);
    exchange.slot = slot;
    const { ready } = slot;
    if (ready === undefined) return undefined;
    // Stop queueing if the client disconnects.
    const { response } = exchange;
    return new Promise((resolve, reject) => {
      const disconnect = (): void => reject(new AbortedError("the client disconnected"));
      response.once("close", disconnect);
      ready.then(resolve, reject).finally(() => response.off("close", disconnect));
    });
  }

  #respond(exchange: Exchange, target: RequestTarget): void | Promise<void> {
    const { metrics, context, types } = this.#parts;
    const { user, verb, path, resource, extension, upgrade } = target;
    if (resource === undefined) {
      const attributes = { user, verb, path };
      if (extension === undefined) {
        return context.pipeline.handlePath(attributes, () => servePath(this.#parts, exchange, path));
      }
      const serve = (): Promise<void> => this.#serveExtension(extension, exchange, path, upgrade);
      return context.pipeline.handlePath(attributes, serve, { authorize: extension.access !== "own" });
    }
    const type = types.find(resource.group, resource.version, resource.resource);
    if (type !== undefined) {
      exchange.series = metrics.ofResource(type, metricVerbs.get(verb) ?? "", metricSubresource(resource));
    }
    const line = { user, verb: verb as Verb, path: resource, type };
    if (verb !== "watch") return respond(context, exchange, line);
    const watch = upgrade === undefined ? serveWatch : webSocketWatch(upgrade);
    return watch(context, exchange, line);
  }

  async #serveExtension(
    extension: Extension,
    exchange: Exchange,
    path: string,
    upgrade: SocketUpgrade | undefined,
  ): Promise<void> {
    const { metrics, context } = this.#parts;
    exchange.series = metrics.ofPath(extension.path);
    const served =
      upgrade === undefined || extension.upgrade === undefined
        ? await serveExtension(extension, exchange, path, context)
        : await serveUpgrade(extension, exchange, path, context, upgrade);
    if (!served) throw new PageNotFound();
  }

  #setDeadline(exchange: Exchange, maximum: number): void {
    const requested = exchange.rawQuery.includes("timeout=") ? timeoutOf(exchange.query) : undefined;
    this.#deadlines.add(exchange, requested === undefined ? maximum : Math.min(requested, maximum));
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof AbortedError) {
      this.#finish(exchange);
      return;
    }
    const { onError } = this.#parts.context;
    try {
      if (asApiError(error) === undefined && !(error instanceof PageNotFound)) onError(error);
      if (exchange.response.headersSent) exchange.response.destroy();
      else if (exchange.hasProblems) sendProblem(exchange, error);
      else if (error instanceof PageNotFound) sendText(exchange, 404, "404 page not found\n");
      else sendFailure(exchange, error);
    } catch (sendError) {
      onError(sendError);
      exchange.response.destroy();
    }
    this.#finish(exchange);
  }

  /** Responds with 504. Work that is still under way finds the exchange finished, and sends nothing. */
  #expire(exchange: Exchange): void {
    if (exchange.finished) return;
    this.#fail(exchange, failures.timeout("request did not complete within the allotted timeout"));
    exchange.abort();
  }

  #finish(exchange: Exchange): void {
    if (exchange.finished) return;
    exchange.finished = true;
    this.#deadlines.delete(exchange);
    exchange.slot?.release();
    const series = exchange.series ?? this.#parts.metrics.other(exchange.method);
    const isWatch = series.labels.verb === "WATCH";
    const seconds = isWatch ? undefined : (performance.now() - exchange.started) / 1000;
    // Node's default is 200, also when nothing was sent because the client disconnected.
    const { headersSent, statusCode } = exchange.response;
    series.count(headersSent || statusCode !== 200 ? statusCode : clientClosedRequest, seconds);
    if (--this.#open === 0) this.#onIdle?.();
  }
}

/** True when the response may take any time. */
function isLasting(exchange: Exchange, { extension, upgrade }: RequestTarget): boolean {
  if (extension === undefined) return false;
  return isFollowing(exchange) || (upgrade !== undefined && extension.upgrade !== undefined);
}

const exemptPaths = /^\/(?:(?:healthz|livez|readyz)(?:\/|$)|(?:health|ready|metrics)$)/;

/** Health and metrics bypass the limits: they matter most when the server is overloaded. */
function isExempt(path: string): boolean {
  return path.length < 100 && exemptPaths.test(path);
}

function costOf({ rawQuery, query }: Exchange): number {
  return costOfList(rawQuery.includes("limit=") ? Number(query.get("limit")?.[0] ?? 0) : 0);
}

/** Subresource as a metric label; empty for unknown ones, since clients must not be able to create new series. */
function metricSubresource({ subresource }: ResourcePath): string {
  return subresource !== undefined && isSubresource(subresource) ? subresource : "";
}

function sendProblem(exchange: Exchange, error: unknown): void {
  const status =
    error instanceof PageNotFound
      ? failureStatus("NotFound", `there is nothing at ${exchange.rawPath}`)
      : statusOf(error);
  const { code, details } = status;
  const more = details?.retryAfterSeconds ? ["Retry-After", String(details.retryAfterSeconds)] : [];
  const problem = problemDetails(status, exchange.rawPath);
  void send(exchange, code, problemType, `${JSON.stringify(problem)}\n`, more);
}

function sendFailure(exchange: Exchange, error: unknown): void {
  const status = statusOf(error);
  void sendStatus(exchange, status.code, status, wantsPretty(exchange));
}

/** Defaults to false, since the query itself may be malformed. */
function wantsPretty(exchange: Exchange): boolean {
  try {
    return isPretty(exchange);
  } catch {
    return false;
  }
}
