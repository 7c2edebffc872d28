import type { Source } from "../../client/source/source.js";
import { duration } from "../../model/core.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import { cancellable } from "../cancel/cancellable.js";
import { splitKey } from "../controller/keys.js";
import type { PlainReconcile } from "../controller/plain.js";
import type { PlainContext } from "../controller/reconcile-context.js";
import { read, readAll } from "./cache-reads.js";
import { failedOutcome, retryAfterOf } from "./failure.js";
import type { RunResult } from "./reconcile-object.js";
import type { RunContext } from "./run-context.js";

/** Runs a plain reconciler for the object with the given key, which may no longer be there. */
export async function runPlain(
  context: RunContext,
  reconcile: PlainReconcile,
  key: string,
  objects: Source,
): Promise<RunResult> {
  const { clock, log, runId } = context;
  const signal = context.exposeSignal();
  const request = splitKey(key);
  const wasGone = objects.get(key) === undefined;
  const cacheOf = (kind: { readonly apiVersion: string; readonly kind: string }): Source =>
    context.cacheOf(kind);
  const emitted: EventInput[] = [];
  const plainContext: PlainContext = {
    get client() {
      return context.client();
    },
    signal,
    log,
    runId,
    now: () => clock.now(),
    read: (kind, which) => read(cacheOf, kind, which, request.namespace),
    readAll: (kind, by) => readAll(cacheOf, kind, by),
    recordEvent(reason, message, type = "Normal") {
      const object = objects.get(key);
      if (object !== undefined) context.recordEvent(object, reason, message, type);
    },
    emit(first: string | EventInput, data?: unknown) {
      emitted.push(typeof first === "string" ? { type: first, data } : first);
    },
    enqueue: (kind, which, options) => context.enqueue(kind, which, options),
  };
  const end = await cancellable(clock, signal, () => reconcile(request, plainContext));
  if (!end.ok) {
    const { error, lingering } = end;
    return { outcome: failedOutcome(error, signal), retryAfter: retryAfterOf(error), lingering };
  }
  signal.throwIfAborted();
  await context.publish(objects.get(key), emitted);
  const result = end.value ?? undefined;
  const after = duration(result?.requeueAfter ?? 0);
  if (after > 0) return { outcome: { type: "requeue", after, reason: "requeueAfter" } };
  if (result?.requeue)
    return { outcome: { type: "error", reason: "Requeue", message: "asked to be tried again" } };
  // An object that was deleted during the run gets another one.
  const isGone = wasGone && objects.get(key) === undefined;
  return { outcome: { type: isGone ? "gone" : "done" } };
}
