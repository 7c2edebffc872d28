import type { Client, Clock } from "fettle";
import { ProxyConfig, type ProxyConfigObject } from "../kinds/proxy.js";
import { programming } from "../configs/standing.js";

/**
 * Outcome of a generation of a configuration:
 *
 * - `served`: nginx serves it.
 * - `refused`: it cannot be served as it is.
 * - `waiting`: it is served when something else exists, such as a backend.
 * - `superseded`: there is a later generation, or the configuration was deleted.
 * - `held`: its controller has not run for it in time. A strategy holds it back, or there is much to do.
 * - `unknown`: its controller has run, and nginx was not configured in time.
 */
export interface Decision {
  readonly outcome: "served" | "refused" | "waiting" | "superseded" | "held" | "unknown";
  readonly message: string;
}

export interface DecisionOptions {
  readonly client: Pick<Client, "watch">;
  readonly clock: Clock;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Undefined for the first one that is seen. */
  readonly uid: string | undefined;
  readonly generation: number;
  /** Milliseconds until the first run has to be over. */
  readonly runWithin: number;
  /** Milliseconds until a decision is needed. */
  readonly decideWithin: number;
  readonly signal: AbortSignal;
}

/** Waits until it is decided whether a generation of a configuration is served. Rejects if the signal aborts. */
export async function decisionOn(options: DecisionOptions): Promise<Decision> {
  const { client, clock, name, namespace, uid, generation, signal } = options;
  let hasRun = false;
  let message = "";
  const stop = new AbortController();
  const timers = [
    clock.after(options.runWithin, () => {
      if (!hasRun) stop.abort();
    }),
    clock.after(options.decideWithin, () => stop.abort()),
  ];
  const late = (): Decision => ({ outcome: hasRun ? "unknown" : "held", message });
  const watching = AbortSignal.any([signal, stop.signal]);
  try {
    while (!watching.aborted) {
      const selection = { namespace, fieldSelector: `metadata.name=${name}`, signal: watching };
      // A watch without a position begins with the object as it is. The server ends it from time to time.
      for await (const { type, object } of client.watch(ProxyConfig, selection)) {
        if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") continue;
        const isOther = uid !== undefined && object.metadata.uid !== uid;
        if (type === "DELETED" || isOther) return { outcome: "superseded", message: "it was deleted" };
        const decision = decide(object, generation);
        if (decision !== undefined) return decision;
        hasRun = (object.status?.observedGeneration ?? 0) >= generation;
        message = readyOf(object)?.message ?? "";
      }
    }
    signal.throwIfAborted();
    return late();
  } catch (error) {
    signal.throwIfAborted();
    if (stop.signal.aborted) return late();
    throw error;
  } finally {
    for (const timer of timers) timer.cancel();
    stop.abort();
  }
}

/** Decision that the status of a configuration shows; undefined while there is none. */
function decide(object: ProxyConfigObject, generation: number): Decision | undefined {
  const { metadata, status } = object;
  if ((metadata.generation ?? 0) > generation)
    return { outcome: "superseded", message: `generation ${metadata.generation} follows` };
  const ready = readyOf(object);
  if (ready === undefined || (ready.observedGeneration ?? 0) < generation) return undefined;
  const { message, reason } = ready;
  if (ready.status === "True") return { outcome: "served", message };
  const stalled = status?.conditions?.find(({ type }) => type === "Stalled");
  if (stalled?.status === "True" && (stalled.observedGeneration ?? 0) >= generation)
    return { outcome: "refused", message: `${reason}: ${message}` };
  // While the run is not complete, Ready may still be that of an earlier moment.
  const isOver = (status?.observedGeneration ?? 0) >= generation;
  return reason === programming || !isOver
    ? undefined
    : { outcome: "waiting", message: `${reason}: ${message}` };
}

function readyOf({ status }: ProxyConfigObject) {
  return status?.conditions?.find(({ type }) => type === "Ready");
}
