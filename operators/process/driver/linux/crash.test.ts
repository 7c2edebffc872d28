import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { exited, launchOf, recordOf, untilAttempt } from "../contract.js";
import type { Launch } from "../driver.js";
import { describeIf, isLinux, perl, processesWith, TestMachine } from "./fixtures.js";

const uid = "a1";

/** Adds a line to a file when it is executed, so that starts can be counted; then exits or sleeps. */
const counted = (marker: string, then: string): Launch =>
  launchOf(perl(`open F, ">>", $ARGV[0]; print F "$$\\n"; close F; ${then}`, marker));

const startsIn = (marker: string): number =>
  existsSync(marker) ? readFileSync(marker, "utf8").trim().split("\n").length : 0;

/** Nothing of a machine may remain but the folder itself. */
async function expectNothingLeft(machine: TestMachine): Promise<void> {
  await expect.poll(() => processesWith(machine.folder), { timeout: 20_000 }).toEqual([]);
  await expect.poll(() => machine.cgroupFolders(), { timeout: 20_000 }).toEqual([]);
  expect(readdirSync(machine.folder).filter((name) => name.startsWith("."))).toEqual([]);
}

describeIf(isLinux, "Linux", "killing Fettle", () => {
  test.each(["after-files", "after-owner", "after-rename", "after-request", "after-start"])(
    "%s: the process is started once, and its exit code is known",
    async (failpoint) => {
      await using machine = TestMachine.closed();
      const marker = join(machine.folder, "marker");
      const launch = counted(marker, "exit 7");
      const start = ["start", uid, 1, launch, recordOf()] as const;
      const killed = await machine.run([start], failpoint);
      expect(killed).toEqual({ signal: "SIGKILL", errors: "" });
      await machine.reopen();
      // As a controller does that does not know how far the other one came.
      await machine.driver.start(uid, 1, launch, recordOf());
      const { exit } = await untilAttempt(machine.driver, [uid, 1], exited);
      expect(exit).toMatchObject({ cause: "Exited", code: 7 });
      expect(startsIn(marker)).toBe(1);
      expect(readdirSync(join(machine.folder, uid, "1"))).not.toContain("launch");
      await machine.driver[Symbol.asyncDispose]();
      await expectNothingLeft(machine);
    },
  );

  test("while a cancelled start is removed: the process is started once", async () => {
    await using machine = TestMachine.closed();
    const marker = join(machine.folder, "marker");
    const launch = counted(marker, "sleep 1000");
    await machine.run([["start", uid, 1, launch, recordOf()]], "after-rename");
    expect((await machine.run([], "after-cancel")).signal).toBe("SIGKILL");
    await machine.reopen();
    expect(await machine.driver.inspect(uid)).toEqual([]);
    await machine.driver.start(uid, 1, launch, recordOf());
    await expect.poll(() => startsIn(marker)).toBe(1);
    expect((await machine.driver.inspect(uid))[0]).toMatchObject({ state: "running", adopted: false });
  });

  test("after asking for a stop: the stop goes on", async () => {
    await using machine = TestMachine.closed();
    const launch = launchOf(
      perl("$SIG{TERM} = 'IGNORE'; $| = 1; print qq(ready\\n); sleep 1000", machine.folder),
    );
    const steps = [
      ["start", uid, 1, launch, recordOf()],
      ["stop", uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 10 }],
    ];
    expect((await machine.run(steps, "after-stop-request")).signal).toBe("SIGKILL");
    await expect.poll(() => processesWith(`sleep 1000\0${machine.folder}`), { timeout: 20_000 }).toEqual([]);
    await machine.reopen();
    const attempt = await untilAttempt(machine.driver, [uid, 1], exited);
    expect(attempt).toMatchObject({ adopted: true, stopReason: "Requested", exit: { cause: "Signaled" } });
  });

  test("while an object is removed: nothing of it remains", async () => {
    await using machine = TestMachine.closed();
    await machine.run([["start", uid, 1, launchOf(perl("exit 0")), recordOf()]], "");
    await machine.reopen();
    await untilAttempt(machine.driver, [uid, 1], exited);
    await machine.driver[Symbol.asyncDispose]();
    expect((await machine.run([["remove", uid]], "after-remove-rename")).signal).toBe("SIGKILL");
    await machine.reopen();
    expect(await machine.driver.list()).toEqual([]);
    expect(readdirSync(machine.folder).toSorted()).toEqual(["events", "lock"]);
  });
});

