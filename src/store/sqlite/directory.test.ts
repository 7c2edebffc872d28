import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StoreDamaged, StoreForeign, StoreInUse } from "../errors.js";
import { openDatabase } from "./engine.js";
import { createSchema, migrate, schemaVersion } from "./schema.js";
import { openSqliteStore } from "./sqlite-store.js";
import { verifySqliteStore } from "./verify.js";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "fettle-directory-"))));
afterEach(() => rmSync(directory, { recursive: true }));

const database = (): string => join(directory, "store.db");
const fingerprint = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory)
      // Reading a store may create an empty write-ahead log and its index.
      .filter((name) => name.startsWith("store.db") && !name.endsWith("-shm"))
      .filter((name) => statSync(join(directory, name)).size > 0 || name === "store.db")
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(directory, name)))
          .digest("hex"),
      ]),
  );

/** Creates a store with some objects, and closes it. */
async function fill(): Promise<void> {
  const store = await openSqliteStore(directory);
  for (let index = 0; index < 50; index++) {
    await store.commit([{ type: "put", key: `/${index}`, value: new Uint8Array(5000).fill(index) }]);
  }
  await store.close();
}

describe("a data directory", () => {
  test("is created when it is missing, with access for its owner only", async () => {
    const nested = join(directory, "a", "b");
    const store = await openSqliteStore(nested);
    expect(statSync(nested).mode & 0o777).toBe(0o700);
    await store.close();
    expect(readdirSync(nested)).toEqual(expect.arrayContaining(["lock", "owner", "store.db"]));
  });

  test("has everything in one file after closing", async () => {
    await fill();
    const log = statSync(`${database()}-wal`, { throwIfNoEntry: false });
    expect(log?.size ?? 0).toBe(0);
    expect(statSync(database()).size).toBeGreaterThan(50 * 5000);
  });

  test("can be opened by a second store in the same process only after the first is closed", async () => {
    const store = await openSqliteStore(directory);
    await expect(openSqliteStore(directory)).rejects.toThrow(StoreInUse);
    await store.commit([{ type: "put", key: "/a", value: new Uint8Array(1) }]);
    await store.close();
    await (await openSqliteStore(directory)).close();
  });

  test("cannot be opened by a second process, whose error names the first", async () => {
    const store = await openSqliteStore(directory);
    const program = `
      import { openSqliteStore } from "fettle/store";
      await openSqliteStore(process.argv[1]).catch((error) => console.log(error.name, error.message));`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program, directory]);
    expect(stdout).toContain("StoreInUse");
    expect(stdout).toContain(`process ${process.pid}`);
    await store.close();
  });

  test("can be opened when a temporary file was left incomplete", async () => {
    writeFileSync(`${database()}.new`, "half");
    const store = await openSqliteStore(directory);
    await store.close();
    expect(readdirSync(directory)).not.toContain("store.db.new");
  });
});

describe("a foreign or damaged file fails to open and is not changed", () => {
  const overwrite = (offset: number, bytes: Buffer): void => {
    const file = openSync(database(), "r+");
    writeSync(file, bytes, 0, bytes.length, offset);
    closeSync(file);
  };
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };

  test.each<[string, () => Promise<void> | void, new (...args: never[]) => Error, RegExp]>([
    ["text", () => writeFileSync(database(), "just some notes"), StoreForeign, /not a Fettle store/],
    ["an empty file", () => writeFileSync(database(), ""), StoreDamaged, /empty/],
    [
      "an SQLite database of another program",
      () => {
        const other = openDatabase(database());
        other.exec("CREATE TABLE log (id INTEGER PRIMARY KEY); PRAGMA user_version = 1");
        other.close();
      },
      StoreForeign,
      /another program/,
    ],
    [
      "a store of a newer Fettle",
      async () => {
        await fill();
        overwrite(60, number(schemaVersion + 1));
      },
      StoreForeign,
      /newer Fettle.*upgrade/,
    ],
    [
      "a truncated store",
      async () => {
        await fill();
        const file = openSync(database(), "r+");
        ftruncateSync(file, statSync(database()).size - 100_000);
        closeSync(file);
      },
      StoreDamaged,
      /bytes long and should be/,
    ],
    [
      "a store whose table of contents is overwritten",
      async () => {
        await fill();
        overwrite(100, Buffer.alloc(4000, 0xee));
      },
      StoreDamaged,
      /damaged/,
    ],
  ])("%s", async (_, make, kind, message) => {
    await make();
    const before = fingerprint();
    const error = await openSqliteStore(directory).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(kind);
    expect(String(error)).toMatch(message);
    expect(fingerprint()).toEqual(before);
    // The lock must have been released.
    await expect(openSqliteStore(directory)).rejects.toThrow(kind);
  });

  test("damage that only a watcher meets ends the watch and not the commit", async () => {
    await fill();
    const page = 8192;
    const { size } = statSync(database());
    overwrite(page * 8, Buffer.alloc(size - page * 10, 0xee));
    const store = await openSqliteStore(directory);
    const next = store.watch({ prefix: "/", previous: true })[Symbol.asyncIterator]().next();
    const failure = next.catch((error: unknown) => error);
    const { revision } = await store.commit([{ type: "put", key: "/20", value: new Uint8Array(1) }]);
    expect(revision).toBe(51);
    expect(await failure).toBeInstanceOf(StoreDamaged);
    await store.close();
  });

  test("damage in the middle of the file is reported by reads and by verification", async () => {
    await fill();
    expect(verifySqliteStore(directory)).toEqual([]);
    const { size } = statSync(database());
    overwrite(8192 * 5, Buffer.alloc(size - 8192 * 6, 0xee));
    const found = (() => {
      try {
        return verifySqliteStore(directory).join("\n");
      } catch (error) {
        return String(error);
      }
    })();
    expect(found).not.toBe("");
    const store = await openSqliteStore(directory).catch((error: unknown) => error);
    if (store instanceof Error) expect(store).toBeInstanceOf(StoreDamaged);
    else {
      const opened = store as Awaited<ReturnType<typeof openSqliteStore>>;
      await expect(opened.range({ prefix: "/" })).rejects.toThrow(StoreDamaged);
      await opened.close();
    }
  });
});

describe("migration", () => {
  test("runs the steps that a file has not run, each in a transaction", () => {
    mkdirSync(directory, { recursive: true });
    const file = openDatabase(database());
    createSchema(file);
    const version = (): unknown => file.prepare("PRAGMA user_version").get()?.["user_version"];
    expect(version()).toBe(schemaVersion);
    const done = Array.from({ length: schemaVersion }, () => () => {
      throw new Error("this step has already run");
    });
    const add = (): void => file.exec("ALTER TABLE log ADD COLUMN note TEXT");
    const fail = (): void => {
      file.exec("DROP TABLE versions");
      throw new Error("no");
    };
    expect(() => migrate(file, [...done, add, fail])).toThrow("no");
    expect(version()).toBe(schemaVersion + 1);
    expect(file.prepare("SELECT count(*) AS n FROM versions").get()?.["n"]).toBe(0);
    migrate(file, [...done, add, () => file.exec("CREATE TABLE more (a)")]);
    expect(version()).toBe(schemaVersion + 2);
    expect(() => migrate(file)).toThrow(StoreForeign);
    file.close();
  });
});
