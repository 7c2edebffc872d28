import type { StatusPatch } from "fettle/runtime";
import type { Decision } from "./decide.js";
import type { Attempt } from "./driver/driver.js";
import { causeText } from "./driver/exit-text.js";
import type { Process, ProcessObject } from "./kinds.js";

type ProcessStatus = NonNullable<ProcessObject["status"]>;
type Exit = NonNullable<ProcessStatus["lastExit"]>;

/** Exits in the status; older ones are in the events. */
const maxExits = 5;

/** Status of a process, without its conditions. Null removes a field. */
export function statusOf(
  { status, metadata, spec }: ProcessObject,
  attempts: readonly Attempt[],
  decision: Decision,
  ports: Readonly<Record<string, number>>,
  now: number,
): StatusPatch<typeof Process> {
  const latest = attempts.at(-1);
  const exits = attempts.flatMap((attempt) => exitOf(attempt) ?? []);
  const running = latest?.exit === undefined ? latest : undefined;
  const usage = significantUsage(status, running, now);
  return {
    state: stateOf(decision, latest),
    attempt: latest?.number ?? null,
    pid: running?.process?.pid ?? null,
    startTicks: running?.process?.startTicks ?? null,
    bootId: running?.process?.bootId ?? null,
    startedAt: running?.startedAt === undefined ? null : timeText(running.startedAt),
    adopted: running?.adopted ?? null,
    restarts: latest?.record.restarts ?? 0,
    lastExit: exits.at(-1) ?? null,
    exits: exits.slice(-maxExits),
    ports: spec.ports.length === 0 ? null : ports,
    tracking: running === undefined ? null : trackingNames[running.tracking],
    cpuSeconds: usage?.cpuSeconds ?? null,
    memoryBytes: usage?.memoryBytes ?? null,
    pids: usage?.pids ?? null,
    usageAt: usage?.usageAt ?? null,
    nextRun: decision.type === "delay" ? timeText(decision.until) : null,
    // A process that starts with the annotation needs no signal for it.
    ...(status?.reloadedAt === undefined && {
      reloadedAt: metadata.annotations?.["process.fettle.dev/reloadedAt"] ?? null,
    }),
  };
}

const trackingNames = { cgroup: "Cgroup", subreaper: "Subreaper", none: "ProcessGroup" } as const;

function stateOf(decision: Decision, latest: Attempt | undefined): NonNullable<ProcessStatus["state"]> {
  switch (decision.type) {
    case "start":
      return "Pending";
    case "stop":
    case "await-exit":
      return "Stopping";
    case "keep":
      return latest?.state === "starting" ? "Starting" : "Running";
    case "delay":
      return decision.state;
    case "rest":
      return decision.state;
    case "give-up":
      return "Failed";
  }
}

function exitOf({ number, startedAt, exit }: Attempt): Exit | undefined {
  if (exit === undefined) return undefined;
  const { cause, code, signal, oomKilled, leftovers, at } = exit;
  return {
    attempt: number,
    cause,
    ...(code !== undefined && { code }),
    ...(signal !== undefined && { signal }),
    ...(oomKilled && { oomKilled }),
    message: causeText(exit),
    ...(leftovers > 0 && { leftovers }),
    ...(startedAt !== undefined && { startedAt: timeText(startedAt) }),
    finishedAt: timeText(at),
  };
}

/** Fraction by which the usage has to change before the status is written again: every write is stored for ever. */
const significant = 0.1;

function significantUsage(
  status: ProcessStatus | undefined,
  running: Attempt | undefined,
  now: number,
): Pick<ProcessStatus, "cpuSeconds" | "memoryBytes" | "pids" | "usageAt"> | undefined {
  const usage = running?.usage;
  if (usage === undefined) return undefined;
  const { cpuSeconds, memoryBytes, pids } = usage;
  const isSame =
    status?.pids === pids &&
    status.startTicks === running?.process?.startTicks &&
    isNear(status.memoryBytes, memoryBytes) &&
    isNear(status.cpuSeconds, cpuSeconds);
  return isSame
    ? status
    : {
        cpuSeconds: Math.round(cpuSeconds * 100) / 100,
        memoryBytes,
        pids,
        usageAt: timeText(now),
      };
}

function isNear(before: number | undefined, now: number): boolean {
  return before !== undefined && Math.abs(now - before) <= significant * Math.max(before, now);
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}

/** Conditions of a process by type. */
export function conditionsOf({ status }: ProcessObject): {
  readonly ready: string | undefined;
  readonly logsComplete: string | undefined;
} {
  const find = (type: string): string | undefined =>
    status?.conditions?.find((condition) => condition.type === type)?.status;
  return { ready: find("Ready"), logsComplete: find("LogsComplete") };
}
