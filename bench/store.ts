import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openSqliteStore, type Store } from "fettle/store";
import { plainSqlite, type Objects } from "./plain-sqlite.js";
import {
  duration,
  inTurn,
  median,
  printRecorded,
  printTable,
  rate,
  round,
  type Contender,
  type Figure,
} from "./report.js";

/**
 * Benchmark of the embedded store, compared with its limits: the sync rate of the disk, and a plain SQLite insert loop without
 * history, preconditions and watchers that blocks its thread, once with SQLite's defaults and once with the settings of the
 * store. Everything is measured in turn in one run, on one disk.
 *
 *   npm run bench:store [-- --sizes 10000,1000000] [--seconds 1] [--rounds 5] [--dir .]
 */
const { sizes, seconds, rounds, directory } = readArguments();
const period = seconds * 1000;
const writers = 64;
const valueBytes = 1000;
const values = Array.from({ length: 997 }, () => Buffer.from(randomBytes(valueBytes / 2).toString("hex")));
const base = mkdtempSync(join(directory, "fettle-bench-"));
process.on("exit", () => rmSync(base, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));

/** Keys as the API server writes them; consecutive ones are not neighbours in the tree. */
const objects: Objects = {
  key: (index) =>
    `/demo.dev/widgets/team-${(index * 7919) % 100}/widget-${((index * 2654435761) % 2 ** 32).toString(16).padStart(8, "0")}`,
  value: (index) => values[index % values.length] ?? Buffer.alloc(0),
};
const prefix = "/demo.dev/widgets/";

/** A store of one size, and its measurements. */
interface Subject {
  readonly name: string;
  /** Figures that are measured once. */
  readonly figures: Figure[];
  readonly contenders: Contender[];
  close(): Promise<void>;
}

