import {
  controller,
  duration,
  toIndexed,
  watch,
  type Controller,
  type KubeObject,
  type TriggerSource,
} from "fettle";
import { ConfigMap, Secret } from "fettle/kubernetes";
import { performActions, type ProcessRun } from "./actions.js";
import { scheduleFault } from "./decide.js";
import { DriverError, type Attempt, type Launch, type ProcessDriver } from "./driver/driver.js";
import { Process, reloadedAt, type ProcessObject } from "./kinds.js";
import { launchOf, LaunchError, type References } from "./launch.js";
import { portsOf, releasePorts } from "./ports.js";
import { probeFault, type Prober } from "./prober.js";
import { cachedReferences, keyIn, referenceKeys } from "./references.js";
import { statusOf } from "./status.js";
import { conclude } from "./verdict.js";

export interface ProcessesOptions {
  readonly driver: ProcessDriver;
  readonly prober: Prober;
  /** Triggers runs of processes that changed on the machine. */
  readonly changes: TriggerSource;
  /** Name of this machine. */
  readonly host: string;
}

/** Starts, stops and restarts processes of this machine according to their objects. */
export function processes({ driver, prober, changes, host }: ProcessesOptions): Controller {
  const reserved = new Map<number, string>();
  /** Says where a process of another machine runs; undefined for one of this machine. */
  const otherHost = ({ status }: ProcessObject): string | undefined =>
    status?.host === undefined || status.host === host
      ? undefined
      : `it runs on ${status.host}; this is ${host}`;
  return controller({
    for: Process,
    triggers: [changes],
    concurrency: 16,
    resync: "10m",
    indexes: {
      configMap: (process) => referenceKeys(process, "configMapKeyRef"),
      secret: (process) => referenceKeys(process, "secretKeyRef"),
      dependency: (process) => process.spec.dependsOn.map(({ name }) => keyIn(process, name)),
    },
    watches: [
      watch(ConfigMap, { to: toIndexed("configMap", keyOf) }),
      watch(Secret, { to: toIndexed("secret", keyOf) }),
      watch(Process, { to: toIndexed("dependency", keyOf) }),
    ],

    async reconcile(process, context) {
      const { uid = "" } = process.metadata;
      const { read, readAll, report, step } = context;
      const elsewhere = otherHost(process);
      if (elsewhere !== undefined) return context.wait("OnAnotherHost", elsewhere);

      const attempts = await driver.inspect(uid);
      const ports = await portsOf(process, attempts, {
        driver,
        reserved,
        taken: () =>
          readAll(Process).flatMap(({ metadata, status }) =>
            metadata.uid === uid ? [] : Object.values(status?.ports ?? {}),
          ),
        allocate: (name, allocate) => step(`allocate port ${name}`, { planned: 0 }, allocate),
      });
      const launch = launchOrProblem(process, ports, cachedReferences(process, read), context.now());
      const isRunning = attempts.some(({ exit }) => exit === undefined);
      // One that runs goes on, and can be stopped.
      if (isInvalid(launch) && !isRunning && !process.spec.suspend) {
        report({ state: "Pending" });
        return context.fail(launch.reason, launch.message);
      }

      const run: ProcessRun = { uid, process, context, driver, prober, ports, launch };
      const result = await performActions(run, attempts);
      if ("verdict" in result) return result.verdict;
      await reload(run, result.attempts.at(-1));
      report({ ...statusOf(process, result.attempts, result.decision, ports, context.now()), host });
      return conclude(run, result);
    },

    async cleanup(process, { step, wait }) {
      const { uid = "" } = process.metadata;
      const { stop } = process.spec;
      const elsewhere = otherHost(process);
      if (elsewhere !== undefined) return wait("OnAnotherHost", elsewhere);
      prober.stop(uid);
      const attempts = await driver.inspect(uid);
      const alive = attempts.filter(({ exit }) => exit === undefined);
      for (const { number, stopReason } of alive) {
        if (stopReason !== undefined) continue;
        const { signal, grace } = stop;
        await step(`stop attempt ${number} (Deleted)`, () =>
          driver.stop(uid, number, { reason: "Deleted", signal, grace: duration(grace) }),
        );
      }
      if (alive.length > 0) return wait("Stopping", `SIGKILL follows after ${stop.grace}`, stop.grace);
      await step("remove logs and records", async () => {
        try {
          await driver.remove(uid);
        } catch (error) {
          if (!(error instanceof DriverError && error.reason === "NotExited")) throw error;
          throw new Error("the process is still running", { cause: error });
        }
      });
      releasePorts(reserved, uid);
      return undefined;
    },
  });
}

/** Sends the reload signal once for every new value of the annotation. */
async function reload(
  { uid, process, context, driver }: ProcessRun,
  latest: Attempt | undefined,
): Promise<void> {
  const { metadata, spec, status } = process;
  const requested = metadata.annotations?.[reloadedAt];
  if (requested === undefined || requested === status?.reloadedAt) return;
  context.report({ reloadedAt: requested });
  if (latest?.state !== "running" || latest.number !== status?.attempt) return;
  if (spec.reload === undefined) {
    context.recordEvent("NoReload", "spec.reload is not set: restart the process instead", "Warning");
    return;
  }
  const { signal } = spec.reload;
  await context.step(`send ${signal}`, () => driver.signal(uid, latest.number, signal));
  context.recordEvent("Reloaded", `${signal} was sent to pid ${latest.process?.pid}`);
}

function launchOrProblem(
  process: ProcessObject,
  ports: Readonly<Record<string, number>>,
  references: References,
  now: number,
): Launch | LaunchError {
  const fault = scheduleFault(process.spec, now) ?? probeFault(process.spec);
  if (fault !== undefined) return new LaunchError("InvalidSpec", fault);
  try {
    return launchOf(process, ports, references);
  } catch (error) {
    if (error instanceof LaunchError) return error;
    throw error;
  }
}

function isInvalid(launch: Launch | LaunchError): launch is LaunchError {
  return launch instanceof LaunchError && launch.reason === "InvalidSpec";
}

function keyOf(object: KubeObject): string {
  return keyIn(object, object.metadata.name ?? "");
}
