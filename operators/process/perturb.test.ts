import { triggers, type Clock, type Controller } from "fettle";
import { perturb, type Scenario } from "fettle/testing";
import { expect, test } from "vitest";
import { memoryDriver, type MemoryDriver } from "./driver/memory/memory-driver.js";
import { Process, ProcessSet, type ProcessObject } from "./index.js";
import { Prober } from "./prober.js";
import { processSets } from "./process-sets.js";
import { processes } from "./processes.js";

/** Controllers on a machine in memory, which keeps running when they crash. */
function controllersOn(driver: MemoryDriver, clock: Clock): readonly Controller[] {
  const changes = triggers();
  const prober = new Prober({
    driver,
    clock,
    onChange: ({ name, namespace }, text) => changes.send({ name, namespace }, text),
  });
  driver.subscribe(({ name, namespace, text }) => changes.send({ name, namespace }, text));
  return [processes({ driver, prober, changes, host: "here" }), processSets];
}

const scenario: Scenario<MemoryDriver> = {
  controllers: (driver, { clock }) => controllersOn(driver, clock),
  world: {
    create: ({ clock }) => memoryDriver({ clock, programs: { task: (process) => process.exit(0) } }),
    snapshot: (driver) =>
      driver.snapshot().map(({ process, attempts }) => ({ process, last: attempts.at(-1)?.state })),
  },
  /** A fault may delay a start, and change which process gets which pid. */
  normalize(object) {
    if (object.kind !== "Process") return object;
    const {
      startTicks: _ticks,
      pid: _pid,
      usageAt: _usageAt,
      ...status
    } = (object as ProcessObject).status ?? {};
    const conditions = status.conditions?.map(({ message: _message, ...rest }) => rest);
    return { ...object, status: { ...status, conditions } };
  },
  async workload({ client, settled }) {
    await client.create(Process, { metadata: { name: "db" }, spec: { command: ["server"] } });
    await client.create(Process, {
      metadata: { name: "migrate" },
      spec: { command: ["task"], restart: { policy: "Never" }, dependsOn: [{ name: "db" }] },
    });
    await settled();
    await client.patch(Process, "db", { spec: { args: ["--verbose"] } });
    await settled();
    await client.create(ProcessSet, {
      metadata: { name: "web" },
      spec: { replicas: 2, template: { spec: { command: ["server"], ports: [{ name: "http" }] } } },
    });
    await settled();
    await client.patch(ProcessSet, "web", { spec: { template: { spec: { args: ["--new"] } } } });
    await settled();
    await client.delete(ProcessSet, "web");
    await client.delete(Process, "migrate");
    await settled();
  },
};

/** Schedules of faults; all of them with FETTLE_PERTURB=1000. */
const limit = Number(process.env["FETTLE_PERTURB"] ?? 40);

test("no single fault changes what runs in the end", { timeout: 60_000 + limit * 2000 }, async () => {
  const report = await perturb(scenario, { limit });
  expect(report.failures.length, report.text()).toBe(0);
});
