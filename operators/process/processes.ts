import { isUtf8 } from "node:buffer";
import {
  controller,
  duration,
  toIndexed,
  watch,
  type Controller,
  type Duration,
  type KubeObject,
  type ObjectOf,
  type TriggerSource,
} from "fettle";
import { ConfigMap, Secret } from "fettle/kubernetes";
import { decide, scheduleFault, type Decision } from "./decide.js";
import { dependencyCycle, unmetDependency } from "./dependencies.js";
import { DriverError, type Attempt, type Launch, type ProcessDriver } from "./driver/driver.js";
import { Process, reloadedAt, restartedAt, type ProcessObject } from "./kinds.js";
import { hashOf, launchOf, LaunchError, type References } from "./launch.js";
import { portsOf, releasePorts } from "./ports.js";
import type { Prober, ProbeReport } from "./prober.js";
import { conditionsOf, statusOf } from "./status.js";

export interface ProcessesOptions {
  readonly driver: ProcessDriver;
  readonly prober: Prober;
  /** Triggers runs of processes that changed on the machine. */
  readonly changes: TriggerSource;
  /** Name of this machine. */
  readonly host: string;
}

/** Interval at which the resource usage in the status is refreshed. */
const usageInterval: Duration = "1m";
/** Actions in one run: a program that ends at once is started again in the next one. */
const maxActions = 3;

