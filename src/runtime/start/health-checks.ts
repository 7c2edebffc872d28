import type { Informers, InformerState } from "../../client/informer/informers.js";
import { formatDuration, type Clock } from "../../model/core.js";
import type { CheckResult, Health } from "../health/health.js";
import type { WorkOwnership } from "../lease/work-ownership.js";
import { messageOf } from "../log/message-of.js";
import type { ControllerHandle } from "../loop/controller-handle.js";

interface CheckedParts {
  readonly informers: Informers;
  readonly controllers: readonly ControllerHandle[];
  readonly clock: Clock;
  /** Why the controllers could not be started; undefined while they could. */
  readonly failure: () => unknown;
  /** The ownership and the name of its check; undefined for a process that works alone. */
  readonly ownership: { readonly name: string; readonly of: WorkOwnership } | undefined;
}

/** Milliseconds for which watching may fail before it counts: servers restart. */
const longestFailure = 30_000;
/** Milliseconds that an object may wait for a worker after it is due. */
const longestWait = 300_000;

/** Adds the checks of running controllers to the health of the process. */
export function addHealthChecks(health: Health, parts: CheckedParts): void {
  const { informers, controllers, clock, failure, ownership } = parts;
  // Starting is not tried again after it failed, so the process should be restarted: that is liveness.
  health.check(
    "controllers",
    () => {
      const error = failure();
      return error === undefined || { ok: false, message: messageOf(error) };
    },
    { probes: ["liveness", "readiness"] },
  );
  health.check("informers", () => checkInformers(informers.states(), clock.now()));
  health.check("queues", () => checkQueues(controllers), { critical: false });
  if (ownership !== undefined) health.check(ownership.name, () => ownership.of.health());
}

/** Not ready before the first list; degraded while a watch fails, since objects can still be read from the cache. */
export function checkInformers(states: readonly InformerState[], now: number): CheckResult {
  const waiting = states.filter(({ synced }) => !synced);
  if (waiting.length > 0) {
    const kinds = waiting.map(({ kind }) => kind.kind).join(", ");
    return { ok: false, message: `waiting for the first list of ${kinds}` };
  }
  const failing = states.flatMap(({ kind, phase, failingSince = now, lastError }) => {
    const time = now - failingSince;
    if (phase === "watching" || time < longestFailure) return [];
    return [`watching ${kind.kind} has failed for ${rounded(time)}: ${messageOf(lastError)}`];
  });
  return failing.length === 0 || { ok: false, message: failing.join("; "), critical: false };
}

/** State of a controller from which its queue is judged. */
type CheckedController = Pick<ControllerHandle, "name" | "concurrency" | "isPaused" | "dead"> & {
  readonly loop: Pick<NonNullable<ControllerHandle["loop"]>, "active" | "queue"> | undefined;
};

/** Degraded while objects wait too long for a worker, or were given up. */
export function checkQueues(controllers: readonly CheckedController[]): CheckResult {
  const problems = controllers.flatMap((each) => {
    const { name, loop, concurrency } = each;
    const dead = each.dead().length;
    const longest = loop === undefined || each.isPaused() ? 0 : loop.queue.longestWait;
    const running = `${loop?.active ?? 0} of ${concurrency} workers busy`;
    return [
      ...(longest > longestWait
        ? [`${name}: an object has waited ${rounded(longest)} for a worker (${running})`]
        : []),
      ...(dead > 0 ? [`${name}: ${dead === 1 ? "1 object was" : `${dead} objects were`} given up`] : []),
    ];
  });
  return problems.length === 0 || { ok: false, message: problems.join("; ") };
}

function rounded(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 1000) * 1000);
}
