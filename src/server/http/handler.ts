import { statusOf } from "../../model/errors/api-error.js";
import { asApiError, failures } from "../../model/core.js";
import { isPretty } from "./answer/form.js";
import { sendStatus, sendText } from "./answer/send.js";
import type { Authenticate } from "./auth/authenticate.js";
import type { HostCheck } from "./auth/hosts.js";
import { anonymous, type User } from "../access/user.js";
import type { HttpContext } from "./context.js";
import { Exchange, type HttpRequest, type HttpResponse } from "./exchange.js";
import { Deadlines } from "../../model/time/deadlines.js";
import { kindOf, widthOfList, type Guest, type InFlight } from "./limits/in-flight.js";
import { PageNotFound } from "../request/resolve.js";
import type { Verb } from "../resources/resource-type.js";
import { extensionFor, isFollowing, serveExtension, type Extension } from "./paths/extension.js";
import { servePath, type PathParts } from "./paths/serve-path.js";
import { decodePath, parseResourcePath, type ResourcePath } from "./request/path.js";
import { AbortedError } from "./request/read-body.js";
import { timeoutOf } from "./request/timeout.js";
import { verbOf } from "./request/verb.js";
import { respond } from "./respond.js";
import { serveWatch } from "./watch/serve-watch.js";

/** Parts of a server that handle its requests. */
export interface HandlerParts extends PathParts {
  readonly context: HttpContext;
  readonly hosts: HostCheck;
  readonly authenticate: Authenticate;
  readonly inFlight: InFlight;
  readonly extensions: readonly Extension[];
}

type Answering = void | Promise<void>;

/** What is counted for those who did not wait for their answer, as proxies do. */
const goneCode = 499;

/** User, verb and path of a request. */
interface RequestTarget {
  readonly user: User;
  readonly verb: string;
  readonly path: string;
  readonly resource: ResourcePath | undefined;
  readonly extension: Extension | undefined;
}

/** How a watch is answered; another way where the connection becomes a WebSocket. */
export type ServeWatch = typeof serveWatch;

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

