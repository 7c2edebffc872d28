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
import { DatabaseSync } from "@photostructure/sqlite";
import { openSqliteStore, type Store } from "fettle/store";
import { inTurn, median, printTable, rate, round, type Figure } from "./report.js";

/**
 * The embedded store beside what limits it: the disk's own sync rate, and a plain SQLite insert loop that keeps no
 * history, checks nothing, tells nobody and blocks its thread; once as SQLite comes, once with the settings of the
 * store. All are measured in turn in the same run, on the same disk.
 *
 *   npm run bench:store [-- --sizes 10000,1000000] [--seconds 1] [--dir .]
 */
const { sizes, seconds, directory } = readArguments();
const writers = 64;
const valueBytes = 1000;
const values = Array.from({ length: 997 }, () => randomBytes(valueBytes / 2).toString("hex")).map((text) =>
  Buffer.from(text),
);
const base = mkdtempSync(join(directory, "fettle-bench-"));
process.on("exit", () => rmSync(base, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));

/** Keys as the API server writes them, scattered so that neighbours in time are not neighbours in the tree. */
const keyOf = (index: number): string =>
  `/demo.dev/widgets/team-${(index * 7919) % 100}/widget-${((index * 2654435761) % 2 ** 32).toString(16).padStart(8, "0")}`;
const valueOf = (index: number): Buffer => values[index % values.length] ?? Buffer.alloc(0);

console.log(
  `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, objects of ${valueBytes} bytes`,
);
const columns: [string, Figure[]][] = [];
for (const size of sizes) columns.push([`${size.toLocaleString("en-US")} objects`, await measure(size)]);
printTable("the embedded store", columns);
printGoals();

async function measure(size: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = (name: string, value: number, unit: string): void => {
    figures.push({ name, value, unit });
    console.error(`  ${size.toLocaleString("en-US")}: ${name}: ${round(value)} ${unit}`);
  };
  const place = join(base, String(size));
  let store = await openSqliteStore(place, { retention: { count: Infinity, age: "1000h" } });
  await fill(store, size);
  await store.close();
  settle();
  add("bytes on disk per object", diskUsage(place) / size, "B");
  const opening: number[] = [];
  for (let time = 0; time < 9; time++) {
    if (time > 0) await store.close();
    const start = performance.now();
    store = await openSqliteStore(place, { retention: { count: Infinity, age: "1000h" } });
    await store.get(keyOf(0));
    opening.push(performance.now() - start);
  }
  add("open and read an object", median(opening), "ms");

  const plain = plainLoop(join(base, `plain-${size}.db`), size, "");
  const tuned = plainLoop(
    join(base, `tuned-${size}.db`),
    size,
    "PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -32768",
  );
  settle();
  let next = size;
  const create = (): Promise<unknown> => {
    const index = next++;
    return store.commit([{ type: "put", key: keyOf(index), value: valueOf(index), expect: 0 }]);
  };
  const update = (): Promise<unknown> => {
    const index = Math.floor(Math.random() * size);
    return store.commit([{ type: "put", key: keyOf(index), value: valueOf(next++) }]);
  };
  const period = seconds * 1000;
  const rates = await inTurn(
    5,
    {
      syncs: () => syncRate(join(base, "sync"), period / 2),
      plainOne: () => plain.insert(1, period / 2),
      one: () => rate(period / 2, 1, async () => void (await create())),
      plainMany: () => plain.insert(writers, period),
      tunedMany: () => tuned.insert(writers, period),
      many: () => concurrently(writers, period, create),
      upsertMany: () => tuned.upsert(writers, period),
      updateMany: () => concurrently(writers, period, update),
    },
    settle,
  );
  add("disk: syncs of 4 KiB", rates.syncs, "/s");
  add("plain SQLite: inserts, 1 a transaction", rates.plainOne, "/s");
  add("durable creates, 1 writer", rates.one, "/s");
  add(`plain SQLite: inserts, ${writers} a transaction`, rates.plainMany, "/s");
  add(`tuned SQLite: inserts, ${writers} a transaction`, rates.tunedMany, "/s");
  add(`durable creates, ${writers} writers`, rates.many, "/s");
  add(`tuned SQLite: upserts in place, ${writers} a transaction`, rates.upsertMany, "/s");
  add(`durable updates with history, ${writers} writers`, rates.updateMany, "/s");
  plain.close();
  tuned.close();

  const gets = await inTurn(5, {
    get: () =>
      rate(period / 2, 1, async () => void (await store.get(keyOf(Math.floor(Math.random() * size))))),
    range: async () => {
      const start = performance.now();
      const { entries } = await store.range({ prefix: "/demo.dev/widgets/", limit: 10_000 });
      return ((performance.now() - start) * 10_000) / entries.length;
    },
    count: async () => {
      const start = performance.now();
      await store.count({ prefix: "/demo.dev/widgets/" });
      return performance.now() - start;
    },
  });
  add("gets", gets.get, "/s");
  add("range of 10,000", gets.range, "ms");
  add("count of all", gets.count, "ms");
  for (const watchers of [1, 1000]) {
    add(
      `events delivered, ${watchers} watcher${watchers > 1 ? "s" : ""}`,
      await fanOut(store, watchers, update),
      "/s",
    );
  }
  await store.close();
  rmSync(place, { recursive: true });
  return figures;
}

