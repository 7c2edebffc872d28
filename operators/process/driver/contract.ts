import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Attempt, AttemptRecord, Launch, LogLine, LogOptions, ProcessDriver } from "./driver.js";

type Argv = Launch["argv"];

/** Commands with which the contract is tested; each prints `ready` first if its signal handlers are in place. */
interface TestPrograms {
  /** Runs until it is ended by a signal. */
  sleep(): Argv;
  exit(code: number): Argv;
  /** Prints lines and then exits. */
  print(stdout: readonly string[], stderr?: readonly string[]): Argv;
  /** Prints the value of an environment variable. */
  printVariable(name: string): Argv;
  /** Ignores SIGTERM. */
  stubborn(): Argv;
  /** Prints `reloaded` on SIGHUP. */
  reload(): Argv;
  /** Writes a line to descriptor 3 and runs on. */
  notify(): Argv;
  /** Leaves a process behind and exits with 0. */
  leaveDescendant(): Argv;
  /** Exits, as the command of a probe. */
  check(code: number): Argv;
}

/** Driver and the means to test it. */
export interface DriverUnderTest extends AsyncDisposable {
  readonly driver: ProcessDriver;
  readonly programs: TestPrograms;
  /** Opens the driver again, as a new instance of Fettle does. */
  reopen(): Promise<void>;
  /** Lets time pass; real time passes on its own. */
  elapse(milliseconds: number): Promise<void>;
}

export function launchOf(argv: Argv, more: Partial<Launch> = {}): Launch {
  return {
    argv,
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    limits: {},
    logs: { maxBytes: 1_000_000, maxFiles: 3 },
    history: 3,
    ...more,
  };
}

export function recordOf(more: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    namespace: "default",
    name: "web",
    reason: "Created",
    hash: "4f2a",
    restarts: 0,
    failures: 0,
    recentStarts: [],
    ports: {},
    ...more,
  };
}

/** Waits until an attempt is in a state, by the driver's own announcements and by asking again now and then. */
export async function untilAttempt(
  driver: ProcessDriver,
  [uid, number]: readonly [uid: string, attempt: number],
  holds: (attempt: Attempt) => boolean,
): Promise<Attempt> {
  for (;;) {
    let wake = (): void => {};
    const changed = new Promise<void>((resolve) => (wake = resolve));
    using _subscription = driver.subscribe((change) => change.uid === uid && wake());
    const attempt = (await driver.inspect(uid)).find((each) => each.number === number);
    if (attempt && holds(attempt)) return attempt;
    const timer = setTimeout(wake, 200);
    await changed;
    clearTimeout(timer);
  }
}

export const exited = ({ exit }: Attempt): boolean => exit !== undefined;

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export async function textOf(lines: AsyncIterable<LogLine>): Promise<string[]> {
  return (await collect(lines)).map(({ text }) => Buffer.from(text).toString());
}

