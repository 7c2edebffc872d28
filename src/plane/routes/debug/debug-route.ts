import type { Events } from "../../../events/events.js";
import type { LogPosition } from "../../../events/log/event-log.js";
import { eventDocument, type CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import { EventPatternError, patternParts } from "../../../model/cloud-events/event-pattern.js";
import { failures, fromStatus } from "../../../model/core.js";
import {
  debugComponents,
  isDebugComponent,
  type DebugSwitches,
} from "../../../runtime/log/debug-switches.js";
import { storeFailure } from "../../../server/registry/store-failures.js";
import type { Extension, ExtensionRequest, ExtensionResponse, MetricSource } from "../../../server/index.js";
import type { Store } from "../../../store/index.js";
import { checkReadAll, type UserAccess } from "../../management/access.js";
import { jsonLines } from "../../management/lines.js";
import {
  bodyFields,
  integerParameter,
  isSet,
  notFoundError,
  optionalParameter,
} from "../../management/parameters.js";
import { storeState } from "../../management/store/state.js";
import { lastEvents } from "./last-events.js";

/** Paths for debugging that can be left out. */
export type DebugEndpoint = "/debug/events" | "/debug/state" | "/debug/metrics";

export interface DebugRouteOptions {
  readonly switches: DebugSwitches;
  readonly store: Store;
  readonly metrics: readonly MetricSource[];
  /** Paths to serve. Default: all. */
  readonly endpoints?: readonly { readonly path: string }[] | undefined;
  /** Parts that are started after the server. */
  readonly parts: () => { readonly users: UserAccess; readonly events: Pick<Events, "log" | "follow"> };
}

const debugPath = "/debug";
const maxLimit = 10_000;

/**
 * Serves what happens inside: `events`, `state`, `metrics`, and switches of `components`. A request needs permission for its path, and
 * for all objects of all kinds, since events and the state of the store show them.
 */
export function debugRoute(options: DebugRouteOptions): Extension {
  return {
    path: debugPath,
    async serve(request) {
      const { path, user } = request;
      const [first = "", name, ...more] = path.split("/");
      if (more.length > 0 || (name !== undefined && first !== "components")) return undefined;
      const respond = Object.hasOwn(endpoints, first) ? endpoints[first] : undefined;
      const isServed = first === "components" || isChosen(options, `${debugPath}/${first}`);
      if (respond === undefined || !isServed) return undefined;
      requireMethod(request, name === undefined ? ["GET"] : ["GET", "PUT"]);
      await checkReadAll(options.parts().users, user, "list", "watch");
      try {
        return await respond(request, options, name);
      } catch (error) {
        throw storeFailure(error);
      }
    },
  };
}

function isChosen({ endpoints: chosen }: DebugRouteOptions, path: string): boolean {
  return chosen === undefined || chosen.some((each) => each.path === path);
}

function requireMethod({ method, path }: ExtensionRequest, allowed: readonly string[]): void {
  if (allowed.includes(method) || method === "HEAD") return;
  throw fromStatus({
    code: 405,
    reason: "MethodNotAllowed",
    message: `${debugPath}/${path} allows ${allowed.join(" and ")}, not ${method}`,
  });
}

type Respond = (
  request: ExtensionRequest,
  options: DebugRouteOptions,
  name: string | undefined,
) => Promise<ExtensionResponse | undefined>;

const endpoints: Readonly<Record<string, Respond>> = {
  events: respondEvents,
  state: respondState,
  metrics: respondMetrics,
  components: respondComponents,
};

async function respondEvents(
  request: ExtensionRequest,
  { parts }: DebugRouteOptions,
): Promise<ExtensionResponse> {
  const { events } = parts();
  const { signal } = request;
  const pattern = patternIn(request);
  const follow = isSet(request, "follow");
  const after = optionalParameter(request, "after");
  if (after !== undefined && !/^\d{1,15}$/.test(after))
    throw failures.badRequest(`after=${after}: must be a position`);
  const limit = integerParameter(request, "tail", { max: maxLimit, fallback: follow ? 0 : 100 });
  if (!follow) {
    const last = await lastEvents(events.log, { pattern, limit, signal });
    return { json: { events: last.events.map(eventDocument), position: last.position } };
  }
  return jsonLines(followed(events, { pattern, after, limit, signal }));
}

async function* followed(
  events: Pick<Events, "log" | "follow">,
  {
    pattern,
    after,
    limit,
    signal,
  }: {
    readonly pattern: string;
    readonly after: LogPosition | undefined;
    readonly limit: number;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<ReturnType<typeof eventDocument>, void, undefined> {
  let from = after;
  if (after === undefined) {
    const last: { readonly events: readonly CloudEvent[]; readonly position: LogPosition } = await lastEvents(
      events.log,
      { pattern, limit, signal },
    );
    for (const event of last.events) yield eventDocument(event);
    from = last.position;
  }
  for await (const event of events.follow(pattern, { from, signal })) yield eventDocument(event);
}

function patternIn(request: ExtensionRequest): string {
  const pattern = optionalParameter(request, "type") ?? "**";
  try {
    patternParts(pattern);
    return pattern;
  } catch (error) {
    throw error instanceof EventPatternError ? failures.badRequest(error.message) : error;
  }
}

async function respondState(
  request: ExtensionRequest,
  { store }: DebugRouteOptions,
): Promise<ExtensionResponse> {
  const options = {
    key: optionalParameter(request, "key") ?? "*",
    limit: integerParameter(request, "limit", { min: 1, max: maxLimit, fallback: 500 }),
    reveal: isSet(request, "reveal"),
    signal: request.signal,
  };
  return { json: await storeState(store, options) };
}

async function respondMetrics(
  _: ExtensionRequest,
  { metrics }: DebugRouteOptions,
): Promise<ExtensionResponse> {
  const families: unknown[] = [];
  for (const source of metrics) {
    for (const { name, type, help, samples } of await source()) {
      families.push({ name, type, help, samples: [...samples] });
    }
  }
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    json: {
      process: {
        pid: process.pid,
        uptime: process.uptime(),
        memory: { rss, heapTotal, heapUsed, external },
        cpu: { user: user / 1e6, system: system / 1e6 },
      },
      metrics: families,
    },
  };
}

async function respondComponents(
  request: ExtensionRequest,
  { switches }: DebugRouteOptions,
  name: string | undefined,
): Promise<ExtensionResponse> {
  if (name === undefined) {
    return {
      json: { components: Object.fromEntries(debugComponents.map((each) => [each, switches.get(each)])) },
    };
  }
  if (!isDebugComponent(name)) {
    throw notFoundError(
      `there is no component ${JSON.stringify(name)}; the components are ${debugComponents.join(", ")}`,
    );
  }
  if (request.method !== "PUT") return { json: switches.get(name) };
  const change = await bodyFields(request);
  try {
    return { json: switches.set(name, change) };
  } catch (error) {
    throw error instanceof RangeError ? failures.badRequest(error.message) : error;
  }
}
