import type { Client } from "fettle";
import {
  HealthCheckCompleted,
  HealthCheckRequested,
  type EventInput,
  type PipelineHandler,
} from "fettle/events";
import type { AddressCheck } from "../backends/prober.js";
import { Backend, type BackendObject } from "../kinds/proxy.js";

/** Source of the events of this handler. */
const source = "/operators/proxy/HealthCheckHandler";
/** Targets that stand for all backends. */
const everything = new Set(["", "*", "all"]);

export interface HealthCheckOptions {
  readonly client: Client;
  /** Checks a backend by its uid at once; undefined if it is not probed. It is that of the prober of backends. */
  readonly checkNow: (uid: string) => Promise<readonly AddressCheck[] | undefined>;
}

/**
 * Handles `health_check.requested`: checks the backend of that id, or all of them, and emits `health_check.completed` for each. A target
 * that is no backend is left to other handlers and plugins.
 */
export function healthCheckHandler({ client, checkNow }: HealthCheckOptions): PipelineHandler {
  return {
    name: "HealthCheckHandler",
    canHandle: ({ type }) => type === HealthCheckRequested.type,
    async handle(event, { signal, emit, log }) {
      const { target = "", namespace } = (event.data ?? {}) as {
        readonly target?: string;
        readonly namespace?: string;
      };
      const within = namespace ?? event.objectnamespace;
      const backends = everything.has(target)
        ? (await client.list(Backend, { namespace: within, signal })).items
        : await find(client, target, within, signal);
      if (backends.length === 0) {
        log.info({ event: event.id, target }, `there is no Backend ${target || "at all"} to check`);
        return;
      }
      await Promise.all(
        backends.map(async (backend) => {
          const result = await resultOf(backend, checkNow);
          signal.throwIfAborted();
          await emit(completed(event.id, backend, result));
        }),
      );
    },
  };
}

async function find(
  client: Client,
  target: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly BackendObject[]> {
  // A target of another handler may be anything, such as a URL.
  if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(target)) return [];
  const ref = { name: target, ...(namespace !== undefined && { namespace }) };
  const found = await client.find(Backend, ref, { signal });
  return found === undefined ? [] : [found];
}

/** Result of a check; a check that fails says nothing about the backend, and must not fail those of others. */
async function resultOf(
  { metadata, status }: BackendObject,
  checkNow: HealthCheckOptions["checkNow"],
): Promise<object> {
  try {
    const checks = await checkNow(metadata.uid ?? "");
    if (checks === undefined)
      return {
        status: status?.health ?? "unknown",
        message: "it has no health check: set healthCheck",
        targets: [],
      };
    const healthy = checks.filter(({ ok }) => ok).length;
    const health = healthy === checks.length ? "healthy" : healthy === 0 ? "unhealthy" : "degraded";
    return {
      status: checks.length === 0 ? "unknown" : health,
      message: `${healthy} of ${checks.length} addresses are healthy`,
      targets: checks,
    };
  } catch (error) {
    return {
      status: "unknown",
      message: error instanceof Error ? error.message : String(error),
      targets: [],
    };
  }
}

/** The id is derived from that of the request: if this is repeated, the log has the event once. */
function completed(
  request: string,
  { apiVersion, kind, metadata }: BackendObject,
  result: object,
): EventInput {
  const { name = "", namespace, uid } = metadata;
  return {
    ...HealthCheckCompleted.event({ target: name, namespace, result }),
    id: `${request}-${uid}`,
    source,
    subject: `${kind}/${namespace}/${name}`,
    objectapiversion: apiVersion,
    objectkind: kind,
    objectnamespace: namespace,
    objectname: name,
    objectuid: uid,
  };
}
