import { VirtualClock } from "fettle/model";
import { expect, test } from "vitest";
import { collect, describeDriver, exited, launchOf, recordOf, textOf, untilAttempt } from "../contract.js";
import { memoryDriver, type MemoryDriver } from "./memory-driver.js";
import type { SimulatedProgram } from "./simulated-process.js";

const programs: Record<string, SimulatedProgram> = {
  exit: (process) => process.exit(Number(process.launch.argv[1])),
  print(process) {
    for (const text of process.launch.argv[1]?.split(",") ?? []) process.print(text);
    for (const text of process.launch.argv[2]?.split(",") ?? []) process.print(text, "stderr");
    process.exit(0);
  },
  printVariable(process) {
    process.print(process.launch.env[process.launch.argv[1] ?? ""] ?? "");
    process.exit(0);
  },
  stubborn(process) {
    process.onSignal("SIGTERM", () => {});
    process.print("ready");
  },
  reload(process) {
    process.onSignal("SIGHUP", () => process.print("reloaded"));
    process.print("ready");
  },
  notify: (process) => process.notify(),
  leaveDescendant(process) {
    process.leaveDescendants(1);
    process.exit(0);
  },
};

describeDriver("the contract, in memory", async () => {
  const clock = new VirtualClock();
  const driver = machine(clock);
  return {
    driver,
    programs: {
      sleep: () => ["sleep"],
      exit: (code) => ["exit", String(code)],
      print: (stdout, stderr) => ["print", stdout.join(","), ...(stderr ? [stderr.join(",")] : [])],
      printVariable: (name) => ["printVariable", name],
      stubborn: () => ["stubborn"],
      reload: () => ["reload"],
      notify: () => ["notify"],
      leaveDescendant: () => ["leaveDescendant"],
      check: () => ["check"],
    },
    reopen: async () => driver.restart(),
    elapse: (milliseconds) => clock.advance(milliseconds),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
});

function machine(clock = new VirtualClock()): MemoryDriver {
  const driver = memoryDriver({ clock, programs });
  driver.missing.commands.add("no-such-command");
  driver.missing.users.add("no-such-user");
  driver.missing.folders.add("/no/such/folder");
  return driver;
}

async function runningMachine(): Promise<MemoryDriver> {
  const driver = machine();
  await driver.start("u1", 1, launchOf(["sleep"]), recordOf({ ports: { http: 20_000 } }));
  return driver;
}

test("out of memory, reboot and a lost shim have their exit causes", async () => {
  const driver = await runningMachine();
  driver.outOfMemory("u1");
  await driver.start("u1", 2, launchOf(["sleep"]), recordOf({ restarts: 1, reason: "Exited" }));
  driver.reboot();
  await driver.start("u1", 3, launchOf(["sleep"]), recordOf({ restarts: 2, reason: "Rebooted" }));
  driver.loseShim("u1");
  expect((await driver.inspect("u1")).at(-1)?.state).toBe("orphaned");
  driver.exit("u1", 0);
  expect(driver.snapshot()).toEqual([
    {
      process: "default/web",
      attempts: [
        {
          number: 1,
          state: "exited",
          reason: "Created",
          restarts: 0,
          exit: "Signaled SIGKILL out of memory",
        },
        { number: 2, state: "exited", reason: "Exited", restarts: 1, exit: "Rebooted" },
        { number: 3, state: "exited", reason: "Rebooted", restarts: 2, exit: "Unknown" },
      ],
    },
  ]);
});

test("a full disk prevents starts and loses lines", async () => {
  const driver = await runningMachine();
  driver.print("u1", "one");
  driver.diskFull = true;
  driver.print("u1", "two\nthree");
  await expect(driver.start("u2", 1, launchOf(["sleep"]), recordOf())).rejects.toMatchObject({
    reason: "DiskFull",
  });
  driver.exit("u1", 1);
  const { lostLines, exit } = await untilAttempt(driver, ["u1", 1], exited);
  expect([lostLines.count, exit?.code]).toEqual([2, 1]);
  expect(await textOf(driver.logs("u1", 1, {}))).toEqual(["one"]);
});

test("ports of the machine and of running processes are not free", async () => {
  const driver = await runningMachine();
  driver.portsInUse.add(20_001);
  expect(await driver.isPortFree("127.0.0.1", 20_000)).toBe(false);
  expect(await driver.allocatePort("127.0.0.1", new Set([20_002]))).toBe(20_003);
  driver.exit("u1", 0);
  expect(await driver.isPortFree("127.0.0.1", 20_000)).toBe(true);
});

test("probes fail as long as the test says so", async () => {
  const driver = await runningMachine();
  const probe = (): Promise<string | undefined> =>
    driver.probe("u1", 1, { type: "tcp", host: "::1", port: 1 }, AbortSignal.timeout(1000));
  expect(await probe()).toBeUndefined();
  driver.failProbes("u1", "connection refused");
  expect(await probe()).toBe("connection refused");
  driver.failProbes("u1", undefined);
  expect(await probe()).toBeUndefined();
  expect(driver.uidOf("web")).toBe("u1");
});

test("long lines are stored in pieces, and the tail counts whole lines", async () => {
  const driver = await runningMachine();
  driver.print("u1", `${"x".repeat(40_000)}\nshort`);
  const pieces = await collect(driver.logs("u1", 1, { tail: 2 }));
  expect(pieces.map(({ text, partial }) => [text.length, partial])).toEqual([
    [16_384, true],
    [16_384, true],
    [7_232, false],
    [5, false],
  ]);
});
