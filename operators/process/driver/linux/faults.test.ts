import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { collect, exited, launchOf, recordOf, textOf, untilAttempt } from "../contract.js";
import type { Attempt, Launch } from "../driver.js";
import {
  describeIf,
  hasCgroups,
  isLinux,
  isRoot,
  mountSmallDisk,
  perl,
  processesWith,
  sh,
  TestMachine,
} from "./fixtures.js";

const uid = "a1";
const key = [uid, 1] as const;

async function start(machine: TestMachine, argv: Launch["argv"], more?: Partial<Launch>): Promise<Attempt> {
  await machine.driver.start(uid, 1, launchOf(argv, more), recordOf());
  return await untilAttempt(machine.driver, key, () => true);
}

const log = (machine: TestMachine): Promise<string[]> =>
  textOf(machine.driver.logs(uid, 1, { follow: true }));

async function untilPrinted(machine: TestMachine, line: string): Promise<void> {
  for await (const { text } of machine.driver.logs(uid, 1, { follow: true })) {
    if (Buffer.from(text).toString() === line) return;
  }
}

describeIf(isLinux, "Linux", "processes that misbehave", () => {
  test.each(["auto", "off"] as const)(
    "a daemon that left its session is killed, with cgroups %s",
    async (cgroups) => {
      await using machine = await TestMachine.open({ cgroups });
      const marker = join(machine.folder, "daemon");
      const daemon =
        "use POSIX; if (!fork) { setsid; if (!fork) { sleep 1000 } exit } wait; $| = 1; print qq(ready\\n); sleep 1000";
      await start(machine, perl(daemon, marker));
      await untilPrinted(machine, "ready");
      expect((await machine.driver.inspect(uid))[0]?.usage?.pids).toBeGreaterThan(cgroups === "auto" ? 1 : 0);
      await machine.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 60_000 });
      const { exit, tracking } = await untilAttempt(machine.driver, key, exited);
      expect(exit).toMatchObject({ cause: "Signaled", signal: "SIGTERM", leftovers: 1 });
      expect(tracking).toBe(cgroups === "auto" && hasCgroups ? "cgroup" : "subreaper");
      expect(processesWith(marker)).toEqual([]);
    },
  );

  test("a line of 10 MB is logged in pieces, and the shim stays small", async () => {
    await using machine = await TestMachine.open();
    const logs = { maxBytes: 100_000_000, maxFiles: 2 };
    await start(machine, perl("$| = 1; print 'x' x 10_000_000, qq(\\nend\\n); sleep 1000"), { logs });
    await untilPrinted(machine, "end");
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${machine.shim(uid, 1)}/status`, "utf8"));
    expect(Number(peak?.[1])).toBeLessThan(20_000);
    const lines = await collect(machine.driver.logs(uid, 1, {}));
    const pieces = lines.slice(0, -1);
    expect(pieces.reduce((sum, { text }) => sum + text.length, 0)).toBe(10_000_000);
    expect(pieces.every(({ partial }, index) => partial === index < pieces.length - 1)).toBe(true);
    expect(await textOf(machine.driver.logs(uid, 1, { tail: 1 }))).toEqual(["end"]);
    expect(await collect(machine.driver.logs(uid, 1, { tail: 2 }))).toHaveLength(lines.length);
  });

  test("binary output is logged byte by byte, and a last line without its end, too", async () => {
    await using machine = await TestMachine.open();
    await start(machine, perl("binmode STDOUT; print map(chr, 0 .. 255), qq(\\nlast)"));
    const lines = await collect(machine.driver.logs(uid, 1, { follow: true }));
    const bytes = Buffer.concat(lines.flatMap(({ text }) => [text, Buffer.from("\n")]));
    expect(bytes).toEqual(
      Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), Buffer.from("\nlast\n")]),
    );
  });

  test("following a log over rotations loses and repeats nothing", async () => {
    await using machine = await TestMachine.open();
    const logs = { maxBytes: 20_000, maxFiles: 1000 };
    await start(machine, perl("print qq($_\\n) for 1 .. 50_000"), { logs });
    expect(await log(machine)).toEqual(Array.from({ length: 50_000 }, (_, index) => String(index + 1)));
    expect(await textOf(machine.driver.logs(uid, 1, { tail: 3000 }))).toHaveLength(3000);
  });

  test("a reader that is too slow for the rotation gets a mark where lines are missing", async () => {
    await using machine = await TestMachine.open();
    const script =
      "$| = 1; $SIG{HUP} = sub { print qq($_\\n) for 2 .. 5000; exit }; print qq(1\\n); sleep 1000";
    const { process: running } = await start(machine, perl(script), {
      logs: { maxBytes: 1000, maxFiles: 2 },
    });
    const lines: string[] = [];
    for await (const { text } of machine.driver.logs(uid, 1, { follow: true })) {
      lines.push(Buffer.from(text).toString());
      if (lines.length > 1) continue;
      process.kill(running?.pid ?? 0, "SIGHUP");
      await untilAttempt(machine.driver, key, exited);
    }
    const gap = lines.findIndex((line) => line.startsWith("fettle: lines are missing here"));
    expect([lines[0], lines.at(-1)]).toEqual(["1", "5000"]);
    const numbers = lines.toSpliced(gap, 1).map(Number);
    const jumps = numbers.flatMap((number, index) =>
      number === (numbers[index - 1] ?? 0) + 1 ? [] : [index],
    );
    expect(jumps).toEqual([gap]);
  });

  test("only the newest files of a log are kept", async () => {
    await using machine = await TestMachine.open();
    await start(machine, perl("$| = 1; print qq($_\\n) for 1 .. 5000"), {
      logs: { maxBytes: 1000, maxFiles: 2 },
    });
    await untilAttempt(machine.driver, key, exited);
    const lines = (await log(machine)).map(Number);
    expect(lines.at(-1)).toBe(5000);
    expect(lines.length).toBeLessThan(5000);
    expect(lines).toEqual(lines.map((_, index) => (lines[0] ?? 0) + index));
  });

  test("a process gets a clean start: no descriptors, signals or masks of others", async () => {
    await using machine = await TestMachine.open();
    const facts =
      "ls /proc/self/fd | tr '\\n' ' '; echo; umask; grep -E '^Sig(Blk|Ign)' /proc/self/status; pwd; cat /proc/self/oom_score_adj";
    await start(machine, sh(facts), { notifyDescriptor: 7 });
    // Descriptor 3 is the folder that ls reads.
    const own = readFileSync("/proc/self/oom_score_adj", "utf8").trim();
    expect(await log(machine)).toEqual([
      "0 1 2 3 7 ",
      "0022",
      "SigBlk:\t0000000000000000",
      "SigIgn:\t0000000000000000",
      "/",
      own,
    ]);
  });

  test.each([
    ["not executable", "chmod 600 FILE", "NotExecutable", "chmod +x"],
    ["a folder", "mkdir FILE.d", "NotExecutable", "is a folder"],
    [
      "without an interpreter",
      "echo '#!/no/such/thing' > FILE; chmod 700 FILE",
      "CommandNotFound",
      "interpreter",
    ],
  ])("a command that is %s is explained", async (_name, script, reason, text) => {
    await using machine = await TestMachine.open();
    const file = join(machine.folder, "command");
    writeFileSync(file, "");
    await start(machine, sh(script.replaceAll("FILE", file)));
    await untilAttempt(machine.driver, key, exited);
    const program = script.startsWith("mkdir") ? `${file}.d` : file;
    await machine.driver.start(uid, 2, launchOf([program]), recordOf());
    const { exit } = await untilAttempt(machine.driver, [uid, 2], exited);
    expect(exit?.problem?.reason).toBe(reason);
    expect(exit?.problem?.message).toContain(text);
    rmSync(program, { recursive: true, force: true });
  });

  test("the end of a process is never marked as awaited", async () => {
    await using machine = await TestMachine.open();
    const changes: [string, boolean | undefined][] = [];
    machine.driver.subscribe(({ text, awaited }) => changes.push([text.replace(/^pid \d+ /, ""), awaited]));
    await start(machine, ["sleep", "1000"]);
    await machine.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 60_000 });
    await untilAttempt(machine.driver, key, exited);
    // Marked as awaited, unless this program is so busy that it found the start by itself before the announcement came.
    expect(changes[0]?.[0]).toBe("started");
    await expect.poll(() => changes.at(-1)).toEqual(["was killed by SIGTERM", false]);
  });

  test("a thousand quick exits lose no exit code", async () => {
    await using machine = await TestMachine.open();
    const count = 1000;
    const codes = new Map<number, number | undefined>();
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) {
        const index = next++;
        await machine.driver.start(`q${index}`, 1, launchOf(sh(`exit ${index % 256}`)), recordOf());
        const { exit } = await untilAttempt(machine.driver, [`q${index}`, 1], exited);
        codes.set(index, exit?.code);
        await machine.driver.remove(`q${index}`);
      }
    };
    await Promise.all(Array.from({ length: 20 }, worker));
    const wrong = [...codes].filter(([index, code]) => code !== index % 256);
    expect([codes.size, wrong]).toEqual([count, []]);
  }, 120_000);
});

describeIf(isLinux, "Linux", "faults of the machine", () => {
  test("a killed shim server is replaced, and running processes do not notice", async () => {
    await using machine = await TestMachine.open();
    const before = await start(machine, ["sleep", "1000"]);
    for (const pid of processesWith(`serve\0${machine.folder}`)) process.kill(pid, "SIGKILL");
    await machine.driver.start("b2", 1, launchOf(sh("exit 3")), recordOf());
    expect((await untilAttempt(machine.driver, ["b2", 1], exited)).exit?.code).toBe(3);
    expect((await machine.driver.inspect(uid))[0]).toMatchObject({
      state: "running",
      process: before.process,
    });
  });

  test("a process whose shim was killed can be signalled, and what it leaves behind is killed", async () => {
    await using machine = await TestMachine.open();
    const marker = join(machine.folder, "marker");
    const script =
      "$SIG{HUP} = sub { open F, '>>', $ARGV[0]; print F 'x'; close F }; if (fork) { $| = 1; print qq(ready\\n) } sleep 1000 while 1";
    await start(machine, perl(script, marker));
    await untilPrinted(machine, "ready");
    process.kill(machine.shim(uid, 1) ?? 0, "SIGKILL");
    await untilAttempt(machine.driver, key, ({ state }) => state === "orphaned");
    await machine.driver.signal(uid, 1, "SIGHUP");
    await expect.poll(() => processesWith(marker).length).toBe(2);
    await expect.poll(() => readFileSync(marker, { encoding: "utf8", flag: "a+" })).toBe("x");
    await machine.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 60_000 });
    expect((await untilAttempt(machine.driver, key, exited)).exit?.cause).toBe("Unknown");
    // Without cgroups nobody can know that the other one belongs to it.
    if (!hasCgroups) for (const pid of processesWith(marker)) process.kill(pid, "SIGKILL");
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });

  test("an attempt from before a reboot has ended with it", async () => {
    await using machine = await TestMachine.open();
    await start(machine, ["sleep", "1000"]);
    await machine.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 0 });
    await untilAttempt(machine.driver, key, exited);
    const folder = join(machine.folder, uid, "1");
    const record = readFileSync(join(folder, "record.json"), "utf8");
    writeFileSync(join(folder, "record.json"), record.replace(/"bootId":"[^"]*"/, '"bootId":"earlier"'));
    // A crash of the machine can lose what was written last.
    writeFileSync(join(folder, "state"), "");
    await machine.reopen();
    const [attempt] = await machine.driver.inspect(uid);
    expect(attempt).toMatchObject({ state: "exited", adopted: true, exit: { cause: "Rebooted" } });
    await machine.reopen();
    expect((await machine.driver.inspect(uid))[0]?.exit).toEqual(attempt?.exit);
  });

  test("a second driver cannot open the folder", async () => {
    await using machine = await TestMachine.open();
    await expect(TestMachine.open({ folder: machine.folder })).rejects.toMatchObject({
      reason: "FolderInUse",
      message: expect.stringContaining(machine.folder) as string,
    });
    await start(machine, sh("exit 0"));
    expect((await untilAttempt(machine.driver, key, exited)).exit?.code).toBe(0);
  });

  test("probes of ports and commands", async () => {
    await using machine = await TestMachine.open();
    await start(machine, ["sleep", "1000"]);
    const host = "127.0.0.1";
    const server = createServer((socket) => {
      socket.on("error", () => {}).resume();
      socket.end("HTTP/1.1 503 Busy\r\n\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const { port } = server.address() as { port: number };
    const probe = (check: Parameters<typeof machine.driver.probe>[2], signal = AbortSignal.timeout(20_000)) =>
      machine.driver.probe(uid, 1, check, signal);
    expect(await machine.driver.isPortFree(host, port)).toBe(false);
    // 192.0.2.1 is an address for documentation, which no machine has.
    const unusable = { reason: "NoSuchAddress" };
    await expect(machine.driver.isPortFree("192.0.2.1", port)).rejects.toMatchObject(unusable);
    await expect(machine.driver.allocatePort("no.such.invalid", new Set())).rejects.toMatchObject(unusable);
    expect(await probe({ type: "tcp", host, port })).toBeUndefined();
    expect(await probe({ type: "http", host, port, path: "/x", headers: {} })).toBe(
      "HTTP status 503 from /x",
    );
    await new Promise((resolve) => server.close(resolve));
    expect(await probe({ type: "tcp", host, port })).toContain("ECONNREFUSED");
    expect(await probe({ type: "http", host, port, path: "/", headers: {} })).toContain("ECONNREFUSED");

    const launch = launchOf(["sleep"], { env: { PATH: "/usr/bin:/bin", COLOUR: "red" }, workingDir: "/tmp" });
    const exec = (argv: Launch["argv"], signal?: AbortSignal) =>
      probe({ type: "exec", argv, launch }, signal);
    expect(await exec(sh('test "$COLOUR $PWD" = "red /tmp"'))).toBeUndefined();
    expect(await exec(sh("echo broken; exit 3"))).toBe("exit code 3: broken");
    expect(await exec(sh("kill -9 $$"))).toBe("ended by SIGKILL");
    const marker = join(machine.folder, "probe");
    const abort = new AbortController();
    const slow = exec(perl("fork; sleep 1000", marker), abort.signal);
    await expect.poll(() => processesWith(marker).length).toBe(2);
    abort.abort();
    expect(await slow).toContain("timeout");
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });
});

describeIf(isLinux, "Linux", "somebody else at work", () => {
  const stopNow = { reason: "Requested", signal: "SIGTERM", grace: 60_000 } as const;
  const patience = { timeout: 20_000 };
  /** Prints a line for every SIGHUP, whose delivery also lets the shim look after its files. */
  const echo = perl("$| = 1; $SIG{HUP} = sub { print qq(hup\\n) }; print qq(ready\\n); sleep 1000 while 1");

  test.each(["state", "control", "log.1"])(
    "the file %s is deleted, and comes back",
    async (name) => {
      await using machine = await TestMachine.open();
      const { process: running } = await start(machine, echo);
      await untilPrinted(machine, "ready");
      rmSync(join(machine.folder, uid, "1", name));
      await expect
        .poll(() => {
          process.kill(running?.pid ?? 0, "SIGHUP");
          return readdirSync(join(machine.folder, uid, "1"));
        }, patience)
        .toContain(name === "log.1" ? "log.2" : name);
      await expect
        .poll(() => machine.driver.inspect(uid), patience)
        .toMatchObject([{ state: "running", process: running }]);
      await machine.driver.stop(uid, 1, stopNow);
      expect((await untilAttempt(machine.driver, key, exited)).exit?.signal).toBe("SIGTERM");
    },
    40_000,
  );

  test("the folder of an attempt is deleted: its process ends, and does not take the next one with it", async () => {
    await using machine = await TestMachine.open();
    const { process: lost } = await start(machine, echo);
    await untilPrinted(machine, "ready");
    rmSync(join(machine.folder, uid), { recursive: true });
    expect(await machine.driver.inspect(uid)).toEqual([]);
    const { process: next } = await start(machine, ["sleep", "1000"]);
    const signalled = (): boolean => {
      try {
        return process.kill(lost?.pid ?? 0, "SIGHUP");
      } catch {
        return false;
      }
    };
    await expect.poll(signalled, patience).toBe(false);
    expect(await machine.driver.inspect(uid)).toMatchObject([{ state: "running", process: next }]);
    await machine.driver.stop(uid, 1, stopNow);
    expect((await untilAttempt(machine.driver, key, exited)).exit?.signal).toBe("SIGTERM");
  }, 40_000);

  test("a file that was lost with the machine is written again, so that exits are announced", async () => {
    await using machine = await TestMachine.open();
    await start(machine, ["true"]);
    await untilAttempt(machine.driver, key, exited);
    writeFileSync(join(machine.folder, uid, "owner.json"), "");
    await machine.driver.start(uid, 2, launchOf(["true"]), recordOf({ name: "web" }));
    expect(await machine.driver.list()).toMatchObject([{ uid, name: "web" }]);
  });

  test("a launch, which may have secrets, is deleted if its shim was killed before it could", async () => {
    await using machine = TestMachine.closed();
    process.env["FETTLE_SHIM_FAILPOINT"] = "after-claim";
    try {
      await machine.reopen();
      const { exit } = await start(machine, ["true"]);
      expect(exit?.cause).toBe("NotStarted");
    } finally {
      delete process.env["FETTLE_SHIM_FAILPOINT"];
    }
    expect(readdirSync(join(machine.folder, uid, "1"))).not.toContain("launch");
  });

  test("a shim server that was suspended is replaced", async () => {
    await using machine = await TestMachine.open();
    for (const pid of processesWith(`serve\0${machine.folder}`)) process.kill(pid, "SIGSTOP");
    await start(machine, sh("exit 4"));
    expect((await untilAttempt(machine.driver, key, exited)).exit?.code).toBe(4);
    for (const pid of processesWith(`serve\0${machine.folder}`)) process.kill(pid, "SIGSTOP");
    await machine.reopen();
  }, 60_000);

  test("a shim that was suspended is named, and does what it was asked when it goes on", async () => {
    await using machine = await TestMachine.open();
    await start(machine, ["sleep", "1000"]);
    const shim = machine.shim(uid, 1) ?? 0;
    process.kill(shim, "SIGSTOP");
    await expect(machine.driver.stop(uid, 1, stopNow)).rejects.toThrow(`kill -CONT ${shim}`);
    process.kill(shim, "SIGCONT");
    expect((await untilAttempt(machine.driver, key, exited)).exit?.signal).toBe("SIGTERM");
  }, 30_000);
});

describeIf(isRoot, "root", "faults that only root can cause", () => {
  test("a full disk: starts fail, processes go on, lost lines are counted, and exit codes are known", async () => {
    using disk = mountSmallDisk();
    await using machine = await TestMachine.open({ folder: join(disk.path, "processes") });
    const script =
      "$| = 1; $SIG{USR1} = sub { print 'x' x 9000, qq(\\n) }; $SIG{TERM} = sub { exit 5 }; print qq(ready\\n); sleep 1000 while 1";
    await start(machine, perl(script));
    await untilPrinted(machine, "ready");
    const filler = join(disk.path, "filler");
    const fill = (): void => {
      for (const size of [65_536, 4096, 1]) {
        try {
          for (;;) appendFileSync(filler, Buffer.alloc(size));
        } catch (error) {
          expect(error).toMatchObject({ code: "ENOSPC" });
        }
      }
    };
    fill();
    await expect(machine.driver.start("b2", 1, launchOf(["true"]), recordOf())).rejects.toMatchObject({
      reason: "DiskFull",
    });
    expect(await machine.driver.inspect("b2")).toEqual([]);
    await machine.driver.signal(uid, 1, "SIGUSR1");
    const { lostLines, state } = await untilAttempt(
      machine.driver,
      key,
      (attempt) => attempt.lostLines.count > 0,
    );
    expect([state, lostLines.reason]).toEqual(["running", "no space left on device"]);
    rmSync(filler);
    await machine.driver.signal(uid, 1, "SIGUSR1");
    await untilPrinted(machine, "x".repeat(9000));
    fill();
    await machine.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 60_000 });
    expect((await untilAttempt(machine.driver, key, exited)).exit).toMatchObject({
      cause: "Exited",
      code: 5,
    });
    rmSync(filler);
    await machine.driver.start("b2", 1, launchOf(sh("exit 6")), recordOf());
    expect((await untilAttempt(machine.driver, ["b2", 1], exited)).exit?.code).toBe(6);
  });

  test.each([{ user: "4294967296" }, { user: "daemon", group: "4294967296" }])(
    "%j is not cut off to the number of root",
    async (account) => {
      await using machine = await TestMachine.open();
      const { exit } = await start(machine, ["sleep", "1000"], account);
      expect(exit?.problem).toMatchObject({
        reason: "UnknownUser",
        message: expect.stringContaining("4294967296 is not the number") as string,
      });
    },
  );

  test("a process runs as its user, with the groups of that user", async () => {
    await using machine = await TestMachine.open();
    const launch = { user: "daemon", workingDir: "/" };
    await start(machine, sh("id -un; id -gn; id -Gn; cat /proc/self/status | grep ^CapEff"), launch);
    const expected = ["daemon", "daemon", "daemon", "CapEff:\t0000000000000000"];
    expect(await log(machine)).toEqual(expected);
    await machine.driver.start(
      "b2",
      1,
      launchOf(sh("id -u; id -g; sleep 1000"), { user: "12345", group: "23456" }),
      recordOf(),
    );
    const check = {
      type: "exec",
      argv: sh("test $(id -u):$(id -G) = 12345:23456"),
      launch: launchOf(["x"], { user: "12345", group: "23456" }),
    } as const;
    expect(await machine.driver.probe("b2", 1, check, AbortSignal.timeout(20_000))).toBeUndefined();
  });
});

describeIf(hasCgroups, "cgroups that this user may create", "limits", () => {
  test("a start that the system refuses fails, and the next one works", async () => {
    await using machine = await TestMachine.open();
    const group = mkdtempSync("/sys/fs/cgroup/pids/fettle-test-");
    const [server] = processesWith(`serve\0${machine.folder}`);
    const move = (folder: string): void => writeFileSync(join(folder, "cgroup.procs"), String(server));
    try {
      writeFileSync(join(group, "pids.max"), "1");
      move(group);
      await expect(machine.driver.start(uid, 1, launchOf(["true"]), recordOf())).rejects.toMatchObject({
        reason: "ShimFailed",
        message: expect.stringContaining("refused another process") as string,
      });
      expect(await machine.driver.inspect(uid)).toEqual([]);
    } finally {
      move("/sys/fs/cgroup/pids");
      rmdirSync(group);
    }
    await start(machine, sh("exit 3"));
    expect((await untilAttempt(machine.driver, key, exited)).exit?.code).toBe(3);
  });

  test("a process that exceeds its memory limit is reported as out of memory", async () => {
    await using machine = await TestMachine.open();
    const { limitProblems } = await start(machine, perl("my $x = 'x' x 200_000_000; sleep 1000"), {
      limits: { memoryBytes: 20_000_000, cpus: 0.5, pids: 10 },
    });
    expect(limitProblems).toEqual([]);
    const { exit } = await untilAttempt(machine.driver, key, exited);
    expect(exit).toMatchObject({ cause: "Signaled", signal: "SIGKILL", oomKilled: true });
    expect(machine.cgroupFolders()).toEqual([]);
  });

  test("a fork bomb is limited, and ends when it is stopped", async () => {
    await using machine = await TestMachine.open();
    const marker = join(machine.folder, "bomb");
    const bomb = "while (1) { defined(fork) or select undef, undef, undef, 0.05 }";
    await start(machine, perl(bomb, marker), { limits: { pids: 30 } });
    await untilAttempt(machine.driver, key, ({ usage }) => (usage?.pids ?? 0) >= 30);
    expect(processesWith(marker).length).toBeLessThanOrEqual(30);
    await machine.driver.stop(uid, 1, { reason: "Requested", signal: "SIGTERM", grace: 0 });
    const { exit } = await untilAttempt(machine.driver, key, exited);
    expect(exit?.leftovers).toBeGreaterThan(0);
    expect(processesWith(marker)).toEqual([]);
    expect(machine.cgroupFolders()).toEqual([]);
  });

  test("limits that cannot be put in force are named, and the process runs", async () => {
    await using machine = await TestMachine.open({ cgroups: "off" });
    const { limitProblems, state } = await start(machine, ["sleep", "1000"], {
      limits: { memoryBytes: 1e8, pids: 5 },
    });
    expect(state).toBe("running");
    expect(limitProblems).toEqual([
      "The memory limit is not in force: cgroups are turned off",
      "The pids limit is not in force: cgroups are turned off",
    ]);
  });
});