describeIf(isLinux, "Linux", "killing the shim", () => {
  afterEach(() => vi.unstubAllEnvs());

  async function openWith(failpoint: string): Promise<TestMachine> {
    vi.stubEnv("FETTLE_SHIM_FAILPOINT", failpoint);
    return await TestMachine.open();
  }

  test.each(["after-claim", "after-launch-read", "after-cgroups", "after-fork"])(
    "%s: the process was not started",
    async (failpoint) => {
      const machine = await openWith(failpoint);
      const marker = join(machine.folder, "marker");
      await machine.driver.start(uid, 1, counted(marker, "sleep 1000"), recordOf());
      const [attempt] = await machine.driver.inspect(uid);
      expect(attempt?.exit).toMatchObject({ cause: "NotStarted", problem: { reason: "LaunchFailed" } });
      expect(attempt?.exit?.problem?.message).toContain("shim was killed");
      await expect.poll(() => processesWith(marker)).toEqual([]);
      expect(startsIn(marker)).toBe(0);
      await expect.poll(() => machine.cgroupFolders()).toEqual([]);
      await machine[Symbol.asyncDispose]();
    },
  );

  test("after-record: the process ends without executing its program", async () => {
    await using machine = await openWith("after-record");
    const marker = join(machine.folder, "marker");
    await machine.driver.start(uid, 1, counted(marker, "sleep 1000"), recordOf());
    const { exit } = await untilAttempt(machine.driver, [uid, 1], exited);
    expect(exit?.cause).toBe("Unknown");
    expect(startsIn(marker)).toBe(0);
    await expect.poll(() => machine.cgroupFolders()).toEqual([]);
  });

  test.each(["after-gate", "after-running"])(
    "%s: the process is found without a shim, and can be stopped",
    async (failpoint) => {
      await using machine = await openWith(failpoint);
      const marker = join(machine.folder, "marker");
      await machine.driver.start(uid, 1, counted(marker, "sleep 1000"), recordOf());
      await expect.poll(() => startsIn(marker)).toBe(1);
      const orphaned = await untilAttempt(machine.driver, [uid, 1], ({ state }) => state === "orphaned");
      expect(orphaned.process?.pid).toBe(Number(readFileSync(marker, "utf8")));
      await machine.reopen();
      await machine.driver.start(uid, 1, counted(marker, "sleep 1000"), recordOf());
      await machine.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 60_000 });
      const ended = await untilAttempt(machine.driver, [uid, 1], exited);
      expect(ended).toMatchObject({ stopReason: "Requested", adopted: true, exit: { cause: "Unknown" } });
      expect(startsIn(marker)).toBe(1);
      await expect.poll(() => processesWith(marker)).toEqual([]);
      await expect.poll(() => machine.cgroupFolders()).toEqual([]);
    },
  );

  test.each(["after-stopping", "after-stop-signal"])(
    "%s: a second stop ends the process",
    async (failpoint) => {
      await using machine = await openWith(failpoint);
      const marker = join(machine.folder, "marker");
      await machine.driver.start(uid, 1, counted(marker, "sleep 1000"), recordOf());
      await expect.poll(() => startsIn(marker)).toBe(1);
      await machine.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 60_000 });
      await untilAttempt(machine.driver, [uid, 1], ({ state }) => state === "orphaned" || state === "exited");
      await machine.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 60_000 });
      expect((await untilAttempt(machine.driver, [uid, 1], exited)).exit?.cause).toBe("Unknown");
      await expect.poll(() => processesWith(marker)).toEqual([]);
    },
  );

  test.each(["after-ending", "after-leftovers", "after-exited"])(
    "%s: the exit code is known",
    async (failpoint) => {
      await using machine = await openWith(failpoint);
      const marker = join(machine.folder, "marker");
      await machine.driver.start(uid, 1, counted(marker, "exit 9"), recordOf());
      const { exit } = await untilAttempt(machine.driver, [uid, 1], exited);
      expect(exit).toMatchObject({ cause: "Exited", code: 9 });
      expect(startsIn(marker)).toBe(1);
      await machine.driver.remove(uid);
      await expect.poll(() => machine.cgroupFolders()).toEqual([]);
    },
  );
});