/** Takes every request through the same steps: is it meant for us, who asks, is there room, may they, and then the answer. */
export class Handler {
  readonly #parts: HandlerParts;
  readonly #deadlines: Deadlines<Exchange>;
  /** Requests that are being answered. */
  #open = 0;
  #idle: (() => void) | undefined;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
    this.#deadlines = new Deadlines(parts.context.clock, (exchange) => this.#expire(exchange));
  }

  /** Resolves when nothing is being answered any more. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open === 0) resolve();
      else this.#idle = resolve;
    });
  }

  handle(
    request: HttpRequest,
    response: HttpResponse,
    { expectsContinue = false, watch = serveWatch }: { expectsContinue?: boolean; watch?: ServeWatch } = {},
  ): void {
    const exchange = new Exchange(request, response);
    exchange.expectsContinue = expectsContinue;
    this.#open++;
    try {
      const answering = this.#serve(exchange, watch);
      if (answering === undefined) this.#settle(exchange);
      else {
        answering.then(
          () => this.#settle(exchange),
          (error: unknown) => this.#fail(exchange, error),
        );
      }
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #serve(exchange: Exchange, watch: ServeWatch): Answering {
    const { hosts, authenticate, context } = this.#parts;
    const { request, method, host } = exchange;
    if (host === undefined && request.httpVersion !== "1.0") {
      throw failures.badRequest("the Host header is missing");
    }
    hosts.check(host, request.headers.origin);
    const path = decodePath(exchange.rawPath);
    const user = authenticate(request) ?? anonymous;
    exchange.user = user;

    const resource = parseResourcePath(path);
    const verb = resource ? verbOf(method, resource, () => exchange.query) : method.toLowerCase();
    const extension = resource === undefined ? extensionFor(this.#parts.extensions, path) : undefined;
    const target: RequestTarget = { user, verb, path, resource, extension };
    const kind = extension !== undefined && isFollowing(exchange) ? "watches" : kindOf(verb);
    if (kind !== "watches") this.#setDeadline(exchange, context.limits.requestTimeout);
    const width = verb === "list" ? widthOf(exchange) : 1;
    const turn = isExempt(path) ? undefined : this.#enter(exchange, { kind, user: user.name, width });
    if (turn === undefined) return this.#answer(exchange, target, watch);
    return turn.then(() => (exchange.settled ? undefined : this.#answer(exchange, target, watch)));
  }

  /** Takes a place among the requests in flight; what is returned is when, unless it is now. */
  #enter(exchange: Exchange, guest: Guest): Promise<void> | undefined {
    const place = this.#parts.inFlight.enter(guest);
    exchange.place = place;
    const { turn } = place;
    if (turn === undefined) return undefined;
    // Who goes away while they wait are waited for no longer.
    const { response } = exchange;
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new AbortedError("the client went away"));
      response.once("close", gone);
      turn.then(resolve, reject).finally(() => response.off("close", gone));
    });
  }

  #answer(exchange: Exchange, target: RequestTarget, watch: ServeWatch): Answering {
    const { metrics, context, types } = this.#parts;
    const { user, verb, path, resource, extension } = target;
    if (resource === undefined) {
      const serve = (): Answering =>
        extension === undefined
          ? servePath(this.#parts, exchange, path)
          : this.#serveExtension(extension, exchange, path);
      const authorizing = context.pipeline.checkAccess({ user, verb, path });
      return authorizing === undefined ? serve() : authorizing.then(serve);
    }
    const type = types.find(resource.group, resource.version, resource.resource);
    if (type !== undefined) {
      exchange.series = metrics.ofResource(type, metricVerbs.get(verb) ?? "", knownSubresource(resource));
    }
    const line = { user, verb: verb as Verb, path: resource, type };
    return verb === "watch" ? watch(context, exchange, line) : respond(context, exchange, line);
  }

  async #serveExtension(extension: Extension, exchange: Exchange, path: string): Promise<void> {
    exchange.series = this.#parts.metrics.ofPath(extension.path);
    if (!(await serveExtension(extension, exchange, path, this.#parts.context))) throw new PageNotFound();
  }

  #setDeadline(exchange: Exchange, longest: number): void {
    const requested = exchange.rawQuery.includes("timeout=") ? timeoutOf(exchange.query) : undefined;
    this.#deadlines.add(exchange, requested === undefined ? longest : Math.min(requested, longest));
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof AbortedError) {
      this.#settle(exchange);
      return;
    }
    const { onError } = this.#parts.context;
    try {
      if (asApiError(error) === undefined && !(error instanceof PageNotFound)) onError(error);
      if (exchange.response.headersSent) exchange.response.destroy();
      else if (error instanceof PageNotFound) sendText(exchange, 404, "404 page not found\n");
      else sendFailure(exchange, error);
    } catch (another) {
      onError(another);
      exchange.response.destroy();
    }
    this.#settle(exchange);
  }

  /** The time is up: whoever still works on the answer will find that it has been given. */
  #expire(exchange: Exchange): void {
    if (exchange.settled) return;
    const late = failures.timeout("request did not complete within the allotted timeout");
    this.#fail(exchange, late);
  }

  #settle(exchange: Exchange): void {
    if (exchange.settled) return;
    exchange.settled = true;
    this.#deadlines.delete(exchange);
    exchange.place?.leave();
    const series = exchange.series ?? this.#parts.metrics.other(exchange.method);
    const isWatch = series.labels.verb === "WATCH";
    const seconds = isWatch ? undefined : (performance.now() - exchange.started) / 1000;
    // Who went away before they were answered were told nothing, which is not the 200 that an answer begins with.
    const { headersSent, statusCode } = exchange.response;
    series.count(headersSent || statusCode !== 200 ? statusCode : goneCode, seconds);
    if (--this.#open === 0) this.#idle?.();
  }
}

const exempt = /^\/(?:(?:healthz|livez|readyz)(?:\/|$)|metrics$)/;

/** Whether the server is well must be seen above all when it has too much to do. */
function isExempt(path: string): boolean {
  return path.length < 100 && exempt.test(path);
}

function widthOf({ rawQuery, query }: Exchange): number {
  return widthOfList(rawQuery.includes("limit=") ? Number(query.get("limit")?.[0] ?? 0) : 0);
}

/** Name for metrics: clients must not be able to create new series. */
function knownSubresource({ subresource }: ResourcePath): string {
  return subresource === "status" || subresource === "scale" || subresource === "finalize" ? subresource : "";
}

function sendFailure(exchange: Exchange, error: unknown): void {
  const status = statusOf(error);
  void sendStatus(exchange, status.code, status, wantsPretty(exchange));
}

/** The query may be what is wrong. */
function wantsPretty(exchange: Exchange): boolean {
  try {
    return isPretty(exchange);
  } catch {
    return false;
  }
}
