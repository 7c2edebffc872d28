import { setImmediate as nextTurn } from "node:timers/promises";
import type { Client } from "../../../client/client.js";
import { failures, parseApiVersion, type Json, type KubeObject } from "../../../model/core.js";
import { isJsonObject } from "../../../model/object/json.js";
import type { ControllerHandle } from "../../../runtime/loop/controller-handle.js";
import { joinKey } from "../../../runtime/controller/keys.js";
import type { PlannedChange } from "../../../runtime/plan/plan.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import type { ManifestPlan, PlanResponse, PlanReport } from "../contract.js";
import { changesOf, redacted } from "../redact.js";
import { dryRun } from "./dry-run.js";

export interface PlanManifestsOptions {
  readonly client: Client;
  readonly controllers: Controllers;
  readonly manifests: readonly KubeObject[];
  readonly reveal: boolean;
  readonly signal: AbortSignal;
}

/** @throws {ApiError} 400 when the body has no manifests, or one without apiVersion, kind or metadata. */
export function manifestsIn({ manifests }: Readonly<Record<string, unknown>>): readonly KubeObject[] {
  if (!Array.isArray(manifests) || manifests.length === 0) {
    throw failures.badRequest("manifests must be an array with at least one object");
  }
  return manifests.map((manifest: unknown, index) => {
    const { apiVersion, kind, metadata } = (manifest ?? {}) as Partial<Record<string, Json>>;
    if (typeof apiVersion !== "string" || typeof kind !== "string" || !isJsonObject(metadata)) {
      throw failures.badRequest(`manifests[${index}] needs an apiVersion, a kind and metadata`);
    }
    for (const field of ["name", "generateName", "namespace"]) {
      if (typeof (metadata[field] ?? "") === "string") continue;
      throw failures.badRequest(`manifests[${index}].metadata.${field} must be a string`);
    }
    return manifest as KubeObject;
  });
}

/** Plans each manifest by itself. Writes nothing. */
export async function planManifests(options: PlanManifestsOptions): Promise<PlanResponse> {
  const plans: ManifestPlan[] = [];
  for (const manifest of options.manifests) {
    plans.push(await planManifest(options, manifest));
    // Requests within the process may not have waited for anything: let other work have its turn.
    await nextTurn();
    options.signal.throwIfAborted();
  }
  return { plans };
}

async function planManifest(options: PlanManifestsOptions, manifest: KubeObject): Promise<ManifestPlan> {
  const { client, manifests, reveal, signal } = options;
  const { apiVersion, kind, metadata } = manifest;
  const { before, after, problem, causes } = await dryRun(client, manifest, manifests, signal);
  const changes = problem === undefined ? changesOf(before, after, reveal) : [];
  const isSame = changes.length === 0 && before !== undefined;
  return {
    apiVersion,
    kind,
    namespace: after.metadata.namespace ?? "",
    name: metadata.name || metadata.generateName || "",
    object: {
      action: isSame ? "none" : before === undefined ? "create" : "update",
      before: redacted(before, reveal),
      after: redacted(after, reveal),
      changes,
      ...(problem !== undefined && { problem, causes }),
    },
    controllers: problem === undefined ? await planRuns(options, after) : [],
  };
}

async function planRuns(options: PlanManifestsOptions, object: KubeObject): Promise<PlanReport[]> {
  const { kind, apiVersion } = object;
  const group = parseApiVersion(apiVersion)?.group;
  const plans: PlanReport[] = [];
  for (const handle of options.controllers.all) {
    const { for: mine } = handle.controller.options;
    if (mine.kind !== kind || parseApiVersion(mine.apiVersion)?.group !== group) continue;
    plans.push(await planRun(options, handle, object));
  }
  return plans;
}

async function planRun(
  { signal, reveal, manifests }: PlanManifestsOptions,
  handle: ControllerHandle,
  object: KubeObject,
): Promise<PlanReport> {
  try {
    const plan = await handle.plan(object, signal);
    const changes = plan.changes.map((change) => withoutMissingNamespace(change, manifests));
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

/** Drops the problem that the namespace does not exist if another manifest creates it. */
function withoutMissingNamespace(change: PlannedChange, manifests: readonly KubeObject[]): PlannedChange {
  const { problem, namespace } = change;
  if (problem !== `namespaces ${JSON.stringify(namespace)} not found`) return change;
  const isCreated = manifests.some(
    ({ kind, metadata }) => kind === "Namespace" && metadata.name === namespace,
  );
  return isCreated ? { ...change, problem: undefined } : change;
}

function withoutSecrets(change: PlannedChange): PlannedChange {
  if (change.kind !== "Secret") return change;
  const { before, after } = change;
  return {
    ...change,
    before: redacted(before, false),
    after: redacted(after, false),
    diff: changesOf(before, after, false),
  };
}
