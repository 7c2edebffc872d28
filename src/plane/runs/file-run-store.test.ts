import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { VirtualClock, type Clock } from "../../model/core.js";
import type { Log } from "../../runtime/log/log.js";
import { silent } from "../../runtime/log/log.js";
import { kindOf, objectOf, runOf, writeOf } from "../../runtime/runs/fixtures/sample-run.js";
import { MemoryRunStore } from "../../runtime/runs/memory-run-store.js";
import { renderRun } from "../../runtime/runs/render-run.js";
import type { Run } from "../../runtime/runs/run.js";
import { lastRuns } from "../management/runs/run-reports.js";
import { fileRunStore, type FileRunStore, type RunFilesOptions } from "./file-run-store.js";
import { segmentFiles, type SegmentFiles } from "./segment-files.js";

const opened: FileRunStore[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fettle-runs-"));
  folders.push(folder);
  return join(folder, "runs");
}

function open(options: RunFilesOptions): FileRunStore {
  const { files = segmentFiles(options.folder) } = options;
  const store = fileRunStore({ ...options, files: observed(files) });
  opened.push(store);
  return store;
}

let count = 0;
function run(name: string, fields: Partial<Run> = {}): Run {
  return runOf({ id: `run-${count++}`, key: `default/${name}`, startedAt: count, ...fields });
}

function ids(runs: readonly Run[]): readonly string[] {
  return runs.map(({ id }) => id);
}

/** File operations under way in this test. */
let operations = 0;

function observed(files: SegmentFiles): SegmentFiles {
  const during = async <T>(operation: Promise<T>): Promise<T> => {
    operations++;
    try {
      return await operation;
    } finally {
      operations--;
    }
  };
  return {
    list: () => during(files.list()),
    append: (name, data) => during(files.append(name, data)),
    read: (name, start, end) => during(files.read(name, start, end)),
    remove: (name) => during(files.remove(name)),
  };
}

/** A clock that lets file operations end before time goes on. */
function newClock(): VirtualClock {
  const settle = async (): Promise<void> => {
    for (let idle = 0; idle < 30; idle = operations === 0 ? idle + 1 : 0) await nextTurn();
  };
  return new VirtualClock(0, { settle });
}

function recordingLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const write = (level: string) => (fields: object, text: string) =>
    void lines.push(`${level} ${text} ${JSON.stringify({ ...fields, folder: undefined })}`);
  const log: Log = { ...silent, info: write("info"), warn: write("warn"), error: write("error") };
  return { log, lines };
}

test("finds runs that are in memory, being written and on disk, each once and oldest first", async () => {
  const clock = newClock();
  const store = open({ folder: await newFolder(), clock });
  const runs: Run[] = [];
  for (let turn = 0; turn < 300; turn++) {
    const each = run(`site-${turn % 3}`);
    runs.push(each);
    store.add(each);
    if (turn % 20 === 0) void clock.advance(500);
    if (turn % 7 === 0) {
      expect(ids(await store.find())).toEqual(ids(runs));
      const own = runs.filter(({ key }) => key === each.key);
      expect(ids(await store.find({ kind: "Site", key: each.key, limit: 5 }))).toEqual(ids(own).slice(-5));
    }
  }
});

