import type { KindInfo } from "../../client/kinds/kind.js";
import type { Source } from "../../client/source/source.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Client } from "../../client/client.js";
import {
  duration,
  formatDuration,
  isNotFound,
  newUid,
  type Clock,
  type Json,
  type KubeObject,
  type Random,
  type Timer,
} from "../../model/core.js";
import { defaults, type Controller } from "../controller/controller.js";
import { joinKey } from "../controller/keys.js";
import { silent } from "../log/log.js";
import { reconcileObject } from "../reconcile/reconcile-object.js";
import type { RunOutcome, StepRecord } from "../runs/run.js";
import { wrapTransport } from "../transport/wrap-transport.js";
import type { PlannedChange } from "./planned-change.js";
import { PlannedChildren } from "./planned-children.js";
import { PlannedSteps } from "./planned-steps.js";
import { PlannedWrites } from "./planned-writes.js";

export type { PlannedChange } from "./planned-change.js";

/** Effects that a run would have. */
export interface Plan {
  readonly controller: string;
  readonly kind: string;
  readonly key: string;
  /** Changes of children, and writes of the reconciler's client. */
  readonly changes: readonly PlannedChange[];
  /** Steps that would run, or be skipped. */
  readonly steps: readonly StepRecord[];
  readonly outcome: RunOutcome;
}

export interface PlanContext {
  readonly controller: Controller;
  /** Default namespace. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  clientOver(transport: Transport): Client;
  readonly cacheOf: (kind: { readonly apiVersion: string; readonly kind: string }) => Source;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Plans a run of a controller for an object that exists, or for a manifest. Steps are not performed, and writes are dry runs on the
 * server.
 */
export async function plan(context: PlanContext, object: KubeObject): Promise<Plan> {
  const { controller, clock, cacheOf } = context;
  const { style } = controller;
  if (style.type !== "declarative") {
    throw new TypeError(
      `controller ${controller.name} cannot be planned: plans need the steps and children of a declarative controller, and this one is plain`,
    );
  }
  const cached = (kind: KindInfo, namespace: string, name: string): KubeObject | undefined => {
    try {
      return cacheOf(kind).get(joinKey(namespace, name));
    } catch {
      return undefined;
    }
  };
  const writes = new PlannedWrites(cached, (kind, target, options) =>
    context.transport.get(kind, target, options),
  );
  const transport = wrapTransport(context.transport, writes);
  const owner = await withDefaults(context, object);
  const children = new PlannedChildren({
    controller,
    owner,
    transport,
    writes,
    cacheOf,
    signal: context.signal,
  });
  const time = limitOf(context);
  const { signal } = time;
  const steps = new PlannedSteps(clock, signal);
  const { outcome, staged } = await reconcileObject(
    {
      options: style.options,
      controllerName: controller.name,
      runId: "plan",
      clock,
      transport,
      client: () => context.clientOver(transport),
      signal,
      exposeSignal: () => signal,
      log: silent,
      steps,
      applied: children.applied,
      cacheOf,
      kind: controller.options.for,
      recordEvent: () => {},
      publish: async () => {},
      enqueue: () => {},
      planChildren: (staged) => children.write(staged),
    },
    owner,
  ).finally(() => time.cancel());
  context.signal?.throwIfAborted();
  const isDone = outcome.type === "done" || outcome.type === "requeue";
  if (isDone || outcome.type === "wait") await children.write(staged?.takeNew() ?? []);
  if (isDone && staged !== undefined) children.prune(staged);
  return {
    controller: controller.name,
    kind: controller.options.for.kind,
    key: joinKey(owner.metadata.namespace, owner.metadata.name ?? ""),
    // Copied, as a function that ignores its signal may still add to them.
    changes: [...writes.changes],
    steps: [...steps.records],
    outcome,
  };
}

/** Signal with the timeout of a run. */
function limitOf({ controller, clock, signal }: PlanContext): Timer & { readonly signal: AbortSignal } {
  const timeout = duration(controller.options.timeout ?? defaults.timeout);
  const limit = new AbortController();
  const timer = clock.after(timeout, () =>
    limit.abort(new Error(`the run took longer than its timeout of ${formatDuration(timeout)}`)),
  );
  return {
    signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
    cancel: () => timer.cancel(),
  };
}

/**
 * The object with the server's defaults, from a dry run: for a manifest of an object that exists or not. Without them if its
 * namespace does not exist yet.
 */
async function withDefaults(context: PlanContext, object: KubeObject): Promise<KubeObject> {
  if (object.metadata.uid) return object;
  const { controller, transport, signal, random } = context;
  const { for: kind, from } = controller.options;
  const { name = "", namespace = kind.scope === "Cluster" ? undefined : context.namespace } = object.metadata;
  // Children need an owner with a uid.
  const metadata = { ...object.metadata, ...(namespace && { namespace }), uid: newUid(random) };
  if (from !== undefined) return { ...object, metadata: { ...object.metadata, uid: metadata.uid } };
  const { status: _, ...wanted } = object;
  const body = {
    ...wanted,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { ...object.metadata, ...(namespace && { namespace }), managedFields: undefined },
  };
  try {
    return await transport.patch(
      kind,
      { name, namespace },
      { type: "apply", body: JSON.parse(JSON.stringify(body)) as Json, force: true },
      { dryRun: true, fieldManager: "fettle-plan", signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { ...object, metadata };
  }
}
