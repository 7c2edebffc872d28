import { isIP } from "node:net";
import { controller, schedule, strategies, type Controller, type TriggerSource } from "fettle";
import { BackendHealthChanged } from "fettle/events";
import type { Schedule } from "fettle/runtime";
import { Backend, type BackendObject, type HealthState } from "../kinds/proxy.js";
import { healthMessage, summarize, type ResolvedTarget, type TargetStatus } from "./backend-status.js";
import { healthChange } from "./health-change.js";
import type { AddressHealth } from "./hysteresis.js";
import { targetKey, type HealthProber, type TargetStates } from "./prober.js";
import { refreshInterval, type ResolveHost } from "./resolve-name.js";

export interface BackendsOptions {
  readonly prober: HealthProber;
  /** Triggers runs of backends whose health has changed. */
  readonly changes: TriggerSource;
  readonly resolve: ResolveHost;
}

/** Resolves the names of targets, checks their health, and reports it. */
export function backends({ prober, changes, resolve }: BackendsOptions): Controller {
  return controller({
    for: Backend,
    triggers: [changes],
    // A batch of the configuration must not delay news about health.
    strategy: strategies.immediate,
    concurrency: 16,
    resync: "10m",

    async reconcile(backend, { report, ready, wait, requeue, step, emit, recordEvent, now }) {
      const targets = await resolveTargets(backend, resolve);
      const states = await step("update the health checks", { planned: undefined }, () =>
        probe(backend, targets, prober),
      );
      const summary = summarize(backend, targets, states, now());
      report({ ...summary, targets: [...summary.targets] });

      const change = healthChange(backend, summary);
      if (change !== undefined) {
        emit(BackendHealthChanged.event(change));
        const isWorse = change.status === "unhealthy" || change.status === "degraded";
        recordEvent(`Backend${reasons[change.status]}`, change.reason, isWorse ? "Warning" : "Normal");
      }

      const message = healthMessage(summary);
      const hasNames = targets.some(({ target }) => isIP(target.host) === 0);
      if (summary.health === "unknown" || summary.health === "unhealthy") {
        const reason = summary.total === 0 ? "NoTargets" : reasons[summary.health];
        return wait(reason, message, hasNames ? refreshInterval : undefined);
      }
      ready(reasons[summary.health], message);
      return hasNames ? requeue(refreshInterval, "resolve names again") : undefined;
    },
  });
}

const reasons = {
  healthy: "Healthy",
  degraded: "Degraded",
  unhealthy: "Unhealthy",
  unknown: "Checking",
} as const satisfies Record<HealthState, string>;

/** Stops the checks of deleted backends, which have no finalizer. */
export function deletedBackends({ prober }: Pick<BackendsOptions, "prober">): Schedule {
  return schedule({
    name: "deleted-backends",
    every: "1m",
    async run({ client, cleanedUp }) {
      const uids = new Set<string>();
      for await (const { metadata } of client.each(Backend)) uids.add(metadata.uid ?? "");
      cleanedUp(prober.retain(uids));
    },
  });
}

function resolveTargets(
  { metadata, spec, status }: BackendObject,
  resolve: ResolveHost,
): Promise<readonly ResolvedTarget[]> {
  const { namespace = "" } = metadata;
  const lastKnown = new Map((status?.targets ?? []).map((each) => [targetKey(each), each.addresses]));
  return Promise.all(
    spec.targets.map(async (target) => ({
      target,
      resolution: await resolve(target.host, { namespace, lastKnown: lastKnown.get(targetKey(target)) }),
    })),
  );
}

/** Results of the checks so far; undefined if there is no health check. */
function probe(
  { metadata, spec, status }: BackendObject,
  targets: readonly ResolvedTarget[],
  prober: HealthProber,
): TargetStates | undefined {
  const { uid = "", namespace = "", name = "" } = metadata;
  const { healthCheck } = spec;
  if (healthCheck === undefined) {
    prober.stop(uid);
    return undefined;
  }
  const earlier = new Map((status?.targets ?? []).map((each) => [targetKey(each), each]));
  return prober.report({
    uid,
    namespace,
    name,
    healthCheck,
    targets: targets.map(({ target: { host, port }, resolution: { addresses } }) => ({
      host,
      port,
      addresses,
    })),
    earlierHealth: (target, address) => earlierHealth(earlier.get(targetKey(target)), address),
  });
}

/** Health of an address according to the status. Those of a degraded target in the status are the healthy ones. */
function earlierHealth(before: TargetStatus | undefined, address: string): AddressHealth {
  if (before === undefined || !before.addresses.includes(address) || before.health === "unknown")
    return "unknown";
  return before.health === "unhealthy" ? "unhealthy" : "healthy";
}