test("another process finds what was written, with permissions for the owner only", async () => {
  const folder = await newFolder();
  const first = open({ folder });
  const runs = [
    run("a", { uid: "1" }),
    run("b", {
      writes: [writeOf({ kind: kindOf("Page"), name: "front", after: objectOf("Page", "front", "1") })],
    }),
    run("a", { uid: "2", controller: "other" }),
    run('odd"name\\', { kind: "Row", apiVersion: "rows.dev/v1" }),
  ].map((each) => Object.assign(each, { startedAt: Date.now() }));
  for (const each of runs) first.add(each);
  await first.close();
  const store = open({ folder });
  const [a, b, other, row] = ids(runs);
  const found = async (query: Parameters<FileRunStore["find"]>[0]) => ids(await store.find(query));
  expect(await found({})).toEqual([a, b, other, row]);
  expect(await found({ kind: "Site", key: "default/a" })).toEqual([a, other]);
  expect(await found({ key: "default/a", uid: "1" })).toEqual([a]);
  expect(await found({ uid: "2" })).toEqual([other]);
  expect(await found({ controller: "other" })).toEqual([other]);
  expect(await found({ kind: "Row" })).toEqual([row]);
  expect(await found({ kind: "Row", key: 'default/odd"name\\' })).toEqual([row]);
  expect(await found({ kind: { apiVersion: "rows.dev/v2", kind: "Row" } })).toEqual([row]);
  expect(await found({ kind: { apiVersion: "other.dev/v1", kind: "Row" } })).toEqual([]);
  expect(await found({ wrote: { kind: "Page", namespace: "default", name: "front" } })).toEqual([b]);
  expect(await found({ after: b })).toEqual([other, row]);
  expect(await found({ after: "unknown", limit: 2 })).toEqual([other, row]);
  expect(await found({ limit: 0 })).toEqual([]);
  const [file = ""] = await readdir(folder);
  expect(((await stat(join(folder, file))).mode & 0o777).toString(8)).toBe("600");
  expect(((await stat(folder)).mode & 0o777).toString(8)).toBe("700");
});

test("writes what was added within half a second, in one append", async () => {
  const clock = newClock();
  const folder = await newFolder();
  const files = segmentFiles(folder);
  let appends = 0;
  const append: SegmentFiles["append"] = (name, data) => {
    appends++;
    return files.append(name, data);
  };
  const store = open({ folder, clock, files: { ...files, append } });
  for (let turn = 0; turn < 200; turn++) store.add(run("a"));
  await clock.advance(499);
  expect(appends).toBe(0);
  await clock.advance(1);
  expect(appends).toBe(1);
});

test("skips a line that a crash cut off", async () => {
  const folder = await newFolder();
  const now = Date.now();
  const first = open({ folder });
  first.add(run("a", { startedAt: now }));
  await first.close();
  const [file = ""] = await readdir(folder);
  const line = await readFile(join(folder, file), "utf8");
  const store = open({ folder });
  for (let length = 0; length < line.length; length += 7) {
    await writeFile(join(folder, file), line + line.slice(0, length).replaceAll("run-", "torn-"));
    expect(ids(await store.find()).filter((id) => id.startsWith("torn"))).toEqual([]);
    expect(await store.find({ key: "default/a" })).toHaveLength(1);
  }
  expect(store.unreadable).toBe(0);
});

test("skips and counts lines that are garbled, and warns once", async () => {
  const folder = await newFolder();
  const first = open({ folder });
  first.add(run("a", { startedAt: Date.now() }));
  await first.close();
  const [file = ""] = await readdir(folder);
  const good = await readFile(join(folder, file), "utf8");
  await writeFile(
    join(folder, file),
    `${good}{"key":"default/a","kind":"Site",\n{}\n${good.replaceAll("run-", "new-")}`,
  );
  await appendFile(join(folder, "notes.txt"), "not a segment");
  const { log, lines } = recordingLog();
  const store = open({ folder, log });
  expect(await store.find({ kind: "Site", key: "default/a" })).toHaveLength(2);
  expect(store.unreadable).toBe(1);
  expect(await store.find()).toHaveLength(2);
  expect(store.unreadable).toBe(3);
  expect(lines).toEqual([expect.stringContaining("warn skipped run records that cannot be read")]);
});

