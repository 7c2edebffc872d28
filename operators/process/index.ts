import { hostname } from "node:os";
import { defineOperator, triggers, type Clock, type OperatorDefinition } from "fettle";
import type { ProcessDriver } from "./driver/driver.js";
import { commands } from "./commands/index.js";
import { checkCluster } from "./cluster-mark.js";
import { Process, ProcessSet } from "./kinds.js";
import { logRoute } from "./log-route.js";
import { orphans, reportRunning, stopAll } from "./orphans.js";
import { processSets } from "./process-sets.js";
import { Prober } from "./prober.js";
import { processes } from "./processes.js";

export { Process, ProcessSet, reloadedAt, restartedAt } from "./kinds.js";
export type { ProcessObject, ProcessSetObject, ProcessSpec } from "./kinds.js";

interface DriverOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Reports what the driver had to repair. */
  readonly log: (message: string) => void;
}

export interface ProcessOperatorOptions {
  /**
   * Fate of processes when Fettle is stopped. `keep`: they go on, and the next start adopts them. `stop`: they are stopped.
   * Default: `keep`; with an in-memory store they are always stopped.
   */
  readonly onExit?: "keep" | "stop" | undefined;
  /** Machine to run processes on. Default: this one. */
  readonly openDriver?: ((options: DriverOptions) => Promise<ProcessDriver>) | undefined;
}

/**
 * Runs supervised operating-system processes as objects of the kinds Process and ProcessSet.
 *
 * @example
 * const plane = await controlPlane({ operators: [processOperator({ onExit: "stop" })] });
 */
export function processOperator({
  onExit = "keep",
  openDriver = openThisMachine,
}: ProcessOperatorOptions = {}): OperatorDefinition {
  return defineOperator({
    name: "process",
    kinds: [Process, ProcessSet],
    commands,
    async setup({ folder, isTemporary, client, clock, log, onStop, checkAccess }) {
      await checkCluster(folder, client);
      const driver = await openDriver({ folder, clock, log: (message) => log.warn({}, message) });
      onStop(() => driver[Symbol.asyncDispose]());
      onStop(() => (onExit === "stop" || isTemporary ? stopAll(driver, log) : reportRunning(driver, log)));
      const changes = triggers();
      const prober = new Prober({
        driver,
        clock,
        onChange: ({ name, namespace }, text) => changes.send({ name, namespace }, text),
      });
      onStop(() => prober.stopAll());
      const subscription = driver.subscribe(({ name, namespace, text, awaited }) => {
        // The controller looks at the process after each start and stop, so another run would find nothing new.
        if (awaited !== true) changes.send({ name, namespace }, text);
      });
      onStop(() => subscription[Symbol.dispose]());
      return {
        controllers: [processes({ driver, prober, changes, host: hostname() }), processSets],
        schedules: [orphans({ driver, log })],
        extensions: [
          logRoute({
            driver,
            client,
            checkRead: (user, namespace, name) =>
              checkAccess(user, {
                verb: "get",
                group: Process.group,
                resource: Process.plural,
                subresource: "log",
                namespace,
                name,
              }),
          }),
        ],
      };
    },
  });
}

async function openThisMachine(options: DriverOptions): Promise<ProcessDriver> {
  const { openLinuxDriver } = await import("./driver/linux/linux-driver.js");
  return openLinuxDriver(options);
}

export default processOperator();