/** Tests that a driver keeps the contract of {@link ProcessDriver}. */
export function describeDriver(name: string, open: () => Promise<DriverUnderTest>): void {
  describe(name, () => {
    let under: DriverUnderTest;
    beforeEach(async () => void (under = await open()));
    afterEach(() => under[Symbol.asyncDispose]());

    const uid = "3c9d0f5e-web";
    const start = (argv: Argv, more?: Partial<Launch>, attempt = 1): Promise<void> =>
      under.driver.start(uid, attempt, launchOf(argv, more), recordOf());
    const until = (holds: (attempt: Attempt) => boolean, attempt = 1): Promise<Attempt> =>
      untilAttempt(under.driver, [uid, attempt], holds);
    const logs = (options: LogOptions = {}): Promise<string[]> =>
      textOf(under.driver.logs(uid, 1, { follow: true, ...options }));
    const kill = async (attempt = 1): Promise<void> => {
      await under.driver.stop(uid, attempt, { reason: "Requested", signal: "SIGKILL", grace: 0 });
      await until(exited, attempt);
    };
    const printed = async (line: string): Promise<void> => {
      for await (const { text } of under.driver.logs(uid, 1, { follow: true })) {
        if (Buffer.from(text).toString() === line) return;
      }
    };

    test("a started process runs until it is stopped", async () => {
      expect(await under.driver.inspect(uid)).toEqual([]);
      await start(under.programs.sleep());
      const [running] = await under.driver.inspect(uid);
      expect(running).toMatchObject({ number: 1, state: "running", adopted: false });
      expect(running?.record).toEqual(recordOf());
      expect(running?.process?.pid).toBeGreaterThan(1);
      expect(running?.process?.startTicks).toBeGreaterThan(0);
      expect(running?.usage?.pids).toBeGreaterThan(0);
      expect(running?.lostLines.count).toBe(0);
      await under.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 60_000 });
      const ended = await until(exited);
      expect(ended).toMatchObject({ state: "exited", stopReason: "Requested", process: running?.process });
      expect(ended.exit).toMatchObject({ cause: "Signaled", signal: "SIGTERM", oomKilled: false });
      expect(ended.usage).toBeUndefined();
    });

    test.each([0, 3, 255])("exit code %d is recorded", async (code) => {
      await start(under.programs.exit(code));
      const { exit, stopReason } = await until(exited);
      expect(exit).toMatchObject({ cause: "Exited", code, oomKilled: false, leftovers: 0 });
      expect(exit?.signal).toBeUndefined();
      expect(stopReason).toBeUndefined();
    });

    test("starting an attempt again has no effect", async () => {
      await start(under.programs.sleep());
      const [first] = await under.driver.inspect(uid);
      await start(under.programs.exit(1));
      const [second, ...more] = await under.driver.inspect(uid);
      expect(second?.process).toEqual(first?.process);
      expect(more).toEqual([]);
      await kill();
      await start(under.programs.sleep());
      expect((await under.driver.inspect(uid))[0]?.state).toBe("exited");
    });

    test.each([
      ["CommandNotFound", { argv: ["no-such-command", "x"] }, "no-such-command"],
      ["CommandNotFound", { argv: [""] }, "empty"],
      ["UnknownUser", { user: "no-such-user" }, "no-such-user"],
      ["InvalidWorkingDir", { workingDir: "/no/such/folder" }, "/no/such/folder"],
      ["LaunchFailed", { env: { SECRET: "hidden\0rest" } }, "SECRET contains a NUL"],
      ["LaunchFailed", { argv: ["true", "a", "b\0c"] }, "Argument 2 contains a NUL"],
      ["LaunchFailed", { env: { "A=B": "x" } }, "A=B"],
    ] as const)("a launch that fails is an attempt with the reason %s", async (reason, more, text) => {
      await start(under.programs.sleep(), more);
      const [attempt] = await under.driver.inspect(uid);
      expect(attempt).toMatchObject({ state: "exited", exit: { cause: "NotStarted", problem: { reason } } });
      expect(attempt?.exit?.problem?.message).toContain(text);
      expect(attempt?.exit?.problem?.message).not.toContain("hidden");
      expect(attempt?.startedAt).toBeUndefined();
      expect(attempt?.usage).toBeUndefined();
    });

    test("a process that ignores the signal is killed after its grace period", async () => {
      await start(under.programs.stubborn());
      await printed("ready");
      await under.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 50 });
      await under.elapse(50);
      expect((await until(exited)).exit).toMatchObject({ cause: "Signaled", signal: "SIGKILL" });
    });

    test("a second stop shortens the grace period and does not extend it", async () => {
      await start(under.programs.stubborn());
      await printed("ready");
      await under.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 3_600_000 });
      expect((await until(({ stopReason }) => stopReason !== undefined)).state).toBe("running");
      await under.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 50 });
      await under.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 3_600_000 });
      await under.elapse(50);
      expect((await until(exited)).exit).toMatchObject({ signal: "SIGKILL" });
    });

    test("signals reach the main process", async () => {
      await start(under.programs.reload());
      await printed("ready");
      await under.driver.signal(uid, 1, "SIGHUP");
      await printed("reloaded");
      expect((await until(() => true)).state).toBe("running");
      await kill();
    });

    test("stopping or signalling what does not run has no effect", async () => {
      await under.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 0 });
      await start(under.programs.exit(4));
      const before = await until(exited);
      await under.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 0 });
      await under.driver.signal(uid, 1, "SIGUSR1");
      expect(await under.driver.inspect(uid)).toEqual([before]);
      await expect(under.driver.signal(uid, 1, "SIG kill")).rejects.toThrow("not the name of a signal");
    });

    test("output is logged with its stream, and can be followed until the end", async () => {
      await start(under.programs.print(["one", "", "three"], ["problem"]));
      const lines = await collect(under.driver.logs(uid, 1, { follow: true }));
      const stdout = lines.filter(({ stream }) => stream === "stdout");
      expect(stdout.map(({ text }) => Buffer.from(text).toString())).toEqual(["one", "", "three"]);
      const stderr = lines.filter(({ stream }) => stream === "stderr");
      expect(stderr.map(({ text }) => Buffer.from(text).toString())).toEqual(["problem"]);
      expect(lines.every(({ partial }) => !partial)).toBe(true);
    });

    test("the tail of a log, and the part since a time", async () => {
      await start(under.programs.print(["one", "two", "three"]));
      await until(exited);
      expect(await logs({ tail: 2 })).toEqual(["two", "three"]);
      expect(await logs({ tail: 0 })).toEqual([]);
      expect(await logs({ tail: 10, follow: false })).toEqual(["one", "two", "three"]);
      const [first] = await collect(under.driver.logs(uid, 1, {}));
      expect(await logs({ since: first?.time ?? 0 })).toEqual(["one", "two", "three"]);
      expect(await logs({ since: (first?.time ?? 0) + 60_000 })).toEqual([]);
    });

    test("following a log ends when it is aborted, and that of an unknown attempt is empty", async () => {
      await start(under.programs.sleep());
      const abort = new AbortController();
      const reading = logs({ signal: abort.signal });
      abort.abort(new Error("enough"));
      await expect(reading).rejects.toThrow("enough");
      expect(await textOf(under.driver.logs(uid, 7, { follow: true }))).toEqual([]);
      await kill();
    });

    test("environment variables are passed on", async () => {
      const env = { ...launchOf(["x"]).env, GREETING: "a b\n$c='\"ü" };
      await start(under.programs.printVariable("GREETING"), { env });
      expect((await logs()).join("\n")).toBe(env.GREETING);
      await until(exited);
    });

    test("a line on the notify descriptor is recorded", async () => {
      await start(under.programs.notify(), { notifyDescriptor: 3 });
      const attempt = await until(({ notified }) => notified);
      expect(attempt.state).toBe("running");
      expect(await under.driver.probe(uid, 1, { type: "notify" }, AbortSignal.timeout(5000))).toBeUndefined();
      await kill();
    });

    test("probes by log line, notify descriptor and command", async () => {
      await start(under.programs.stubborn(), { notifyDescriptor: 3 });
      await printed("ready");
      const signal = AbortSignal.timeout(10_000);
      const probe = (check: Parameters<ProcessDriver["probe"]>[2]): Promise<string | undefined> =>
        under.driver.probe(uid, 1, check, signal);
      expect(await probe({ type: "log", pattern: "^r.ady$" })).toBeUndefined();
      expect(await probe({ type: "log", pattern: "^steady$" })).toContain("^steady$");
      expect(await probe({ type: "log", pattern: "[" })).toContain("invalid");
      expect(await probe({ type: "notify" })).toContain("notify descriptor");
      const launch = launchOf(under.programs.stubborn());
      expect(await probe({ type: "exec", argv: under.programs.check(0), launch })).toBeUndefined();
      expect(await probe({ type: "exec", argv: ["no-such-command"], launch })).toContain("no-such-command");
      await kill();
      expect(await probe({ type: "exec", argv: under.programs.check(0), launch })).toContain("not running");
    });

    test("descendants that are left behind are killed and counted", async () => {
      await start(under.programs.leaveDescendant());
      expect((await until(exited)).exit).toMatchObject({ cause: "Exited", code: 0, leftovers: 1 });
    });

    test("objects are listed until they are removed, which needs all attempts to have ended", async () => {
      expect(await under.driver.list()).toEqual([]);
      await start(under.programs.sleep());
      expect(await under.driver.list()).toEqual([{ uid, namespace: "default", name: "web" }]);
      await expect(under.driver.remove(uid)).rejects.toMatchObject({ reason: "NotExited" });
      await kill();
      await under.driver.remove(uid);
      await under.driver.remove(uid);
      expect(await under.driver.list()).toEqual([]);
      expect(await under.driver.inspect(uid)).toEqual([]);
    });

    test("attempts beyond the history are removed at the next start", async () => {
      for (const attempt of [1, 2, 3]) {
        await start(under.programs.exit(attempt), { history: 2 }, attempt);
        await until(exited, attempt);
      }
      await start(under.programs.sleep(), { history: 2 }, 4);
      const attempts = await under.driver.inspect(uid);
      expect(attempts.map(({ number, exit }) => [number, exit?.code])).toEqual([
        [3, 3],
        [4, undefined],
      ]);
      await kill(4);
    });

    test("a new instance adopts what runs and learns what ended meanwhile", async () => {
      await start(under.programs.sleep());
      await start(under.programs.exit(7), {}, 2);
      const [before] = await under.driver.inspect(uid);
      await under.reopen();
      const [adopted] = await under.driver.inspect(uid);
      expect(adopted).toMatchObject({ state: "running", adopted: true, process: before?.process });
      expect(adopted?.record).toEqual(recordOf());
      expect((await until(exited, 2)).exit).toMatchObject({ cause: "Exited", code: 7 });
      expect((await under.driver.list()).map((entry) => entry.uid)).toEqual([uid]);
      await start(under.programs.exit(1));
      expect((await under.driver.inspect(uid))[0]?.process).toEqual(before?.process);
      await under.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 60_000 });
      expect((await until(exited)).exit).toMatchObject({ cause: "Signaled", signal: "SIGTERM" });
    });

    test("changes are announced with a sentence", async () => {
      const end = new Promise<string>((resolve) => {
        under.driver.subscribe(({ text, ...change }) => {
          expect(change).toMatchObject({ uid, namespace: "default", name: "web", attempt: 1 });
          if (text.includes("exited")) resolve(text);
        });
      });
      await start(under.programs.exit(5));
      expect(await end).toMatch(/^pid \d+ exited with code 5$/);
    });

    test("a port is allocated that is free and not taken", async () => {
      const port = await under.driver.allocatePort("127.0.0.1", new Set());
      expect(await under.driver.isPortFree("127.0.0.1", port)).toBe(true);
      expect(await under.driver.allocatePort("127.0.0.1", new Set([port]))).not.toBe(port);
    });

    test("uids that are no names of files are refused", async () => {
      await expect(under.driver.inspect("../etc")).rejects.toThrow("invalid uid");
      await expect(under.driver.start("a", 0, launchOf(under.programs.sleep()), recordOf())).rejects.toThrow(
        "whole number",
      );
    });
  });
}