const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}`;
console.log(
  `node ${process.version}, ${machine}, objects of ${valueBytes} bytes, median of ${rounds} rounds`,
);
const subjects: Subject[] = [];
for (const size of sizes) subjects.push(await prepare(size));
const measured = await inTurn(
  rounds,
  subjects.map((subject) => subject.contenders),
  settle,
);
const columns = subjects.map(
  ({ name, figures }, index) => [name, [...figures, ...(measured[index] ?? [])]] as const,
);
for (const subject of subjects) await subject.close();
printTable("the embedded store", columns);
printGoals();
printRecorded();

async function prepare(size: number): Promise<Subject> {
  const place = join(base, String(size));
  const open = (): Promise<Store> => openSqliteStore(place, { retention: { count: Infinity, age: "1000h" } });
  let store = await open();
  await fill(store, size);
  await store.close();
  settle();
  const figures = [{ name: "bytes on disk per object", value: diskUsage(place) / size, unit: "B" }];
  const opening: number[] = [];
  for (let time = 0; time < 9; time++) {
    if (time > 0) await store.close();
    opening.push(
      await duration(async () => {
        store = await open();
        await store.get(objects.key(0));
      }),
    );
  }
  figures.push({ name: "open and read an object", value: median(opening), unit: "ms" });

  const tuning = "PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -32768";
  const plain = plainSqlite(join(base, `plain-${size}.db`), size, objects, "");
  const tuned = plainSqlite(join(base, `tuned-${size}.db`), size, objects, tuning);
  let next = size;
  const create = (): Promise<unknown> => {
    const index = next++;
    return store.commit([{ type: "put", key: objects.key(index), value: objects.value(index), expect: 0 }]);
  };
  const any = (): string => objects.key(Math.floor(Math.random() * size));
  const update = (): Promise<unknown> =>
    store.commit([{ type: "put", key: any(), value: objects.value(next++) }]);

  const contender = (name: string, unit: string, measure: Contender["measure"]): Contender => ({
    name,
    unit,
    measure,
  });
  const contenders = [
    contender("disk: syncs of 4 KiB", "/s", () => syncRate(join(base, "sync"), period / 2)),
    contender("plain SQLite: inserts, 1 a transaction", "/s", () => plain.insert(1, period / 2)),
    contender("durable creates, 1 writer", "/s", () =>
      rate(period / 2, 1, async () => void (await create())),
    ),
    contender(`plain SQLite: inserts, ${writers} a transaction`, "/s", () => plain.insert(writers, period)),
    contender(`tuned SQLite: inserts, ${writers} a transaction`, "/s", () => tuned.insert(writers, period)),
    contender(`durable creates, ${writers} writers`, "/s", () => concurrently(writers, period, create)),
    contender(`tuned SQLite: upserts in place, ${writers} a transaction`, "/s", () =>
      tuned.upsert(writers, period),
    ),
    contender(`durable updates with history, ${writers} writers`, "/s", () =>
      concurrently(writers, period, update),
    ),
    contender("gets", "/s", () => rate(period / 2, 1, async () => void (await store.get(any())))),
    contender("range of 10,000", "ms", () => duration(() => store.range({ prefix, limit: 10_000 }))),
    contender("count of all", "ms", () => duration(() => store.count({ prefix }))),
    contender("events delivered, 1 watcher", "/s", () => fanOut(store, 1, update)),
    contender("events delivered, 1000 watchers", "/s", () => fanOut(store, 1000, update)),
  ];
  const close = async (): Promise<void> => {
    plain.close();
    tuned.close();
    await store.close();
  };
  return { name: `${size.toLocaleString("en-US")} objects`, figures, contenders, close };
}

/** Flushes earlier writes to the disk, which would slow down the next measurement. */
function settle(): void {
  execFileSync("sync");
}

async function fill(store: Store, size: number): Promise<void> {
  const step = 500;
  for (let start = 0; start < size; start += step * 8) {
    const commits: Promise<unknown>[] = [];
    for (let from = start; from < Math.min(size, start + step * 8); from += step) {
      const length = Math.min(step, size - from);
      const indexes = Array.from({ length }, (_, place) => from + place);
      commits.push(
        store.commit(
          indexes.map((index) => ({ type: "put", key: objects.key(index), value: objects.value(index) })),
        ),
      );
    }
    await Promise.all(commits);
    process.stderr.write(
      `\r  filling: ${start.toLocaleString("en-US")} of ${size.toLocaleString("en-US")}  `,
    );
  }
}

/** Commits per second of concurrent writers, each with one commit at a time. */
async function concurrently(
  count: number,
  milliseconds: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const start = performance.now();
  let done = 0;
  const write = async (): Promise<void> => {
    while (performance.now() - start < milliseconds) {
      await work();
      done++;
    }
  };
  await Promise.all(Array.from({ length: count }, write));
  return (done * 1000) / (performance.now() - start);
}

/** Events per second over all watchers, while 64 writers write. */
async function fanOut(store: Store, watchers: number, work: () => Promise<unknown>): Promise<number> {
  let delivered = 0;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const reading = Array.from({ length: watchers }, async () => {
    for await (const { events } of store.watch({ prefix, signal: stop.signal })) delivered += events.length;
  });
  const start = performance.now();
  await concurrently(writers, period, work);
  const result = (delivered * 1000) / (performance.now() - start);
  stop.abort();
  await Promise.all(reading);
  return result;
}

function syncRate(path: string, milliseconds: number): Promise<number> {
  const file = openSync(path, "w");
  const page = Buffer.alloc(4096, 1);
  let place = 0;
  const done = rate(milliseconds, 1, () => {
    writeSync(file, page, 0, page.length, (place++ % 256) * page.length);
    fsyncSync(file);
  });
  return done.finally(() => closeSync(file));
}

function diskUsage(place: string): number {
  return readdirSync(place).reduce((sum, name) => sum + statSync(join(place, name)).size, 0);
}

function figure(column: number, name: string): number {
  return columns.at(column)?.[1].find((each) => each.name.startsWith(name))?.value ?? NaN;
}

function printGoals(): void {
  console.log("\ngoals");
  const goal = (text: string, value: number, met: boolean, unit: string): void =>
    console.log(`  ${met ? "met    " : "NOT MET"}  ${text}: ${round(value)}${unit}`);
  for (const [index, [name]] of columns.entries()) {
    for (const loop of ["plain", "tuned"]) {
      const limit = figure(index, `${loop} SQLite: inserts, ${writers}`);
      const share = figure(index, `durable creates, ${writers}`) / limit;
      goal(`${writers} writers at least 80 % of the ${loop} loop, ${name}`, share * 100, share >= 0.8, " %");
    }
    const open = figure(index, "open");
    goal(`open under 50 ms, ${name}`, open, open < 50, " ms");
  }
  for (const kind of [
    "durable creates, 1",
    `durable creates, ${writers}`,
    `durable updates with history, ${writers}`,
  ]) {
    const growth = figure(0, kind) / figure(-1, kind);
    goal(`cost of a commit grows by at most 1.5x (${kind})`, growth, growth <= 1.5, "x");
  }
  const growth =
    figure(0, `tuned SQLite: inserts, ${writers}`) / figure(-1, `tuned SQLite: inserts, ${writers}`);
  console.log(`  note     the cost of a plain insert grows by ${round(growth)}x (tuned loop)`);
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      sizes: { type: "string", default: "10000,1000000" },
      seconds: { type: "string", default: "1" },
      rounds: { type: "string", default: "5" },
      dir: { type: "string", default: "." },
      json: { type: "boolean" },
    },
  });
  return {
    sizes: values.sizes.split(",").map(Number),
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    directory: values.dir,
  };
}
