import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StoreDamaged } from "../../errors.js";
import { openDirectory } from "../directory.js";
import { openSqliteStore } from "../sqlite-store.js";
import { verifySqliteStore } from "../verify.js";
import { Writer } from "../writer.js";
import { scanWal } from "./wal-file.js";

const frameBytes = 24 + 8192;

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "fettle-damage-"));
  folder = join(base, "live");
});
afterEach(() => rmSync(base, { recursive: true }));

const file = (name: string, of = folder): string => join(of, name);

function startWriter(): Writer {
  openDirectory(folder).release();
  return new Writer({ path: file("store.db"), indexAfter: 1000 });
}

function put(writer: Writer, name: string): void {
  writer.commit([[{ key: `/${name}`, expect: -1, value: Buffer.alloc(500, name), expires: undefined }]], 0);
}

/** Copies the files as a process that is killed now would leave them. */
function copyFiles(): string {
  const copy = mkdtempSync(join(base, "copy-"));
  for (const name of readdirSync(folder)) cpSync(file(name), join(copy, name));
  return copy;
}

async function keysOf(directory: string): Promise<string[]> {
  const store = await openSqliteStore(directory);
  try {
    return (await store.range({ prefix: "/" })).entries.map(({ key }) => key);
  } finally {
    await store.close();
  }
}

function garble(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes.write("GARBLED!", offset);
  writeFileSync(path, bytes);
}

describe("a write-ahead log", () => {
  test("that is damaged in the middle is refused, and not taken for one that ends there", async () => {
    const writer = startWriter();
    for (let index = 0; index < 100; index++) put(writer, `${index}`);
    const copy = copyFiles();
    writer.close();
    const wal = file("store.db-wal", copy);
    garble(wal, 32 + frameBytes * 28 + 5000);
    const before = readFileSync(wal);
    await expect(openSqliteStore(copy)).rejects.toThrow(
      /store.db-wal is damaged at frame 29.*Intact: .*fettle verify.*fettle restore.*fettle salvage/,
    );
    expect(readFileSync(wal)).toEqual(before);
    expect(verifySqliteStore(copy)[0]).toMatch(/frame 29/);
  });

  test("that was cut off before acknowledged commits is refused", async () => {
    const writer = startWriter();
    for (let index = 0; index < 20; index++) put(writer, `${index}`);
    const copy = copyFiles();
    const without = copyFiles();
    writer.close();
    const wal = file("store.db-wal", copy);
    truncateSync(wal, statSync(wal).size - 100);
    await expect(openSqliteStore(copy)).rejects.toThrow(/ends at revision 19, but revision 20 was committed/);
    rmSync(file("store.db-wal", without));
    await expect(openSqliteStore(without)).rejects.toThrow(
      /ends at revision 0, but revision 20 was committed/,
    );
  });

  test("whose end was torn by a power failure is used up to there", async () => {
    const writer = startWriter();
    for (let index = 0; index < 20; index++) put(writer, `${index}`);
    const mark = readFileSync(file("store.mark"));
    put(writer, "not synced");
    const torn = copyFiles();
    writer.close();
    // The disk has the mark of some time before, and part of the pages of the last commit, in any order.
    writeFileSync(file("store.mark", torn), mark);
    const wal = file("store.db-wal", torn);
    const { frames } = scanWal(wal, 8192);
    garble(wal, 32 + frameBytes * (frames.length - 1) + 3000);
    expect(await keysOf(torn)).toHaveLength(20);
    expect(await keysOf(torn)).not.toContain("/not synced");
    expect(verifySqliteStore(torn)).toEqual([]);
  });

  test("that was restarted may have frames of its past after the end", async () => {
    const writer = startWriter();
    for (let index = 0; index < 2100; index++) {
      put(writer, `${index % 50}`);
      writer.indexIfDue();
      writer.checkpointIfDue();
    }
    const copy = copyFiles();
    writer.close();
    const { frames, committed, damage } = scanWal(file("store.db-wal", copy), 8192);
    expect(committed).toBeGreaterThan(0);
    expect(frames.length).toBeGreaterThan(committed + 10);
    expect(damage).toBeUndefined();
    expect(await keysOf(copy)).toHaveLength(50);
  });
});

describe("a folder that has lost a file is refused", () => {
  test.each([
    ["store.db", /store.db, which was at revision 30, is missing/],
    ["store.mark", /store.mark.* is missing/],
    ["store.sums", /store.sums.* is missing/],
  ])("%s", async (name, message) => {
    const writer = startWriter();
    for (let index = 0; index < 30; index++) put(writer, `${index}`);
    writer.close();
    rmSync(file(name));
    const error = await openSqliteStore(folder).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreDamaged);
    expect(String(error)).toMatch(message);
    expect(readdirSync(folder)).not.toContain(name);
    expect(verifySqliteStore(folder).join()).toMatch(/is missing/);
  });
});

test("damaged pages are named", async () => {
  const writer = startWriter();
  for (let index = 0; index < 30; index++) put(writer, `${index}`);
  writer.close();
  garble(file("store.db"), 2 * 8192 + 3000);
  await expect(openSqliteStore(folder)).rejects.toThrow("page 3 of store.db does not match its checksum");
  garble(file("store.db"), 3 * 8192 + 3000);
  await expect(openSqliteStore(folder)).rejects.toThrow(
    "pages 3 to 4 of store.db do not match their checksums",
  );
});

test("an older copy of the database is refused", async () => {
  const writer = startWriter();
  put(writer, "a");
  writer.close();
  const older = copyFiles();
  const again = new Writer({ path: file("store.db"), indexAfter: 1000 });
  put(again, "b");
  again.close();
  for (const name of ["store.db", "store.sums"]) cpSync(file(name, older), file(name));
  await expect(openSqliteStore(folder)).rejects.toThrow(StoreDamaged);
});

test("a creation that was interrupted is started again", async () => {
  const writer = startWriter();
  writer.close();
  const slots = readFileSync(file("store.mark"));
  // The first slot that was written says that the store is new; the last one is lost.
  slots.fill(0, 0, 256);
  writeFileSync(file("store.mark"), slots);
  rmSync(file("store.db"));
  expect(await keysOf(folder)).toEqual([]);
});

test("files that do not matter may have any content", async () => {
  const writer = startWriter();
  put(writer, "a");
  writer.close();
  for (const name of ["lock", "owner", "store.db-shm"]) writeFileSync(file(name), "x".repeat(5000));
  expect(await keysOf(folder)).toEqual(["/a"]);
});

test("all files are for their owner only", async () => {
  const store = await openSqliteStore(folder);
  await store.commit([{ type: "put", key: "/a", value: new Uint8Array(1) }]);
  const modes = readdirSync(folder).map(
    (name) => `${name} ${(statSync(file(name)).mode & 0o777).toString(8)}`,
  );
  expect(modes.toSorted()).toEqual(
    ["lock", "owner", "store.db", "store.db-shm", "store.db-wal", "store.mark", "store.sums"].map(
      (name) => `${name} 600`,
    ),
  );
  await store.close();
});