test("keeps runs in memory while the disk is full, and writes them when there is room", async () => {
  const clock = newClock();
  const folder = await newFolder();
  const files = segmentFiles(folder);
  const { log, lines } = recordingLog();
  let isFull = false;
  const faulty: SegmentFiles = {
    ...files,
    async append(name, data) {
      if (!isFull) return files.append(name, data);
      // A full disk takes a part of what it is given.
      await files.append(name, data.subarray(0, data.length / 2));
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    },
  };
  const store = open({ folder, clock, log, files: faulty });
  const runs = [run("a"), run("b"), run("a")];
  store.add(runs[0] as Run);
  await clock.advance(500);
  isFull = true;
  store.add(runs[1] as Run);
  await clock.advance(500);
  store.add(runs[2] as Run);
  await clock.advance(60_000);
  expect(ids(await store.find())).toEqual(ids(runs));
  expect(lines).toEqual([expect.stringMatching(/^warn run records cannot be written.*/)]);
  isFull = false;
  await clock.advance(5000);
  expect(ids(await store.find())).toEqual(ids(runs));
  expect(lines.slice(1)).toEqual(['info run records are written again {"lost":0}']);
  expect(ids(await open({ folder, clock }).find())).toEqual(ids(runs));
  // The file that was written in part, and the one with the retried runs.
  expect(await readdir(folder)).toHaveLength(2);
});

const broken: SegmentFiles = {
  list: () => Promise.reject(new Error("EIO")),
  append: () => Promise.reject(new Error("EIO")),
  read: () => Promise.reject(new Error("EIO")),
  remove: () => Promise.reject(new Error("EIO")),
};

test("bounds what is kept in memory while nothing can be written, and reports what was lost", async () => {
  const clock = newClock();
  const { log, lines } = recordingLog();
  const store = fileRunStore({ folder: "unused", clock, log, files: observed(broken) });
  const message = "x".repeat(10_000);
  for (let turn = 0; turn < 3000; turn++) {
    store.add(run("a", { outcome: { type: "fail", reason: "Big", message } }));
    if (turn === 1000) await clock.advance(500);
  }
  const found = await store.find({ limit: 5000 });
  expect(found.at(-1)?.id).toBe(`run-${count - 1}`);
  expect(found.length).toBeLessThan((16 * 1024 * 1024) / message.length);
  expect(found.length).toBeGreaterThan(1000);
  await store.close();
  expect(lines).toContainEqual(expect.stringMatching(/^warn run records cannot be written/));
  expect(lines.at(-1)).toBe(`error run records could not be written {"lost":${found.length}}`);
});

test("finds what is in memory when the folder cannot be read", async () => {
  const clock = newClock();
  const { log, lines } = recordingLog();
  const store = fileRunStore({ folder: "unused", clock, log, files: observed(broken) });
  const added = run("a");
  store.add(added);
  expect(ids(await store.find({ key: "default/a" }))).toEqual([added.id]);
  expect(await store.find({ key: "default/b" })).toEqual([]);
  expect(lines).toEqual([expect.stringContaining("warn skipped run records that cannot be read")]);
  await store.close();
});

test("finds the runs of all other files when one cannot be read", async () => {
  const clock = newClock();
  const folder = await newFolder();
  const runs = [run("a"), run("a"), run("a")];
  for (const each of runs) {
    await clock.advance(10);
    const store = open({ folder, clock });
    store.add(each);
    await store.close();
  }
  const [, unreadable] = (await readdir(folder)).sort();
  const files = segmentFiles(folder);
  const read: SegmentFiles["read"] = (name, start, end) =>
    name === unreadable ? Promise.reject(new Error("EACCES")) : files.read(name, start, end);
  const { log, lines } = recordingLog();
  const store = open({ folder, clock, log, files: { ...files, read } });
  const [first, , last] = ids(runs);
  expect(ids(await store.find({ key: "default/a" }))).toEqual([first, last]);
  expect(ids(await store.find())).toEqual([first, last]);
  expect(store.unreadable).toBe(2);
  expect(lines).toEqual([expect.stringContaining(`"file":"${unreadable}"`)]);
});

