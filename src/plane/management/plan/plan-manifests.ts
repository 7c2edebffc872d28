import { setImmediate as turn } from "node:timers/promises";
import type { Client } from "../../../client/client.js";
import { failures, parseApiVersion, type Json, type KubeObject } from "../../../model/core.js";
import { isJsonObject } from "../../../model/object/json.js";
import type { ControllerHandle } from "../../../runtime/loop/controller-handle.js";
import { joinKey } from "../../../runtime/controller/keys.js";
import type { PlannedChange } from "../../../runtime/plan/plan.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import type { ManifestPlan, PlanAnswer, ToldPlan } from "../contract.js";
import { changesOf, shown } from "../shown-object.js";
import { rehearse } from "./rehearse.js";

interface Context {
  readonly client: Client;
  readonly controllers: Controllers;
  readonly manifests: readonly KubeObject[];
  readonly reveal: boolean;
  readonly signal: AbortSignal;
}

/** The manifests of a request. */
export function manifestsIn({ manifests }: Readonly<Record<string, unknown>>): readonly KubeObject[] {
  if (!Array.isArray(manifests) || manifests.length === 0) {
    throw failures.badRequest("manifests has to be a list with at least one object");
  }
  return manifests.map((manifest: unknown, index) => {
    const { apiVersion, kind, metadata } = (manifest ?? {}) as Partial<Record<string, Json>>;
    if (typeof apiVersion !== "string" || typeof kind !== "string" || !isJsonObject(metadata)) {
      throw failures.badRequest(`manifests[${index}] needs an apiVersion, a kind and metadata`);
    }
    for (const field of ["name", "generateName", "namespace"]) {
      if (typeof (metadata[field] ?? "") === "string") continue;
      throw failures.badRequest(`manifests[${index}].metadata.${field} has to be a text`);
    }
    return manifest as KubeObject;
  });
}

/** What would come of applying manifests, each by itself; nothing is done. */
export async function planManifests(context: Context): Promise<PlanAnswer> {
  const plans: ManifestPlan[] = [];
  for (const manifest of context.manifests) {
    plans.push(await planManifest(context, manifest));
    // All that is asked is answered in this process, so there may have been nothing to wait for: others get their turn.
    await turn();
    context.signal.throwIfAborted();
  }
  return { plans };
}

async function planManifest(context: Context, manifest: KubeObject): Promise<ManifestPlan> {
  const { client, manifests, reveal, signal } = context;
  const { apiVersion, kind, metadata } = manifest;
  const { before, after, problem, causes } = await rehearse(client, manifest, manifests, signal);
  const changes = problem === undefined ? changesOf(before, after, reveal) : [];
  const isSame = changes.length === 0 && before !== undefined;
  return {
    apiVersion,
    kind,
    namespace: after.metadata.namespace ?? "",
    name: metadata.name || metadata.generateName || "",
    object: {
      action: isSame ? "none" : before === undefined ? "create" : "update",
      before: shown(before, reveal),
      after: shown(after, reveal),
      changes,
      ...(problem !== undefined && { problem, causes }),
    },
    controllers: problem === undefined ? await planRuns(context, after) : [],
  };
}

async function planRuns(context: Context, object: KubeObject): Promise<ToldPlan[]> {
  const { kind, apiVersion } = object;
  const group = parseApiVersion(apiVersion)?.group;
  const plans: ToldPlan[] = [];
  for (const handle of context.controllers.all) {
    const { for: mine } = handle.controller.options;
    if (mine.kind !== kind || parseApiVersion(mine.apiVersion)?.group !== group) continue;
    plans.push(await planRun(context, handle, object));
  }
  return plans;
}

async function planRun(
  { signal, reveal, manifests }: Context,
  handle: ControllerHandle,
  object: KubeObject,
): Promise<ToldPlan> {
  try {
    const plan = await handle.plan(object, signal);
    const changes = plan.changes.map((change) => withoutPassing(change, manifests));
    return { ...plan, changes: reveal ? changes : changes.map(withoutSecrets) };
  } catch (error) {
    signal.throwIfAborted();
    const { namespace, name = "" } = object.metadata;
    return {
      controller: handle.name,
      kind: handle.controller.options.for.kind,
      key: joinKey(namespace, name),
      changes: [],
      steps: [],
      problem: error instanceof Error ? error.message : String(error),
    };
  }
}

/** A namespace that another manifest makes will be there by then. */
function withoutPassing(change: PlannedChange, manifests: readonly KubeObject[]): PlannedChange {
  const { problem, namespace } = change;
  if (problem !== `namespaces ${JSON.stringify(namespace)} not found`) return change;
  const isMade = manifests.some(({ kind, metadata }) => kind === "Namespace" && metadata.name === namespace);
  return isMade ? { ...change, problem: undefined } : change;
}

function withoutSecrets(change: PlannedChange): PlannedChange {
  if (change.kind !== "Secret") return change;
  const { before, after } = change;
  return {
    ...change,
    before: shown(before, false),
    after: shown(after, false),
    diff: changesOf(before, after, false),
  };
}
