import { duration } from "fettle";
import type { Observed, ReconcileContext, Verdict } from "fettle/runtime";
import { decide, type Decision } from "./decide.js";
import { dependencyCycle, unmetDependency } from "./dependencies.js";
import type { Attempt, Launch, ProcessDriver } from "./driver/driver.js";
import { Process, restartedAt, type ProcessSpec } from "./kinds.js";
import { hashOf, LaunchError } from "./launch.js";
import type { Prober, ProbeReport } from "./prober.js";
import { referencesAreCurrent } from "./references.js";
import { conditionsOf } from "./status.js";

/** One run of the controller for a process. */
export interface ProcessRun {
  readonly uid: string;
  readonly process: Observed<typeof Process>;
  readonly context: ReconcileContext<typeof Process, never>;
  readonly driver: ProcessDriver;
  readonly prober: Prober;
  readonly ports: Readonly<Record<string, number>>;
  /** Launch that the spec asks for, or the reason why there is none now. */
  readonly launch: Launch | LaunchError;
}

/** Attempts of a process, with the action that is due next. */
export interface Assessment {
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  readonly decision: Decision;
  /** Undefined unless the latest attempt is running. */
  readonly probes: ProbeReport | undefined;
}

/** End of a run that can do nothing now. */
interface Ended {
  readonly verdict: Verdict;
}

/** Actions in one run: a program that ends at once is started again in the next one. */
const maxActions = 3;

/** Starts and stops attempts until nothing but waiting is due, {@link maxActions} were performed, or something prevents it. */
export async function performActions(
  run: ProcessRun,
  attempts: readonly Attempt[],
): Promise<Assessment | Ended> {
  let assessment = assess(run, attempts);
  for (let actions = 0; actions < maxActions; actions++) {
    const { decision } = assessment;
    if (decision.type !== "start" && decision.type !== "stop") break;
    if (!(await isCurrent(run))) {
      keepReady(run);
      return { verdict: run.context.requeue("2s", "it has changed since it was cached") };
    }
    const result =
      decision.type === "start" ? await start(run, decision, assessment.attempts) : await stop(run, decision);
    if ("verdict" in result) return result;
    if (result.isPlan) return { ...assessment, attempts: result.attempts };
    assessment = assess(run, result.attempts);
  }
  return assessment;
}

/** Runs the probes of the latest attempt, and decides what to do next. */
function assess(run: ProcessRun, attempts: readonly Attempt[]): Assessment {
  const { process, context, launch } = run;
  const { metadata, spec } = process;
  const probes = probeLatest(run, attempts.at(-1));
  const decision = decide({
    spec,
    createdAt: Date.parse(metadata.creationTimestamp ?? ""),
    hash: launch instanceof LaunchError ? undefined : hashOf(launch),
    restartedAt: metadata.annotations?.[restartedAt],
    attempts,
    probeFailure: probes?.failure,
    now: context.now(),
  });
  return { attempts, decision, probes };
}

function probeLatest(run: ProcessRun, latest: Attempt | undefined): ProbeReport | undefined {
  const { uid, process, prober, launch } = run;
  const { namespace, name, spec, status } = process;
  if (latest?.state !== "running" || launch instanceof LaunchError) {
    prober.stop(uid);
    return undefined;
  }
  const { number, adopted, record } = latest;
  const wasReady = adopted && status?.attempt === number && conditionsOf(process).ready === "True";
  return prober.report({ uid, namespace, name, number, spec, ports: record.ports, launch, wasReady });
}

/** Attempts after an action. A plan performs no steps, so that nothing has changed. */
interface Performed {
  readonly attempts: readonly Attempt[];
  readonly isPlan: boolean;
}

async function start(
  run: ProcessRun,
  { attempt, record }: Extract<Decision, { type: "start" }>,
  before: readonly Attempt[],
): Promise<Performed | Ended> {
  const { uid, process, context, driver, ports, launch } = run;
  const { namespace, name } = process;
  if (launch instanceof LaunchError) {
    context.report({ state: "Pending" });
    const { reason, message } = launch;
    return {
      verdict: reason === "InvalidSpec" ? context.fail(reason, message) : context.wait(reason, message),
    };
  }
  const verdict = await startObstacle(run);
  if (verdict !== undefined) return { verdict };
  await context.step(`start attempt ${attempt} (${record.reason})`, () =>
    driver.start(uid, attempt, launch, { ...record, namespace, name, hash: hashOf(launch), ports }),
  );
  const attempts = await driver.inspect(uid);
  const isPlan = attempts.at(-1)?.number !== attempt && attempts.length === before.length;
  if (!isPlan) context.recordEvent("Started", `attempt ${attempt}: ${commandText(process.spec)}`);
  return { attempts, isPlan };
}

/** Verdict of a run that cannot start the process now; undefined if it can. */
async function startObstacle({ process, context, driver, ports }: ProcessRun): Promise<Verdict> {
  const { read, report, wait, fail } = context;
  const { namespace, spec } = process;
  const find = (name: string) => read(Process, { name, namespace });
  const cycle = dependencyCycle(process, find);
  if (cycle !== undefined) {
    report({ state: "Pending" });
    return fail("DependencyCycle", `these processes wait for each other: ${cycle.join(" → ")}`);
  }
  const unmet = unmetDependency(process, find);
  if (unmet !== undefined) {
    report({ state: "Pending" });
    return wait("WaitingForDependency", unmet);
  }
  for (const { name, host } of spec.ports) {
    const port = ports[name] ?? 0;
    if (port === 0 || (await driver.isPortFree(host, port))) continue;
    report({ state: "Pending" });
    return wait("PortInUse", `port ${port} (${name}) on ${host} is in use by another program`, "5s");
  }
  return undefined;
}

async function stop(
  { uid, process, context, driver }: ProcessRun,
  { attempt: { number }, reason, message }: Extract<Decision, { type: "stop" }>,
): Promise<Performed> {
  const { signal, grace } = process.spec.stop;
  await context.step(`stop attempt ${number} (${reason})`, () =>
    driver.stop(uid, number, { reason, signal, grace: duration(grace) }),
  );
  context.recordEvent("Stopping", message);
  const attempts = await driver.inspect(uid);
  return { attempts, isPlan: attempts.at(-1)?.stopReason === undefined };
}

/**
 * Reads the object and its references from the API, because the cache may be behind: a process that was deleted must not be
 * started, and one that follows a newer spec must not be replaced by an older one.
 */
function isCurrent({ uid, process, context }: ProcessRun): Promise<boolean> {
  const { metadata, name, namespace } = process;
  return context.step("check that it is current", { planned: true }, async (signal) => {
    const stored = (await context.client.find(Process, { name, namespace }, { signal }))?.metadata;
    if (stored?.uid !== uid || stored.deletionTimestamp !== undefined) return false;
    if (stored.generation !== metadata.generation) return false;
    if (stored.annotations?.[restartedAt] !== metadata.annotations?.[restartedAt]) return false;
    return referencesAreCurrent(process, context, signal);
  });
}

/** Leaves the Ready condition as it is: nothing was done that could have changed it. */
function keepReady({ process: { status }, context }: ProcessRun): void {
  const before = status?.conditions?.find(({ type }) => type === "Ready");
  context.condition("Ready", before?.status ?? "False", before?.reason ?? "Pending", before?.message);
}

/** Command line on one line, shortened. Variables are not replaced, since their values may be secret. */
function commandText({ command, args }: ProcessSpec): string {
  const text = [...command, ...args].join(" ").replaceAll(/\s+/g, " ");
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