test("deletes other old files when one cannot be deleted", async () => {
  const clock = newClock();
  const folder = await newFolder();
  for (let turn = 0; turn < 3; turn++) {
    await clock.advance(10);
    const store = open({ folder, clock });
    store.add(run("a"));
    await store.close();
  }
  const [kept] = (await readdir(folder)).sort();
  await clock.advance(30 * 86_400_000);
  const files = segmentFiles(folder);
  const remove: SegmentFiles["remove"] = (name) =>
    name === kept ? Promise.reject(new Error("EPERM")) : files.remove(name);
  const { log, lines } = recordingLog();
  await open({ folder, clock, log, files: { ...files, remove } }).close();
  expect(await readdir(folder)).toEqual([kept]);
  expect(lines).toEqual([expect.stringContaining("warn old run records cannot be deleted")]);
});

test("a run of 10 MB is stored without its large parts, and displaces no others", async () => {
  const clock = newClock();
  const folder = await newFolder();
  const maxSize = 1024 * 1024;
  const store = open({ folder, clock, maxSize });
  const large = "x".repeat(10_000_000);
  const small = writeOf({ kind: kindOf("Page"), name: "small", after: objectOf("Page", "small", "1") });
  const object = objectOf("Page", "large", "1", { spec: { html: large } });
  const first = run("a");
  const big = run("a", {
    triggers: [{ type: "retry", text: large, at: 0 }],
    writes: [writeOf({ kind: kindOf("Page"), name: "large", after: object }), small],
    outcome: { type: "error", reason: "Failed", message: large },
  });
  store.add(first);
  store.add(big);
  await clock.advance(500);
  for (const reader of [store, open({ folder, clock, maxSize })]) {
    const found = await reader.find({ key: "default/a" });
    expect(ids(found)).toEqual([first.id, big.id]);
    expect(found[1]).toMatchObject({ droppedWrites: 1, writes: [{ name: "small" }] });
    expect(renderRun(found[1] as Run)).toContain("… (9998000 more characters)");
  }
  const [file = ""] = await readdir(folder);
  expect((await stat(join(folder, file))).size).toBeLessThan(64 * 1024);
});

test("finds the latest runs first after the clock was set back, also after a restart", async () => {
  const folder = await newFolder();
  const now = 100 * 86_400_000;
  const during = async (time: number, added: readonly Run[]): Promise<FileRunStore> => {
    const store = open({ folder, clock: new VirtualClock(time) });
    for (const each of added) store.add(each);
    await store.close();
    return store;
  };
  const early = [run("a", { startedAt: now }), run("a", { startedAt: now + 1 })];
  await during(now, early);
  const back = now - 86_400_000;
  const late = [run("a", { startedAt: back }), run("a", { startedAt: back + 1 })];
  const store = await during(back, late);
  expect(ids(await store.find({ key: "default/a", limit: 2 }))).toEqual(ids(late));
  expect(ids(await store.find({ key: "default/a" }))).toEqual(ids([...late, ...early]));
  const next = await during(back + 1000, []);
  expect(ids(await next.find({ limit: 2 }))).toEqual(ids(late));
});

test("goes on when the clock is set back while it is open", async () => {
  const folder = await newFolder();
  const clock = newClock();
  let offset = 100 * 86_400_000;
  const shifted: Clock = {
    now: () => clock.now() + offset,
    after: (delay, callback) => clock.after(delay, callback),
  };
  const store = open({ folder, clock: shifted, maxSize: 64 * 1024 });
  const runs: Run[] = [];
  for (let turn = 0; turn < 40; turn++) {
    if (turn === 20) offset -= 3 * 86_400_000;
    const each = run("a", {
      startedAt: shifted.now(),
      outcome: { type: "fail", reason: "Big", message: "x".repeat(1000) },
    });
    runs.push(each);
    store.add(each);
    await clock.advance(500);
  }
  expect(ids(await store.find({ limit: 10 }))).toEqual(ids(runs).slice(-10));
});

