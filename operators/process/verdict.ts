import type { Duration } from "fettle";
import type { Verdict } from "fettle/runtime";
import type { Assessment, ProcessRun } from "./actions.js";
import type { Attempt } from "./driver/driver.js";
import { LaunchError } from "./launch.js";
import type { ProbeReport } from "./prober.js";
import { conditionsOf } from "./status.js";

/** Interval at which the resource usage in the status is refreshed. */
const usageInterval: Duration = "1m";
/** Time after the start of an attempt until then; the memory of most programs grows while they start. */
const firstUsage = 10_000;

/** Sets the conditions of a process, and returns when to look at it again. */
export function conclude(run: ProcessRun, { attempts, decision, probes }: Assessment): Verdict {
  const { process, context } = run;
  const { wait, requeue, fail, ready, condition, now } = context;
  const latest = attempts.at(-1);
  if (latest !== undefined) reportAttempt(run, latest);
  switch (decision.type) {
    case "keep":
      reportProbes(run, decision.attempt, probes);
      return requeue(untilNextUsage(decision.attempt, now()), "refresh the resource usage");
    case "await-exit": {
      const { grace, signal } = process.spec.stop;
      const { stopReason } = decision.attempt;
      return wait("Stopping", `${signal} was sent (${stopReason}); SIGKILL follows after ${grace}`, grace);
    }
    case "delay": {
      const { state, message, until } = decision;
      const problem = latest?.exit?.problem?.reason;
      if (state === "Pending") ready(problem ?? "Scheduled", message);
      else condition("Ready", false, problem ?? "Backoff", message);
      return requeue(Math.max(until - now(), 0), message);
    }
    case "rest": {
      const { state, message } = decision;
      if (state === "Failed") return fail(latest?.exit?.problem?.reason ?? "Failed", message);
      if (state === "Completed") ready("Completed", message);
      else condition("Ready", false, "Suspended", message);
      return undefined;
    }
    case "give-up":
      return fail("StartLimitReached", decision.message);
    case "start":
    case "stop": {
      // A plan, or the rest of more actions than one run performs.
      const [reason, message] =
        decision.type === "stop"
          ? ["Stopping", `attempt ${decision.attempt.number} is stopping`]
          : ["Starting", `attempt ${decision.attempt} is starting`];
      condition("Ready", false, reason, message);
      return requeue("100ms", message);
    }
  }
}

function untilNextUsage({ startedAt = 0 }: Attempt, now: number): Duration {
  const first = startedAt + firstUsage - now;
  return first > 0 && first <= firstUsage ? first : usageInterval;
}

/** Sets the condition Ready of a running process. */
function reportProbes(
  { context, launch }: ProcessRun,
  { process }: Attempt,
  probes: ProbeReport | undefined,
): void {
  if (probes?.ready === true) return context.ready("Running", `pid ${process?.pid}`);
  if (launch instanceof LaunchError) return context.condition("Ready", false, launch.reason, launch.message);
  const reason = probes?.started === true ? "NotReady" : "Starting";
  context.condition("Ready", false, reason, probes?.message ?? "");
}

/** Sets the condition LimitsInForce of an attempt that has not ended, and LogsComplete. */
function reportAttempt({ process, context }: ProcessRun, { exit, limitProblems, lostLines }: Attempt): void {
  const { condition } = context;
  if (exit === undefined && Object.keys(process.spec.limits).length > 0) {
    const inForce = limitProblems.length === 0;
    condition("LimitsInForce", inForce, inForce ? "Applied" : "NotPermitted", limitProblems.join("; "));
  }
  const { count, reason = "" } = lostLines;
  if (count > 0) condition("LogsComplete", false, "LinesLost", `${count} lines were lost: ${reason}`);
  else if (conditionsOf(process).logsComplete !== undefined) condition("LogsComplete", true, "Written");
}
