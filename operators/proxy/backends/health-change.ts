import type { BackendObject, HealthState } from "../kinds/proxy.js";
import { healthMessage, type BackendSummary } from "./backend-status.js";
import { targetKey } from "./prober.js";

/** Data of the event about a change of health. */
export type HealthChange = {
  /** Name of the backend. */
  readonly backend: string;
  readonly namespace: string;
  readonly status: HealthState;
  readonly previous: HealthState;
  readonly reason: string;
  /** The target, if only one has changed. */
  readonly target?: string | undefined;
  /** First targets that have changed. */
  readonly targets: readonly {
    readonly target: string;
    readonly status: HealthState;
    readonly previous: HealthState;
    readonly reason?: string | undefined;
  }[];
};

/** Targets that an event lists. */
const maxTargets = 20;

/**
 * Data of the event about a backend whose health, or that of a target, has changed. The status is that of the whole backend in any case:
 * an alert about it must not end because one of its targets has recovered.
 */
export function healthChange(
  { metadata, status }: BackendObject,
  summary: BackendSummary,
): HealthChange | undefined {
  const { name = "", namespace = "" } = metadata;
  const earlier = new Map((status?.targets ?? []).map((each) => [targetKey(each), each.health]));
  const changed = summary.targets
    .map(({ host, port, health, reason }) => {
      const target = targetKey({ host, port });
      return { target, status: health, previous: earlier.get(target) ?? "unknown", reason };
    })
    .filter((each) => each.status !== each.previous);
  const present = new Set(summary.targets.map(targetKey));
  const removed = [...earlier.keys()].filter((target) => !present.has(target));
  const previous = status?.health ?? "unknown";
  if (summary.health === previous && changed.length === 0 && removed.length === 0) return undefined;
  const [first] = changed;
  const isOne = changed.length === 1 && removed.length === 0;
  return {
    backend: name,
    namespace,
    status: summary.health,
    previous,
    reason:
      isOne && first !== undefined && summary.health === previous
        ? `${first.target} is ${first.status}${first.reason === undefined ? "" : `: ${first.reason}`}`
        : changed.length === 0 && removed.length > 0
          ? `${removed.length} targets were removed; ${healthMessage(summary)}`
          : healthMessage(summary),
    ...(isOne && { target: first?.target }),
    targets: changed.slice(0, maxTargets),
  };
}
