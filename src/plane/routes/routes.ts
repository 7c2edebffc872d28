import type { RunningEvents } from "../../events/create-events.js";
import { failures, type Clock } from "../../model/core.js";
import type { DebugComponents, DebugSwitches } from "../../runtime/log/debug-switches.js";
import type { Log } from "../../runtime/log/log.js";
import type { Controllers } from "../../runtime/start/start-controllers.js";
import type { Api, Extension, MetricSource } from "../../server/index.js";
import type { Store } from "../../store/index.js";
import type { UserAccess } from "../management/access.js";
import { debugRoute, type DebugEndpoint } from "./debug/debug-route.js";
import { EventAccess } from "./event-access.js";
import { healthRoutes } from "./health-route.js";
import { postEvents } from "./post-events.js";
import type { RestResource } from "./rest/rest-resource.js";
import { restRoute, type RestOptions } from "./rest/rest-route.js";
import { Topics, type TopicDeclarations } from "./topics.js";
import { webSocketRoute, type WebSocketOptions } from "./websocket/websocket-route.js";

/** Options of debugging. */
export interface DebugOptions {
  /** False: neither the paths below `/debug` nor the output of components. Default: true. */
  readonly enabled?: boolean | undefined;
  /** Output that is on from the start. Default: none. */
  readonly components?: DebugComponents | undefined;
  /** Paths to serve. Default: all. */
  readonly endpoints?: readonly { readonly path: DebugEndpoint }[] | undefined;
}

/** Options of the paths that are served beside the Kubernetes API. */
export interface RoutesOptions {
  /** REST API. */
  readonly rest?: RestOptions | undefined;
  readonly websocket?: WebSocketOptions | undefined;
  /** Topics for clients of the WebSocket, besides those of operators. */
  readonly topics?: TopicDeclarations | undefined;
  readonly debug?: DebugOptions | undefined;
}

/** Parts that are started after the server. */
interface RouteParts {
  readonly users?: UserAccess | undefined;
  readonly api?: Api | undefined;
  readonly controllers?: Controllers | undefined;
  readonly events?: RunningEvents | undefined;
}

export interface CreateRoutesOptions {
  readonly options: RoutesOptions;
  readonly parts: () => RouteParts;
  readonly store: Store;
  readonly switches: DebugSwitches;
  readonly metrics: readonly MetricSource[];
  /** Largest event that can be posted, in bytes. */
  readonly maxEventSize: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What an operator adds to the routes. */
export interface OperatorRoutes {
  /** Kinds to serve in the REST API of a control plane, made by `restResource()`. */
  readonly rest?: readonly RestResource[] | undefined;
  /** Names for events, which clients of the WebSocket subscribe to. */
  readonly topics?: TopicDeclarations | undefined;
}

/** Paths that every control plane serves: REST, WebSocket, events, debugging, health. */
export interface Routes {
  readonly extensions: readonly Extension[];
  /** Adds what an operator declares. @throws {Error} that names the operator. */
  add(operator: string, routes: OperatorRoutes): void;
  /** Logs warnings about options that have no effect; called when all operators have been added. */
  check(): void;
}

export function createRoutes({
  options,
  parts,
  store,
  switches,
  metrics,
  maxEventSize,
  clock,
  log,
}: CreateRoutesOptions): Routes {
  const topics = new Topics(options.topics);
  let access: EventAccess | undefined;
  const started = (): { readonly [Part in keyof RouteParts]-?: NonNullable<RouteParts[Part]> } => {
    const { users, api, controllers, events } = parts();
    if (users !== undefined && api !== undefined && controllers !== undefined && events !== undefined)
      return { users, api, controllers, events };
    throw failures.serviceUnavailable("the control plane is starting: try again in a moment");
  };
  const rest = restRoute({ options: options.rest ?? {}, clock, parts: started });
  const extensions: Extension[] = [
    rest.extension,
    webSocketRoute({
      options: options.websocket ?? {},
      topics,
      clock,
      log,
      parts: () => {
        const { events, users, api } = started();
        access ??= new EventAccess({
          checkAccess: (attributes) => users.checkAccess(attributes),
          types: api.registry.types,
          clock,
        });
        return { events: events.log, access, noteReaders: (patterns) => events.noteReaders(patterns) };
      },
    }),
    postEvents({ maxSize: maxEventSize, parts: started }),
    ...healthRoutes({ parts: () => ({ health: parts().controllers?.health, users: parts().users }) }),
  ];
  const { enabled = true, endpoints } = options.debug ?? {};
  if (enabled) extensions.push(debugRoute({ switches, store, metrics, endpoints, parts: started }));
  return {
    extensions,
    add(operator, { rest: resources = [], topics: declared = {} }) {
      for (const resource of resources) rest.paths.add(resource, `operator ${operator}`);
      topics.add(declared, `of operator ${operator}`);
    },
    check() {
      for (const warning of rest.paths.warnings()) log.warn({}, warning);
    },
  };
}
