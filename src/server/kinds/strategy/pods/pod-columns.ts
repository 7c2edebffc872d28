import type { ContainerStatus, Pod } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../model/core.js";
import type { TableColumn } from "../../../resources/resource-type.js";
import { ageOf, nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, none, wide } from "../columns.js";
import { as } from "../kind-rules.js";

export const podColumns: readonly TableColumn[] = [
  nameColumn,
  column("Ready", "Ready containers out of all.", (object) => {
    const { ready, total } = summarize(object);
    return `${ready}/${total}`;
  }),
  column(
    "Status",
    "Phase of the pod, or the reason why it does not run.",
    (object) => summarize(object).reason,
  ),
  column("Restarts", "Number of restarts of its containers.", (object, now) => {
    const { restarts, lastRestart } = summarize(object);
    return restarts > 0 && lastRestart ? `${restarts} (${ageOf(lastRestart, now)} ago)` : String(restarts);
  }),
  builtInAgeColumn,
  column("IP", "Address of the pod.", (object) => none(as<Pod>(object).status?.podIPs?.[0]?.ip), wide),
  column("Node", "Node that runs the pod.", (object) => none(as<Pod>(object).spec?.nodeName), wide),
  column(
    "Nominated Node",
    "Node on which pods are preempted for this one.",
    (object) => none(as<Pod>(object).status?.nominatedNodeName),
    wide,
  ),
  column("Readiness Gates", "Readiness gates that hold, out of all.", readinessGates, wide),
];

interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
}

/** Summary of a pod for the columns, from its status. */
function summarize(object: KubeObject): PodSummary {
  const pod = as<Pod>(object);
  const { status = {}, metadata = {} } = pod;
  const sidecars = new Set<string>();
  for (const { name, restartPolicy } of pod.spec?.initContainers ?? []) {
    if (restartPolicy === "Always") sidecars.add(name);
  }
  let reason = status.reason || (status.phase ?? "");
  if (status.conditions?.some((each) => each.type === "PodScheduled" && each.reason === "SchedulingGated")) {
    reason = "SchedulingGated";
  }
  const first = status.initContainerStatuses ?? [];
  const counting = [...first.filter(({ name }) => sidecars.has(name)), ...(status.containerStatuses ?? [])];
  const stopped = first.findIndex(
    (each) => !hasSucceeded(each) && !(sidecars.has(each.name) && each.started),
  );
  const initialized = conditionOf(pod, "Initialized") === "True";
  const initializing = stopped >= 0 && !initialized;
  const held = first[stopped];
  if (initializing && held) {
    reason = `Init:${stateReason(held, "PodInitializing") ?? `${stopped}/${pod.spec?.initContainers?.length ?? 0}`}`;
  } else reason = reasonOf(pod, reason);
  const terminal = status.phase === "Succeeded" || status.phase === "Failed";
  if (metadata.deletionTimestamp && status.reason === "NodeLost") reason = "Unknown";
  else if (metadata.deletionTimestamp && !terminal) reason = "Terminating";
  const restarted = initializing ? first : counting;
  const ends = restarted.map(({ lastState }) => lastState?.terminated?.finishedAt ?? "");
  return {
    ready: initializing ? 0 : counting.filter(({ ready, state }) => ready && state?.running).length,
    total: (pod.spec?.containers?.length ?? 0) + sidecars.size,
    reason,
    restarts: restarted.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0),
    lastRestart: ends.sort().at(-1) || undefined,
  };
}

/** Reason of the first container that does not run. */
function reasonOf(pod: Pod, otherwise: string): string {
  let reason = otherwise;
  let running = false;
  for (const each of pod.status?.containerStatuses?.toReversed() ?? []) {
    const why = stateReason(each);
    if (why !== undefined) reason = why;
    else if (each.ready && each.state?.running) running = true;
  }
  if (reason !== "Completed" || !running) return reason;
  return conditionOf(pod, "Ready") === "True" ? "Running" : "NotReady";
}

function stateReason({ state = {} }: ContainerStatus, expected?: string): string | undefined {
  const { waiting, terminated } = state;
  if (waiting?.reason && waiting.reason !== expected) return waiting.reason;
  if (!terminated) return undefined;
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}

function hasSucceeded({ state }: ContainerStatus): boolean {
  return state?.terminated !== undefined && (state.terminated.exitCode ?? 0) === 0;
}

function conditionOf({ status }: Pod, type: string): string | undefined {
  return status?.conditions?.find((each) => each.type === type)?.status;
}

function readinessGates(object: KubeObject): string {
  const pod = as<Pod>(object);
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return none(undefined);
  const open = gates.filter(({ conditionType }) => conditionOf(pod, conditionType) === "True").length;
  return `${open}/${gates.length}`;
}