test("every answer can be shown, whatever bytes of a file are damaged", async () => {
  const folder = await newFolder();
  const clock = newClock();
  const first = open({ folder, clock });
  const write = writeOf({
    kind: kindOf("Page"),
    name: "front",
    verb: "update",
    before: objectOf("Page", "front", "1", { spec: { html: "a" } }),
    after: objectOf("Page", "front", "2", { spec: { html: "b" } }),
  });
  const step = { name: "s", startedAt: 0, duration: 1, attempts: 1, outcome: "done" } as const;
  for (let turn = 0; turn < 5; turn++) {
    const at = Date.UTC(2026, 0, 1);
    first.add(
      run("a", { startedAt: at, triggers: [{ type: "created", at }], steps: [step], writes: [write] }),
    );
  }
  await first.close();
  const [file = ""] = await readdir(folder);
  const good = await readFile(join(folder, file));
  const flips = fc.array(fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 })), {
    maxLength: 12,
  });
  const check = fc.asyncProperty(flips, fc.nat(good.length), async (damaged, length) => {
    const bytes = Buffer.from(good);
    for (const [at, bits] of damaged) bytes[at] = (bytes[at] ?? 0) ^ bits;
    await writeFile(join(folder, file), bytes.subarray(0, length));
    const store = fileRunStore({ folder, clock });
    for (const query of [
      {},
      { key: "default/a" },
      { wrote: { kind: "Page", namespace: "default", name: "front" } },
    ]) {
      for (const found of await store.find(query)) {
        expect(renderRun(found, { diffs: true })).toContain("outcome");
      }
      await lastRuns(store, query, true);
    }
    await store.close();
  });
  await fc.assert(check, { numRuns: 200 });
});

test("finds runs of objects with unusual names", async () => {
  const names = [
    '"',
    "\\",
    "\n",
    "\u2028",
    "\ud800",
    "é",
    "__proto__",
    'a"},{"key":"default/b',
    "x".repeat(1000),
  ];
  const folder = await newFolder();
  const first = open({ folder });
  const runs = names.map((name) => run(name, { startedAt: Date.now() }));
  for (const each of runs) first.add(each);
  await first.close();
  const store = open({ folder });
  for (const { key, id } of runs) expect(ids(await store.find({ key })), key).toEqual([id]);
  expect(await store.find({ key: "default/b" })).toEqual([]);
});

test("a listener that throws neither fails the run nor keeps others from being called", async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const heard: string[] = [];
  for (const store of [open({ folder: await newFolder() }), new MemoryRunStore()]) {
    store.follow(() => {
      throw new Error("listener broke");
    });
    store.follow(({ id }) => heard.push(id));
    store.add(run("a", { id: "heard" }));
  }
  expect(heard).toEqual(["heard", "heard"]);
  await expect.poll(() => warnings).toHaveLength(2);
  expect(warnings[0]).toContain("listener broke");
});

test("deletes the oldest runs beyond the maximum size", async () => {
  const clock = newClock();
  const folder = await newFolder();
  const maxSize = 256 * 1024;
  const store = open({ folder, clock, maxSize });
  const last: string[] = [];
  for (let batch = 0; batch < 60; batch++) {
    for (let turn = 0; turn < 20; turn++) {
      const each = run("a", { outcome: { type: "fail", reason: "Big", message: "x".repeat(500) } });
      last.push(each.id);
      store.add(each);
    }
    await clock.advance(500);
    const sizes = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(maxSize);
  }
  const found = ids(await store.find({ limit: 10_000 }));
  expect(found.length).toBeGreaterThan(150);
  expect(found).toEqual(last.slice(-found.length));
});

test("forgets runs beyond the maximum age, and deletes their files", async () => {
  const clock = newClock();
  const folder = await newFolder();
  const store = open({ folder, clock, maxAge: "7d" });
  const hour = 3_600_000;
  for (let hours = 0; hours < 24 * 14; hours++) {
    store.add(run("a", { startedAt: clock.now() }));
    await clock.advance(hour);
  }
  const found = await store.find();
  expect(found).toHaveLength(24 * 7);
  expect(found[0]?.startedAt).toBe(clock.now() - 24 * 7 * hour);
  expect((await readdir(folder)).length).toBeLessThanOrEqual(18);
  await clock.advance(24 * 30 * hour);
  expect(await store.find()).toEqual([]);
  await open({ folder, clock }).close();
  expect(await readdir(folder)).toEqual([]);
});