/** Starts, stops and restarts processes of this machine according to their objects. */
export function processes({ driver, prober, changes, host }: ProcessesOptions): Controller {
  const reserved = new Map<number, string>();
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
      const { metadata, spec, status, namespace, name } = process;
      const { client, step, read, readAll, report, condition, ready, recordEvent, log, now } = context;
      const { wait, requeue, fail } = context;
      if (status?.host !== undefined && status.host !== host) {
        return wait("OnAnotherHost", `it runs on ${status.host}; this is ${host}`);
      }
      const { uid = "" } = metadata;
      const references: References = {
        configMap: (name, key) => read(ConfigMap, { name, namespace })?.data?.[key],
        secret: (name, key) => secretText(read(Secret, { name, namespace }), key),
      };
      let attempts = await driver.inspect(uid);
      const ports = await portsOf(process, attempts, {
        driver,
        reserved,
        taken: () =>
          readAll(Process).flatMap(({ metadata, status }) =>
            metadata.uid === uid ? [] : Object.values(status?.ports ?? {}),
          ),
        allocate: (name, allocate) => step(`allocate port ${name}`, { planned: 0 }, allocate),
      });
      let launch: Launch | undefined;
      let problem: LaunchError | undefined;
      try {
        launch = launchOf(process, ports, references);
      } catch (error) {
        if (!(error instanceof LaunchError)) throw error;
        problem = error;
      }

      const probesOf = (attempt: Attempt | undefined): ProbeReport | undefined => {
        if (attempt === undefined || attempt.state !== "running" || launch === undefined) {
          prober.stop(uid);
          return undefined;
        }
        const wasReady =
          attempt.adopted && status?.attempt === attempt.number && conditionsOf(process).ready === "True";
        return prober.report({
          uid,
          namespace,
          name,
          number: attempt.number,
          spec,
          ports: attempt.record.ports,
          launch,
          wasReady,
        });
      };
      const next = (): Decision =>
        decide({
          spec,
          createdAt: Date.parse(metadata.creationTimestamp ?? ""),
          hash: launch && hashOf(launch),
          restartedAt: metadata.annotations?.[restartedAt],
          attempts,
          probeFailure: probesOf(attempts.at(-1))?.failure,
          now: now(),
        });

      const fault = scheduleFault(spec, now());
      const isRunning = attempts.some(({ exit }) => exit === undefined);
      // One that runs goes on, and can be stopped.
      if (fault !== undefined && !isRunning && !spec.suspend) {
        report({ state: "Pending" });
        return fail("InvalidSpec", fault);
      }
      let decision = next();
      for (let actions = 0; actions < maxActions; actions++) {
        if ((decision.type === "start" || decision.type === "stop") && !(await isCurrent())) {
          keepReady();
          return requeue("2s", "it has changed since it was cached");
        }
        if (decision.type === "start") {
          const { attempt, record } = decision;
          if (launch === undefined) return fail(problem?.reason ?? "InvalidSpec", problem?.message ?? "");
          const blocked = await startObstacle(process, ports);
          if (blocked !== undefined) return blocked;
          const { reason } = record;
          const started = { ...record, namespace, name, hash: hashOf(launch), ports };
          const toLaunch = launch;
          await step(`start attempt ${attempt} (${reason})`, () =>
            driver.start(uid, attempt, toLaunch, started),
          );
          const before = attempts.length;
          attempts = await driver.inspect(uid);
          if (attempts.at(-1)?.number !== attempt && attempts.length === before) break; // a plan
          recordEvent("Started", `attempt ${attempt}: ${commandText(spec)}`);
        } else if (decision.type === "stop") {
          const { attempt, reason, message } = decision;
          const { signal, grace } = spec.stop;
          await step(`stop attempt ${attempt.number} (${reason})`, () =>
            driver.stop(uid, attempt.number, { reason, signal, grace: duration(grace) }),
          );
          recordEvent("Stopping", message);
          attempts = await driver.inspect(uid);
          if (attempts.at(-1)?.stopReason === undefined) break; // a plan
        } else break;
        decision = next();
      }

      const latest = attempts.at(-1);
      const probes = probesOf(latest);
      await reload(latest);
      report({ ...statusOf(process, attempts, decision, ports), host });
      reportConditions(latest);
      return verdict();

      /** Reason why the process cannot be started now, as a verdict. */
      async function startObstacle(process: ProcessObject, ports: Readonly<Record<string, number>>) {
        const cycle = dependencyCycle(process, (name) => read(Process, { name, namespace }));
        if (cycle !== undefined) {
          report({ state: "Pending" });
          return fail("DependencyCycle", `these processes wait for each other: ${cycle.join(" → ")}`);
        }
        const unmet = unmetDependency(process, (name) => read(Process, { name, namespace }));
        if (unmet !== undefined) {
          report({ state: "Pending" });
          return wait("WaitingForDependency", unmet);
        }
        for (const { name, host } of process.spec.ports) {
          const port = ports[name] ?? 0;
          if (port === 0 || (await driver.isPortFree(host, port))) continue;
          report({ state: "Pending" });
          return wait("PortInUse", `port ${port} (${name}) on ${host} is in use by another program`, "5s");
        }
        return undefined;
      }

      /**
       * Reads the object and its references from the API, because the cache may be behind: a process that was deleted must not be
       * started, and one that follows a newer spec must not be replaced by an older one.
       */
      function isCurrent(): Promise<boolean> {
        return step("check that it is current", { planned: true }, async (signal) => {
          const found = (await client.find(Process, { name, namespace }, { signal }))?.metadata;
          if (found?.uid !== uid || found.deletionTimestamp !== undefined) return false;
          if (found.generation !== metadata.generation) return false;
          if (found.annotations?.[restartedAt] !== metadata.annotations?.[restartedAt]) return false;
          for (const [Kind, names] of [
            [ConfigMap, referenceNames(process, "configMapKeyRef")],
            [Secret, referenceNames(process, "secretKeyRef")],
          ] as const) {
            for (const name of names) {
              const now = await client.find(Kind, { name, namespace }, { signal });
              const cached = read(Kind, { name, namespace });
              if (now?.metadata.resourceVersion !== cached?.metadata.resourceVersion) return false;
            }
          }
          return true;
        });
      }

      /** Leaves the Ready condition as it is: nothing was done that could have changed it. */
      function keepReady(): void {
        const before = status?.conditions?.find(({ type }) => type === "Ready");
        condition("Ready", before?.status ?? "False", before?.reason ?? "Pending", before?.message);
      }

      /** Sends the reload signal once for every new value of the annotation. */
      async function reload(latest: Attempt | undefined): Promise<void> {
        const wanted = metadata.annotations?.[reloadedAt];
        if (wanted === undefined || wanted === status?.reloadedAt) return;
        report({ reloadedAt: wanted });
        if (latest?.state !== "running" || latest.number !== status?.attempt) return;
        const { reload } = spec;
        if (reload === undefined) {
          recordEvent("NoReload", "spec.reload is not set: restart the process instead", "Warning");
          return;
        }
        await step(`send ${reload.signal}`, () => driver.signal(uid, latest.number, reload.signal));
        recordEvent("Reloaded", `${reload.signal} was sent to pid ${latest.process?.pid}`);
      }

      function reportConditions(latest: Attempt | undefined): void {
        if (latest === undefined || latest.exit !== undefined) return;
        const { limitProblems, lostLines } = latest;
        if (Object.keys(spec.limits).length > 0) {
          const inForce = limitProblems.length === 0;
          condition("LimitsInForce", inForce, inForce ? "Applied" : "NotPermitted", limitProblems.join("; "));
        }
        const { count, reason = "" } = lostLines;
        if (count > 0) condition("LogsComplete", false, "LinesLost", `${count} lines were lost: ${reason}`);
        else if (conditionsOf(process).logsComplete !== undefined) condition("LogsComplete", true, "Written");
      }

      function verdict() {
        switch (decision.type) {
          case "keep": {
            const { pid } = decision.attempt.process ?? {};
            if (probes === undefined || !probes.ready) {
              const reason = probes?.started === true ? "NotReady" : "Starting";
              condition("Ready", false, reason, probes?.message ?? "");
            } else ready("Running", `pid ${pid}`);
            if (problem !== undefined) log.warn({}, problem.message);
            return requeue(usageInterval, "refresh the resource usage");
          }
          case "await-exit": {
            const { stopReason } = decision.attempt;
            const { grace, signal } = spec.stop;
            return wait(
              "Stopping",
              `${signal} was sent (${stopReason}); SIGKILL follows after ${grace}`,
              grace,
            );
          }
          case "delay": {
            const reason =
              latest?.exit?.problem?.reason ?? (decision.state === "Pending" ? "Scheduled" : "Backoff");
            if (decision.state === "Pending") ready(reason, decision.message);
            else condition("Ready", false, reason, decision.message);
            return requeue(Math.max(decision.until - now(), 0), decision.message);
          }
          case "rest":
            if (decision.state === "Failed") {
              return fail(latest?.exit?.problem?.reason ?? "Failed", decision.message);
            }
            if (decision.state === "Completed") ready("Completed", decision.message);
            else condition("Ready", false, "Suspended", decision.message);
            return undefined;
          case "give-up":
            return fail("StartLimitReached", decision.message);
          default:
            condition(
              "Ready",
              false,
              decision.type === "stop" ? "Stopping" : "Starting",
              "more actions are due",
            );
            return requeue("100ms", "more actions are due");
        }
      }
    },

    async cleanup(process, { step, wait }) {
      const { uid = "" } = process.metadata;
      const { stop } = process.spec;
      const running = process.status?.host;
      if (running !== undefined && running !== host) {
        return wait("OnAnotherHost", `it runs on ${running}; this is ${host}`);
      }
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

function referenceKeys(process: ProcessObject, ref: "configMapKeyRef" | "secretKeyRef"): readonly string[] {
  return [...referenceNames(process, ref)].map((name) => keyIn(process, name));
}

function referenceNames(
  { spec }: ProcessObject,
  ref: "configMapKeyRef" | "secretKeyRef",
): ReadonlySet<string> {
  return new Set(spec.env.flatMap(({ valueFrom }) => valueFrom?.[ref]?.name ?? []));
}

function keyIn({ metadata }: KubeObject, name: string): string {
  return `${metadata.namespace}/${name}`;
}

function keyOf(object: KubeObject): string {
  return keyIn(object, object.metadata.name ?? "");
}

/** Command line on one line, shortened. Variables are not replaced, since their values may be secret. */
function commandText({ command, args }: ProcessObject["spec"]): string {
  const text = [...command, ...args].join(" ").replaceAll(/\s+/g, " ");
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

/** @throws {LaunchError} for bytes that are no text: replacing some of them would change a password without a word. */
function secretText(secret: ObjectOf<typeof Secret> | undefined, key: string): string | undefined {
  const base64 = secret?.data?.[key];
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, "base64");
  if (isUtf8(bytes)) return bytes.toString();
  throw new LaunchError(
    "InvalidSpec",
    `the key ${key} of Secret ${secret?.metadata.name} is not UTF-8 text, so it cannot be the value of a variable`,
  );
}
