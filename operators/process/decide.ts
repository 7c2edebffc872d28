import { cron, duration } from "fettle";
import type { Attempt, AttemptRecord, ExitRecord, StartReason, StopReason } from "./driver/driver.js";
import { exitText } from "./driver/exit-text.js";
import type { ProcessSpec } from "./kinds.js";

/** Everything that the next action depends on. */
export interface Situation {
  readonly spec: ProcessSpec;
  /** Time of creation of the object, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Hash of the launch that the spec asks for; undefined if it cannot be determined now. */
  readonly hash: string | undefined;
  /** Value of the restart annotation. */
  readonly restartedAt?: string | undefined;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** Failure of a startup or liveness probe of the running attempt. */
  readonly probeFailure?: string | undefined;
  readonly now: number;
}

/** Part of a record that a decision determines; the rest describes the launch. */
type NewRecord = Pick<
  AttemptRecord,
  "reason" | "restarts" | "failures" | "recentStarts" | "restartedAt" | "due"
>;

/** Next action for a process, with the state that it is in until then. */
export type Decision =
  | { readonly type: "start"; readonly attempt: number; readonly record: NewRecord }
  | {
      readonly type: "stop";
      readonly attempt: Attempt;
      readonly reason: StopReason;
      readonly message: string;
    }
  /** It runs as it should. */
  | { readonly type: "keep"; readonly attempt: Attempt }
  /** It was asked to stop, and has not ended yet. */
  | { readonly type: "await-exit"; readonly attempt: Attempt }
  /** It is started again at a later time. */
  | {
      readonly type: "delay";
      readonly until: number;
      readonly state: "Backoff" | "Pending";
      readonly message: string;
    }
  /** It does not run, and should not. */
  | { readonly type: "rest"; readonly state: "Stopped" | "Completed" | "Failed"; readonly message: string }
  /** It is not started again, because it was started too often. */
  | { readonly type: "give-up"; readonly message: string };

/** Decides what to do about a process. Pure: the same situation always has the same decision. */
export function decide(situation: Situation): Decision {
  const { attempts, spec } = situation;
  const latest = attempts.at(-1);
  if (latest === undefined) {
    if (spec.suspend) return { type: "rest", state: "Stopped", message: "suspended before its first start" };
    return spec.schedule === undefined ? start(situation, "Created") : scheduled(situation, undefined);
  }
  return latest.exit === undefined
    ? whileAlive(situation, latest)
    : afterExit(situation, latest, latest.exit);
}

function whileAlive(situation: Situation, latest: Attempt): Decision {
  const { spec, hash, restartedAt, probeFailure } = situation;
  if (latest.stopReason !== undefined) return { type: "await-exit", attempt: latest };
  const stop = (reason: StopReason, message: string): Decision => ({
    type: "stop",
    attempt: latest,
    reason,
    message,
  });
  if (latest.state === "orphaned") {
    return stop("Orphaned", "its shim was killed, so that its output and its exit code would be lost");
  }
  if (spec.suspend) return stop("Suspended", "spec.suspend is true");
  if (probeFailure !== undefined) return stop("ProbeFailed", probeFailure);
  // A task ends by itself; the next one follows the new spec.
  if (spec.schedule !== undefined) return { type: "keep", attempt: latest };
  if (hash !== undefined && hash !== latest.record.hash) {
    return stop("Changed", "its command, environment, user, ports, limits or log settings changed");
  }
  if (restartedAt !== undefined && restartedAt !== latest.record.restartedAt) {
    return stop("Requested", `a restart was requested at ${restartedAt}`);
  }
  return { type: "keep", attempt: latest };
}

function afterExit(situation: Situation, latest: Attempt, exit: ExitRecord): Decision {
  const { spec, hash, restartedAt } = situation;
  if (spec.suspend) return { type: "rest", state: "Stopped", message: exitText(exit) };
  if (restartedAt !== undefined && restartedAt !== latest.record.restartedAt)
    return start(situation, "Requested");
  if (spec.schedule !== undefined) return scheduled(situation, latest);
  if (hash !== undefined && hash !== latest.record.hash) return start(situation, "Changed");
  switch (latest.stopReason) {
    case "Suspended":
      return start(situation, "Resumed");
    case "Changed":
    case "Requested":
      return start(situation, latest.stopReason);
    default:
      return byPolicy(situation, latest, exit);
  }
}

/** Applies the restart policy to an attempt that ended without being asked to, or because a probe failed. */
function byPolicy(situation: Situation, latest: Attempt, exit: ExitRecord): Decision {
  const { policy, successExitCodes, startLimit, backoff } = situation.spec.restart;
  const { now } = situation;
  const isSuccess = latest.stopReason === undefined && isSuccessful(exit, successExitCodes);
  if (policy === "Never" || (policy === "OnFailure" && isSuccess)) {
    return { type: "rest", state: isSuccess ? "Completed" : "Failed", message: exitText(exit) };
  }
  if (exit.cause === "Rebooted") return start(situation, "Rebooted");
  const { burst } = startLimit;
  const recent = recentStarts(latest, duration(startLimit.interval), exit.at);
  if (burst > 0 && recent.length >= burst) {
    return {
      type: "give-up",
      message: `restarted ${recent.length} times within ${startLimit.interval}; last: ${exitText(exit)}. Restart it with: fettle restart process/${latest.record.name}`,
    };
  }
  const failures = ranStably(situation, latest, exit) ? 0 : latest.record.failures;
  // After the clock was set back, nobody knows how long ago it was.
  const until = exit.at > now ? now : exit.at + delayAfter(failures, backoff);
  if (until > now) {
    return {
      type: "delay",
      until,
      state: "Backoff",
      message: `${exitText(exit)}; the next attempt starts at ${new Date(until).toISOString()}`,
    };
  }
  return start(situation, latest.stopReason === "ProbeFailed" ? "ProbeFailed" : "Exited", {
    restarts: latest.record.restarts + 1,
    failures: failures + 1,
    recentStarts: burst > 0 ? [...recent, now].slice(-burst) : [],
  });
}

