import type { BackendObject, HealthState } from "../kinds/proxy.js";
import { targetKey, type TargetStates } from "./prober.js";
import type { Resolution } from "./resolve-name.js";

type BackendStatus = NonNullable<BackendObject["status"]>;
export type TargetStatus = NonNullable<BackendStatus["targets"]>[number];
type TargetSpec = BackendObject["spec"]["targets"][number];

/** Status of a backend without conditions. */
export interface BackendSummary {
  readonly health: HealthState;
  readonly targets: readonly TargetStatus[];
  /** Targets with a weight that are healthy, and their total. */
  readonly healthy: number;
  readonly total: number;
  readonly lastChange: string;
}

/** Target of a spec with its addresses. */
export interface ResolvedTarget {
  readonly target: TargetSpec;
  readonly resolution: Resolution;
}

/** Status of a backend from the addresses of its targets and the results of their checks; undefined without a health check. */
export function summarize(
  { status }: BackendObject,
  targets: readonly ResolvedTarget[],
  states: TargetStates | undefined,
  now: number,
): BackendSummary {
  const earlier = new Map((status?.targets ?? []).map((each) => [targetKey(each), each]));
  const time = new Date(now).toISOString();
  const statuses = targets.map(({ target, resolution }) => {
    const before = earlier.get(targetKey(target));
    const current = targetStatus(target, resolution, states, before);
    const since = before?.health === current.health ? (before.since ?? time) : time;
    return { ...current, since };
  });
  // Targets without a weight get no requests, so they do not matter to the backend. They are checked all the same.
  const usable = statuses.filter((_, index) => (targets[index]?.target.weight ?? 0) > 0);
  const health = overallHealth(usable.map((each) => each.health));
  return {
    health,
    targets: statuses,
    healthy: usable.filter((each) => each.health === "healthy").length,
    total: usable.length,
    lastChange: status?.health === health ? (status.lastChange ?? time) : time,
  };
}

function targetStatus(
  { host, port }: TargetSpec,
  { addresses, problem }: Resolution,
  states: TargetStates | undefined,
  before: TargetStatus | undefined,
): Omit<TargetStatus, "since"> {
  const named = { host, port };
  if (addresses.length === 0) return { ...named, addresses: [], health: "unhealthy", reason: problem };
  const ofTarget = states?.get(targetKey(named));
  if (ofTarget === undefined)
    return { ...named, addresses: [...addresses], health: "healthy", reason: problem };

  const results = addresses.map((address) => ({
    address,
    ...(ofTarget.get(address) ?? { health: "unknown" as const }),
  }));
  const healthy = results.filter(({ health }) => health === "healthy");
  const failing = results.filter(({ health }) => health !== "healthy");
  const isOpen = results.some(({ health }) => health === "unknown");
  const health = isOpen
    ? healthSoFar(before?.health, healthy.length)
    : addressesHealth(host, healthy.length, failing.length);
  const first = failing.find(({ reason }) => reason !== undefined);
  const failure =
    first === undefined || health === "healthy"
      ? undefined
      : addresses.length === 1
        ? first.reason
        : `${failing.length} of ${addresses.length} addresses fail, ${first.address}: ${first.reason}`;
  return {
    ...named,
    // Requests go to the addresses that work. If none does, nginx may find out better than the checks.
    addresses: healthy.length > 0 ? healthy.map(({ address }) => address) : [...addresses],
    health,
    reason: [failure, problem].filter((text) => text !== undefined).join("; ") || undefined,
  };
}

/** The earlier health holds until all addresses are known, so that a new one changes nothing for the moment. */
function healthSoFar(earlier: HealthState | undefined, healthy: number): HealthState {
  if (earlier !== undefined && earlier !== "unknown") return earlier;
  return healthy > 0 ? "healthy" : "unknown";
}

/** A server often listens on only one of the addresses of localhost, so that one of them is enough. */
function addressesHealth(host: string, healthy: number, failing: number): HealthState {
  if (healthy === 0) return "unhealthy";
  return failing === 0 || host === "localhost" ? "healthy" : "degraded";
}

/**
 * Health of a backend from that of its targets. Unknown targets do not count beside usable ones; beside failing ones, they leave
 * it open whether the backend can be used.
 */
function overallHealth(targets: readonly HealthState[]): HealthState {
  if (targets.length === 0) return "unhealthy";
  const has = (health: HealthState): boolean => targets.includes(health);
  if (has("degraded") || (has("healthy") && has("unhealthy"))) return "degraded";
  if (has("healthy")) return "healthy";
  return has("unknown") ? "unknown" : "unhealthy";
}

/** Sentence about the health of a backend, with the first target that fails. */
export function healthMessage({ health, healthy, total, targets }: BackendSummary): string {
  if (targets.length === 0) return "spec.targets is empty: requests cannot be passed to anything";
  if (total === 0) return "all targets have the weight 0: requests cannot be passed to anything";
  if (health === "unknown") return `waiting for the results of the first checks of ${total} targets`;
  const counts = `${healthy} of ${total} targets are healthy`;
  const failing = targets.find((each) => each.reason !== undefined && each.health !== "healthy");
  return failing === undefined ? counts : `${counts}; ${targetKey(failing)}: ${failing.reason}`;
}
