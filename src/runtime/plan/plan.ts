import type { KindInfo } from "../../client/kinds/kind.js";
import type { Source } from "../../client/informer/source.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Client } from "../../client/client.js";
import {
  diff,
  isNotFound,
  newUid,
  type Change,
  type Clock,
  type Json,
  type KubeObject,
  type Random,
} from "../../model/core.js";
import { AppliedChildren, checkOwner, leftOver, needsWrite } from "../children/write-children.js";
import type { StagedChild } from "../children/staged.js";
import type { Controller } from "../controller.js";
import { joinKey } from "../loop/keys.js";
import { silent } from "../observe/log.js";
import { fieldManagerOf } from "../prose/prose-context.js";
import { runProse } from "../prose/prose-run.js";
import { RecordingTransport } from "../runs/recording-transport.js";
import type { RunOutcome, StepRecord, WriteRecord } from "../runs/run.js";
import { Steps } from "../steps/steps.js";

/** One object that would change. */
export interface PlannedChange {
  readonly action: "create" | "update" | "delete";
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly name: string;
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
  readonly diff: readonly Change[];
  /** What the server has against it. */
  readonly problem?: string | undefined;
}

/** What a run would do, without any of it being done. */
export interface Plan {
  readonly controller: string;
  readonly kind: string;
  readonly key: string;
  /** Children, and what the reconciler writes with the client. */
  readonly changes: readonly PlannedChange[];
  /** Effects on the outside world that would take place, or are left out because there is nothing to do. */
  readonly steps: readonly StepRecord[];
  readonly outcome: RunOutcome;
}

export interface PlanContext {
  readonly controller: Controller;
  /** Where objects are that do not say their namespace. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  clientOver(transport: Transport): Client;
  readonly cacheOf: (kind: { readonly apiVersion: string; readonly kind: string }) => Source;
  readonly signal?: AbortSignal | undefined;
}

/** Only what people wrote is compared: a server's bookkeeping changes with every write. */
const bookkeeping: ReadonlySet<string> = new Set([
  "resourceVersion",
  "managedFields",
  "uid",
  "creationTimestamp",
  "generation",
  "ownerReferences",
]);

/**
 * Runs a controller for an object as it is or as it would be, and tells what would come of it. Steps are not carried out,
 * writes are asked of the server as dry runs.
 */
export async function plan(context: PlanContext, object: KubeObject): Promise<Plan> {
  const { controller, clock, cacheOf } = context;
  const { style } = controller;
  if (style.type !== "prose") {
    throw new TypeError(
      `controller ${controller.name} cannot be planned: it is written in the plain style, which says nothing of steps and children`,
    );
  }
  const signal = context.signal ?? new AbortController().signal;
  const writes: WriteRecord[] = [];
  const before = (kind: KindInfo, namespace: string, name: string): KubeObject | undefined => {
    try {
      return cacheOf(kind).get(joinKey(namespace, name));
    } catch {
      return undefined;
    }
  };
  const transport = new RecordingTransport(context.transport, {
    clock,
    before,
    dryRun: true,
    wrote: (record) => writes.push(record),
  });
  const steps = new Steps({
    clock,
    signal,
    planning: true,
    breaker: () => ({ run: (effect) => effect() }),
  });
  const applied = new AppliedChildren();
  const owner = await asItWouldBe(context, object);
  const end = await runProse(
    {
      options: style.options,
      controllerName: controller.name,
      runId: "plan",
      clock,
      transport,
      client: () => context.clientOver(transport),
      signal,
      showSignal: () => signal,
      log: silent,
      steps,
      applied,
      cacheOf,
      kind: controller.options.for,
      note: () => {},
      planning: true,
    },
    owner,
  );
  const fieldManager = fieldManagerOf(controller.name);
  const changes = writes.map(fromWrite);
  if (end.outcome.type === "done" || end.outcome.type === "again" || end.outcome.type === "wait") {
    for (const child of end.staged.takeNew()) {
      if (!needsWrite({ owner, cacheOf, fieldManager, applied }, child)) continue;
      changes.push(
        await planChild(context, owner, child, before(child.kind, child.namespace, child.name), fieldManager),
      );
    }
  }
  if (end.outcome.type === "done" || end.outcome.type === "again") {
    for (const kind of controller.owns) {
      for (const child of leftOver({ owner, cacheOf, fieldManager }, kind, end.staged)) {
        changes.push(changeOf("delete", kind, child, undefined));
      }
    }
  }
  return {
    controller: controller.name,
    kind: controller.options.for.kind,
    key: joinKey(owner.metadata.namespace, owner.metadata.name ?? ""),
    changes,
    steps: steps.records,
    outcome: end.outcome,
  };
}

/**
 * The object as the server would have it, with its defaults: one that is not there yet, or a manifest of one that is. When
 * it cannot be asked (the namespace is not there yet), as it was written.
 */
async function asItWouldBe(context: PlanContext, object: KubeObject): Promise<KubeObject> {
  if (object.metadata.uid) return object;
  const { controller, transport, signal, random } = context;
  const { for: kind, from } = controller.options;
  const { name = "", namespace = kind.scope === "Cluster" ? undefined : context.namespace } = object.metadata;
  // A child needs an owner that it can point to.
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

/** Asks the server what would become of a child; one that cannot be asked about yet is shown as it was written. */
async function planChild(
  { transport, signal }: PlanContext,
  owner: KubeObject,
  child: StagedChild,
  current: KubeObject | undefined,
  fieldManager: string,
): Promise<PlannedChange> {
  const action = current === undefined ? "create" : "update";
  const target = { name: child.name, ...(child.namespace !== "" && { namespace: child.namespace }) };
  try {
    if (current !== undefined) checkOwner(owner, child, current);
    const patch = { type: "apply", body: child.desired, force: true } as const;
    const after = await transport.patch(child.kind, target, patch, { dryRun: true, fieldManager, signal });
    return changeOf(action, child.kind, current, after);
  } catch (error) {
    signal?.throwIfAborted();
    const problem = error instanceof Error ? error.message : String(error);
    return { ...changeOf(action, child.kind, current, child.desired as unknown as KubeObject), problem };
  }
}

function fromWrite({ verb, kind, before, after, error, name, namespace }: WriteRecord): PlannedChange {
  const action =
    verb === "delete" || verb === "deleteCollection" ? "delete" : before === undefined ? "create" : "update";
  const change = changeOf(action, kind, before, action === "delete" ? undefined : after);
  return {
    ...change,
    name: change.name || name,
    namespace: change.namespace || namespace,
    ...(error !== undefined && { problem: error }),
  };
}

function changeOf(
  action: PlannedChange["action"],
  { apiVersion, kind }: KindInfo,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): PlannedChange {
  const { name = "", namespace = "" } = (after ?? before)?.metadata ?? {};
  const changes = diff(essence(before), essence(after));
  return { action, kind, apiVersion, namespace, name, before, after, diff: changes };
}

function essence(object: KubeObject | undefined): Json {
  if (object === undefined) return null;
  const { metadata, status: _, ...rest } = object;
  const kept = Object.fromEntries(Object.entries(metadata).filter(([field]) => !bookkeeping.has(field)));
  return { ...rest, metadata: kept } as unknown as Json;
}