/** Explains what is wrong with a schedule; undefined if it is valid or there is none. */
export function scheduleFault({ schedule }: ProcessSpec, now: number): string | undefined {
  if (schedule === undefined) return undefined;
  try {
    cron(schedule.cron, schedule.timeZone).next(now);
    return undefined;
  } catch (error) {
    return `spec.schedule: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Delay before a restart: none after the first failure, then the initial one, doubling. */
function delayAfter(failures: number, { initial, max }: ProcessSpec["restart"]["backoff"]): number {
  if (failures === 0) return 0;
  return Math.min(duration(initial) * 2 ** Math.min(failures - 1, 40), duration(max));
}

function recentStarts({ record }: Attempt, interval: number, until: number): readonly number[] {
  // Later ones are from before the clock was set back, and nobody knows how long ago they were.
  return record.recentStarts.filter((time) => time <= until && until - time < interval);
}

function ranStably({ spec }: Situation, { startedAt }: Attempt, exit: ExitRecord): boolean {
  return startedAt !== undefined && exit.at - startedAt >= duration(spec.restart.backoff.resetAfter);
}

/** Decides about a task: started at its times, never twice at once. */
function scheduled(situation: Situation, latest: Attempt | undefined): Decision {
  const { spec, createdAt, now } = situation;
  const { schedule } = spec;
  if (schedule === undefined) throw new TypeError("the process has no schedule");
  const retry = latest === undefined ? undefined : retryOfTask(situation, latest);
  const cadence = cron(schedule.cron, schedule.timeZone);
  const deadline = schedule.startingDeadline === undefined ? undefined : duration(schedule.startingDeadline);
  // Times before the last one that was acted upon, and those missed for longer than the deadline, do not count.
  const last = latest?.record.due ?? createdAt;
  const after = Math.max(last - now > maxSetBack ? 0 : last, now - (deadline ?? missedTolerance) - 1);
  const due = cadence.next(after);
  if (due <= now) return start(situation, "Scheduled", { due: latestDue(cadence, due, now) });
  if (retry !== undefined && (retry.type === "start" || retry.until < due)) return retry;
  const lastRun = latest?.exit === undefined ? "" : `; last run: ${exitText(latest.exit)}`;
  return {
    type: "delay",
    until: due,
    state: "Pending",
    message: `next run at ${new Date(due).toISOString()}${lastRun}`,
  };
}

/** Milliseconds after its time within which a run is still started although no deadline allows it: what a busy machine needs. */
const missedTolerance = 10_000;

/**
 * Milliseconds by which the clock can be set back without times being repeated, as in Vixie cron. If it was ahead by more, tasks follow
 * the clock as it is now: they would not run until it has caught up otherwise.
 */
const maxSetBack = 3 * 3_600_000;

/** The last of the times that have passed, so that several missed ones are made up for by one run. */
function latestDue(cadence: ReturnType<typeof cron>, first: number, now: number): number {
  let due = first;
  for (let seen = 0, next = cadence.next(due); next <= now; next = cadence.next(due)) {
    // A task of every second that was missed for a month: any later time will do.
    due = ++seen < 1000 ? next : now;
  }
  return due;
}

/** With the policy `OnFailure`, a failed task is repeated until its next time. */
function retryOfTask(
  situation: Situation,
  latest: Attempt,
): Extract<Decision, { type: "start" | "delay" }> | undefined {
  const { restart } = situation.spec;
  if (restart.policy !== "OnFailure" || latest.exit === undefined) return undefined;
  const decision = byPolicy(situation, latest, latest.exit);
  if (decision.type === "delay") return decision;
  if (decision.type !== "start") return undefined;
  return { ...decision, record: { ...decision.record, due: latest.record.due } };
}

function start(
  { attempts, restartedAt }: Situation,
  reason: StartReason,
  more: Partial<NewRecord> = {},
): Extract<Decision, { type: "start" }> {
  const latest = attempts.at(-1);
  return {
    type: "start",
    attempt: (latest?.number ?? 0) + 1,
    record: {
      reason,
      restarts: latest?.record.restarts ?? 0,
      failures: 0,
      recentStarts: [],
      restartedAt,
      ...more,
    },
  };
}

function isSuccessful(exit: ExitRecord, successExitCodes: readonly number[]): boolean {
  return exit.cause === "Exited" && exit.code !== undefined && successExitCodes.includes(exit.code);
}