test("bounds the number of files when a process is restarted again and again", async () => {
  const folder = await newFolder();
  const clock = newClock();
  for (let turn = 0; turn < 220; turn++) {
    await clock.advance(10);
    const store = fileRunStore({ folder, clock });
    store.add(run("a", { startedAt: clock.now() }));
    await store.close();
  }
  expect((await readdir(folder)).length).toBeLessThanOrEqual(200);
});

test("processes that share a folder see each other's runs", async () => {
  const folder = await newFolder();
  const clock = newClock();
  const [one, two] = [open({ folder, clock }), open({ folder, clock })];
  const runs = [run("a"), run("b"), run("c")];
  one.add(runs[0] as Run);
  await clock.advance(500);
  two.add(runs[1] as Run);
  await clock.advance(500);
  one.add(runs[2] as Run);
  await clock.advance(500);
  expect(ids(await one.find())).toEqual(ids(runs));
  expect(ids(await two.find())).toEqual(ids(runs));
});

test("records a run without the parts that cannot be encoded", async () => {
  const folder = await newFolder();
  const first = open({ folder });
  const startedAt = Date.now();
  const write = writeOf({ kind: kindOf("Page"), name: "b" });
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  first.add(run("a", { startedAt, writes: [{ ...write, sent: { count: 1n } }, write] }));
  first.add(run("a", { startedAt, writes: [{ ...write, sent: circular }] }));
  // Plain JavaScript can do this.
  const message = 10n as unknown as string;
  first.add(run("a", { startedAt, outcome: { type: "fail", reason: "Odd", message } }));
  first.add(run("a", { startedAt, uid: 10n as unknown as string }));
  first.add(run("a", { startedAt }));
  await first.close();
  expect(await open({ folder }).find()).toMatchObject([
    { writes: [{ name: "b" }], droppedWrites: 1 },
    { writes: [], droppedWrites: 1 },
    { outcome: { type: "fail", message: "10" } },
    { outcome: { type: "done" }, droppedWrites: 0 },
  ]);
});

test("finds recent runs of another process after its own have aged", async () => {
  const folder = await newFolder();
  const clock = newClock();
  const idle = open({ folder, clock });
  idle.add(run("a", { startedAt: clock.now() }));
  await clock.advance(6 * 86_400_000);
  const busy = open({ folder, clock });
  const recent = run("a", { startedAt: clock.now() });
  busy.add(recent);
  await clock.advance(1000);
  expect(ids(await idle.find({ since: clock.now() - 60_000 }))).toEqual([recent.id]);
  expect(ids(await idle.find({ limit: 1 }))).toEqual([recent.id]);
});

test("finds every run by its key, whatever the sizes of lines", async () => {
  const check = fc.asyncProperty(
    fc.array(fc.tuple(fc.constantFrom("a", "b", "ab"), fc.constantFrom(0, 10, 100_000, 300_000, 600_000)), {
      minLength: 1,
      maxLength: 12,
    }),
    async (lines) => {
      const folder = await newFolder();
      const writer = fileRunStore({ folder });
      const runs = lines.map(([name, length]) =>
        run(name, {
          startedAt: Date.now(),
          outcome: { type: "fail", reason: "é", message: "x".repeat(length) },
        }),
      );
      for (const each of runs) writer.add(each);
      await writer.close();
      const store = fileRunStore({ folder });
      expect(ids(await store.find())).toEqual(ids(runs));
      for (const key of ["default/a", "default/b", "default/ab"]) {
        const own = runs.filter((each) => each.key === key);
        expect(ids(await store.find({ kind: "Site", key }))).toEqual(ids(own));
      }
      await store.close();
    },
  );
  await fc.assert(check, { numRuns: 30 });
});
