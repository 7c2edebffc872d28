import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { StoreForeign } from "../errors.js";
import { checkFormat, lockDirectory } from "./directory.js";
import { openDatabase, type Database } from "./engine.js";
import { chainSum, mutationSum, unpackSums } from "./integrity/checksum.js";
import { listNumbers, type StoreProblem } from "./integrity/damage.js";
import { compareWithMark, examineFiles } from "./integrity/examine-files.js";
import { query } from "./query.js";
import { live, newestLogged, readMark, revisionOf } from "./schema.js";

/** Condition for mutations that must be in `versions`; later ones may be. */
const indexed = "log.id <= (SELECT id FROM marks WHERE name = 'indexed')";

/** Invariants of every file; each query counts the violations. */
const invariants: Record<string, string> = {
  "a key has two newest versions": `SELECT count(*) AS count FROM
    (SELECT key FROM versions WHERE until = ${live} GROUP BY key HAVING count(*) > 1)`,
  "a version has no mutation in the log":
    "SELECT count(*) AS count FROM versions LEFT JOIN log USING (id) WHERE log.id IS NULL OR value IS NULL",
  "a version differs from its mutation": `SELECT count(*) AS count FROM versions JOIN log USING (id)
    WHERE versions.key <> log.key OR versions.created <> log.created OR versions.expires IS NOT log.expires`,
  "a put in the log has no version": `SELECT count(*) AS count FROM log
    LEFT JOIN versions ON versions.id = log.id AND versions.key = log.key
    WHERE value IS NOT NULL AND versions.id IS NULL AND ${indexed}`,
  "a version ends at an id that is not in the log": `SELECT count(*) AS count FROM versions
    WHERE until <> ${live} AND until NOT IN (SELECT id FROM log)`,
  "a mutation does not end the version it replaced": `SELECT count(*) AS count FROM log
    JOIN versions ON versions.id = log.previous AND versions.key = log.key
    WHERE until <> log.id AND (until <> ${live} OR ${indexed})`,
  "a version ends before it begins": `SELECT count(*) AS count FROM versions
    WHERE until <> ${live} AND until <= id`,
};

/** Step of a verification. */
export interface VerifyProgress {
  readonly step: "pages" | "log" | "structure";
  readonly done: number;
  readonly of: number;
}

/** Result of a verification. */
export interface StoreReport {
  /** Empty when the store is intact. */
  readonly problems: readonly StoreProblem[];
  /** Parts that are intact, in words. */
  readonly intact: readonly string[];
  /** Newest revision; undefined when it cannot be read. */
  readonly revision?: number | undefined;
  /** Mutations in the log, the history included. */
  readonly mutations?: number | undefined;
}

/**
 * Checks a data directory from end to end and returns the problems found. The store must be closed. Changes nothing, and
 * takes time in proportion to the size of the data.
 *
 * @throws {StoreInUse} @throws {StoreForeign}
 */
export function verifySqliteStore(directory: string): string[] {
  const steps = verifySteps(directory);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value.problems.map(({ file, message }) => `${file}: ${message}`);
  }
}

/** {@link verifySqliteStore} in steps, so that other work can go on in between. */
export function* verifySteps(directory: string): Generator<VerifyProgress, StoreReport> {
  const path = resolve(directory);
  const database = join(path, "store.db");
  if (!existsSync(path)) throw new StoreForeign(`${path} does not exist`);
  const lock = lockDirectory(path);
  try {
    if (existsSync(database)) checkFormat(path, database);
    const { problems, intact, mark } = yield* pageSteps(database);
    if (problems.length > 0) return { problems, intact };
    const file = openDatabase(database, { readOnly: true });
    try {
      const newest = newestLogged(file);
      const end = mark && compareWithMark(mark, newest);
      const log = yield* logSteps(file);
      const found = [...(end === undefined ? [] : [end]), ...log.problems];
      yield { step: "structure", done: 0, of: 1 };
      found.push(...integrityErrors(file), ...brokenInvariants(file));
      return { problems: found, intact, revision: newest.revision, mutations: log.count };
    } catch (error) {
      const message = `store.db cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      return { problems: [{ file: "store.db", message }], intact };
    } finally {
      file.close();
    }
  } finally {
    lock.release();
  }
}

function* pageSteps(database: string): Generator<VerifyProgress, ReturnTypeOf<typeof examineFiles>> {
  const steps = examineFiles(database);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield { step: "pages", done: step.value.pages, of: step.value.of };
  }
}

type ReturnTypeOf<Function extends (...parameters: never[]) => Generator<unknown, unknown>> =
  ReturnType<Function> extends Generator<unknown, infer Result> ? Result : never;

type LoggedRow = [
  id: number,
  key: string,
  previous: number,
  created: number,
  expires: number | null,
  time: number,
  sums: number,
  value: Uint8Array | null,
];

/** Mutations read at a time. */
const logPage = 500;

/** Checks every row of the log by itself, and that none is missing. */
function* logSteps(
  database: Database,
): Generator<VerifyProgress, { problems: StoreProblem[]; count: number }> {
  const select = query<LoggedRow>(
    database,
    `SELECT id, key, previous, created, expires, time, sums, value FROM log WHERE id > ? ORDER BY id LIMIT ${logPage}`,
  );
  const [total = 0] = query<[number]>(database, "SELECT count(*) FROM log").get() ?? [];
  const swept = readMark(database, "swept");
  let chain = readMark(database, "anchor");
  let [count, sweptCount, sweptSum] = [0, 0, 0];
  const damaged: number[] = [];
  const breaks: number[] = [];
  let rows: LoggedRow[] = [];
  do {
    rows = select.all(rows.at(-1)?.[0] ?? 0);
    for (const [id, key, previous, created, expires, time, sums, value] of rows) {
      const { sum, chain: chained } = unpackSums(sums);
      if (sum !== mutationSum({ id, key, created, expires, value })) damaged.push(revisionOf(id));
      if (id <= swept) {
        sweptCount++;
        sweptSum = (sweptSum + sum) | 0;
      } else {
        if (chained !== chainSum(chain, { sum, previous, time })) breaks.push(revisionOf(id));
        chain = chained;
      }
    }
    count += rows.length;
    yield { step: "log", done: count, of: total };
  } while (rows.length === logPage);
  const problems: StoreProblem[] = [];
  const report = (message: string): unknown => problems.push({ file: "store.db", message });
  if (damaged.length > 0)
    report(`mutations of revision ${listNumbers(damaged)} do not match their checksums`);
  if (breaks.length > 0) report(`mutations before revision ${listNumbers(breaks)} are missing or changed`);
  if (sweptCount !== readMark(database, "swept_count") || sweptSum !== readMark(database, "swept_sum"))
    report(`mutations up to revision ${revisionOf(swept)}, where history starts, are missing or changed`);
  return { problems, count };
}

function integrityErrors(database: Database): StoreProblem[] {
  const rows = database.prepare("PRAGMA integrity_check").all() as unknown as { integrity_check: string }[];
  return rows
    .map((row) => row.integrity_check)
    .filter((message) => message !== "ok")
    .map((message) => ({ file: "store.db", message }));
}

function brokenInvariants(database: Database): StoreProblem[] {
  return Object.entries(invariants).flatMap(([name, sql]) => {
    const { count } = database.prepare(sql).get() as unknown as { count: number };
    return count > 0 ? [{ file: "store.db", message: `${name} (${count} times)` }] : [];
  });
}
