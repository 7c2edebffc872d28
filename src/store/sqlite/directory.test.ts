import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  ftruncateSync,
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
import { formatVersion } from "./schema.js";
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
      .filter((name) => name.startsWith("store.") && !name.endsWith("-shm"))
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
        overwrite(60, number(formatVersion + 1));
      },
      StoreForeign,
      /newer Fettle.*upgrade/,
    ],
    [
      "a store of an earlier Fettle",
      async () => {
        await fill();
        overwrite(60, number(formatVersion - 1));
        for (const name of ["store.mark", "store.sums"]) rmSync(join(directory, name));
      },
      StoreForeign,
      /earlier Fettle.*fettle backup.*fettle restore/,
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
      /pages? .* of store.db do not match.*Intact: .*fettle verify.*fettle restore.*fettle salvage/,
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
    const store = await openSqliteStore(directory);
    const page = 8192;
    const { size } = statSync(database());
    overwrite(page * 8, Buffer.alloc(size - page * 10, 0xee));
    const next = store.watch({ prefix: "/", previous: true })[Symbol.asyncIterator]().next();
    const failure = next.catch((error: unknown) => error);
    const { revision } = await store.commit([{ type: "put", key: "/20", value: new Uint8Array(1) }]);
    expect(revision).toBe(51);
    expect(await failure).toBeInstanceOf(StoreDamaged);
    await store.close();
  });

  test("a value that changes on disk while the store is open is not served", async () => {
    await fill();
    const store = await openSqliteStore(directory);
    const at = readFileSync(database()).indexOf(Buffer.alloc(1000, 20));
    overwrite(at + 500, Buffer.from([21]));
    const attempts = [
      () => store.get("/20"),
      () => store.range({ prefix: "/2" }),
      () => store.watch({ prefix: "/20", from: 0 })[Symbol.asyncIterator]().next(),
    ];
    for (const attempt of attempts) {
      const error = await attempt().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(StoreDamaged);
      expect(String(error)).toMatch(/\/20 at revision 21 is damaged.*fettle verify/);
    }
    expect((await store.get("/21"))?.value).toEqual(new Uint8Array(5000).fill(21));
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