/** Lets the disk finish what was written before, which would slow down whoever is measured next. */
function settle(): void {
  execFileSync("sync");
}

async function fill(store: Store, size: number): Promise<void> {
  const step = 500;
  for (let start = 0; start < size; start += step * 8) {
    const commits: Promise<unknown>[] = [];
    for (let from = start; from < Math.min(size, start + step * 8); from += step) {
      const length = Math.min(step, size - from);
      commits.push(
        store.commit(
          Array.from({ length }, (_, place) => ({
            type: "put",
            key: keyOf(from + place),
            value: valueOf(from + place),
          })),
        ),
      );
    }
    await Promise.all(commits);
    if (start % 100_000 === 0) process.stderr.write(`\r  filling: ${start.toLocaleString("en-US")}  `);
  }
  process.stderr.write("\r".padEnd(40) + "\r");
}

/** Many writers, each of which waits for its commit before it makes the next. */
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

/** Events handed to readers per second, over all of them, while 64 writers write. */
async function fanOut(store: Store, watchers: number, work: () => Promise<unknown>): Promise<number> {
  let delivered = 0;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const reading = Array.from({ length: watchers }, async () => {
    for await (const { events } of store.watch({ prefix: "/demo.dev/widgets/", signal: stop.signal })) {
      delivered += events.length;
    }
  });
  const start = performance.now();
  await concurrently(writers, 3 * seconds * 1000, work);
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

/** A loop that inserts into one table; durable, and otherwise as SQLite comes unless `tuning` says more. */
function plainLoop(path: string, size: number, tuning: string) {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${tuning}`);
  database.exec("CREATE TABLE plain (key TEXT PRIMARY KEY, value BLOB)");
  const insert = database.prepare("INSERT INTO plain VALUES (?, ?)");
  const upsert = database.prepare(
    "INSERT INTO plain VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
  const transaction = (count: number, statement: () => void): void => {
    database.exec("BEGIN IMMEDIATE");
    for (let each = 0; each < count; each++) statement();
    database.exec("COMMIT");
  };
  let next = 0;
  const add = (): void => void insert.run(keyOf(next), valueOf(next++));
  const change = (): void => void upsert.run(keyOf(Math.floor(Math.random() * size)), valueOf(next++));
  while (next < size) transaction(Math.min(10_000, size - next), add);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return {
    insert: (group: number, period: number) => rate(period, group, () => transaction(group, add)),
    upsert: (group: number, period: number) => rate(period, group, () => transaction(group, change)),
    close() {
      database.close();
      rmSync(path);
    },
  };
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
      goal(
        `${writers} writers at least 80 % of the ${loop} grouped loop, ${name}`,
        share * 100,
        share >= 0.8,
        " %",
      );
    }
    const open = figure(index, "open");
    goal(`open under 50 ms, ${name}`, open, open < 50, " ms");
  }
  for (const kind of [
    `durable creates, ${writers}`,
    `durable updates with history, ${writers}`,
    "durable creates, 1",
  ]) {
    const growth = figure(0, kind) / figure(-1, kind);
    goal(`cost of a commit grows by at most 1.5x (${kind})`, growth, growth <= 1.5, "x");
  }
}

function readArguments(): { sizes: number[]; seconds: number; directory: string } {
  const given = new Map<string, string>();
  const words = process.argv.slice(2);
  for (let index = 0; index < words.length; index += 2) given.set(words[index] ?? "", words[index + 1] ?? "");
  const sizes = (given.get("--sizes") ?? "10000,1000000").split(",").map(Number);
  return { sizes, seconds: Number(given.get("--seconds") ?? "1"), directory: given.get("--dir") ?? "." };
}
