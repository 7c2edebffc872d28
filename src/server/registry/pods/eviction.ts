import type { Pod } from "kubernetes-types/core/v1.js";
import type { Eviction, PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import {
  ApiError,
  failures,
  formatTime,
  isConflict,
  labelSelector,
  type KubeObject,
} from "../../../model/core.js";
import { failureStatus } from "../../../model/errors/status.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import type { StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { storeKey, prefixOf, resourceOf } from "../keys.js";
import type { ServerDeleteOptions, WriteRequest, WriteResponse } from "../requests.js";
import { fromStore } from "../store-failures.js";
import { copyJson } from "../write/copy-json.js";
import { decodeTyped } from "../write/decode-typed.js";
import { deleteObject } from "../write/delete.js";
import { writeObject } from "../write/update.js";
import { success } from "./binding.js";

/** Attempts when the pod changes between the decision and its deletion. */
const maxAttempts = 20;

/**
 * Deletes a pod, unless a disruption budget forbids that. Nothing here keeps the status of budgets: a controller that does so writes
 * it through the API.
 */
export async function evict(context: RegistryContext, request: WriteRequest): Promise<WriteResponse> {
  const { deleteOptions = {} } = decodeTyped(request, request.body) as unknown as Eviction;
  const { preconditions, dryRun } = deleteOptions;
  const isDryRun = request.options.dryRun === true || (dryRun?.length ?? 0) > 0;
  for (let attempt = 1; ; attempt++) {
    const pod = await readPod(context, request);
    if (!isExempt(pod.object)) await spendBudget(context, request, pod.object, isDryRun);
    const options: ServerDeleteOptions = {
      gracePeriodSeconds: deleteOptions.gracePeriodSeconds,
      propagationPolicy: deleteOptions.propagationPolicy,
      preconditions: { uid: preconditions?.uid, resourceVersion: preconditions?.resourceVersion },
      dryRun: isDryRun,
    };
    try {
      await deleteObject(context, { ...request, subresource: undefined, options: pinned(options, pod) });
      return success();
    } catch (error) {
      const isRetried = isConflict(error) && preconditions?.resourceVersion === undefined;
      if (!isRetried || attempt === maxAttempts) throw error;
    }
  }
}

/** Options that delete the pod only as it was when the decision was made. */
function pinned(options: ServerDeleteOptions, { object }: StoredObject): ServerDeleteOptions {
  const { resourceVersion = object.metadata.resourceVersion, uid } = options.preconditions ?? {};
  return { ...options, preconditions: { uid, resourceVersion } };
}

async function readPod(context: RegistryContext, request: WriteRequest): Promise<StoredObject> {
  const entry = await fromStore(context.store.get(storeKey(request.type, request)));
  if (entry === undefined) throw failures.notFound(resourceOf(request.type), request.name);
  return context.objects.get(request.type, entry);
}

/** Pods that do not run count for no budget. */
function isExempt(object: KubeObject): boolean {
  const { phase } = (object as Pod).status ?? {};
  return phase !== "Running" && phase !== "Unknown" ? true : Boolean(object.metadata.deletionTimestamp);
}

/** Counts the eviction in the budget of the pod, if there is one. */
async function spendBudget(
  context: RegistryContext,
  request: WriteRequest,
  pod: KubeObject,
  isDryRun: boolean,
): Promise<void> {
  const type = context.types.find("policy", "v1", "poddisruptionbudgets");
  if (type === undefined) return;
  const budgets = await budgetsOf(context, type, pod);
  const [budget, another] = budgets;
  if (budget === undefined) return;
  if (another !== undefined) {
    throw new ApiError({
      ...failureStatus(
        "InternalError",
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
        {},
      ),
    });
  }
  if (!isReady(pod) && mayEvictUnready(budget)) return;
  const { name = "" } = budget.metadata ?? {};
  const propose = ({ object }: StoredObject): Draft => {
    const draft = copyJson(object) as Draft;
    spend(draft as unknown as PodDisruptionBudget, pod.metadata.name ?? "", formatTime(context.clock.now()));
    return draft;
  };
  await writeObject(
    context,
    {
      ...request,
      type,
      name,
      subresource: "status",
      options: { ...request.options, dryRun: isDryRun },
    },
    { propose },
  );
}

async function budgetsOf(
  context: RegistryContext,
  type: ResourceType,
  { metadata }: KubeObject,
): Promise<readonly PodDisruptionBudget[]> {
  const { entries } = await fromStore(context.store.range({ prefix: prefixOf(type, metadata) }));
  return entries
    .map((entry) => context.objects.get(type, entry).object as unknown as PodDisruptionBudget)
    .filter(({ spec }) => {
      if (spec?.selector === undefined) return false;
      return labelSelector(spec.selector).matches(metadata.labels ?? {});
    });
}

function isReady(pod: KubeObject): boolean {
  const conditions = (pod as Pod).status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

function mayEvictUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** @throws {ApiError} 429 when the budget allows no disruption now. */
function spend(budget: PodDisruptionBudget, pod: string, now: string): void {
  const { metadata, status } = budget;
  const { name = "", generation = 0 } = metadata ?? {};
  if (status === undefined || (status.observedGeneration ?? 0) < generation) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (status.disruptionsAllowed <= 0) {
    const { desiredHealthy, currentHealthy } = status;
    throw tooMany(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  status.disruptionsAllowed--;
  status.disruptedPods = { ...status.disruptedPods, [pod]: now };
}

function tooMany(cause: string, retryAfterSeconds?: number): ApiError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  const causes = [{ reason: "DisruptionBudget", message: cause }];
  return new ApiError(
    failureStatus("TooManyRequests", message, { causes, ...(retryAfterSeconds && { retryAfterSeconds }) }),
  );
}
