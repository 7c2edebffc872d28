import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreDamaged } from "../errors.js";
import { openDirectory } from "./directory.js";
import { openDatabase } from "./engine.js";
import { Reader } from "./reader.js";
import { Writer } from "./writer.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fettle-reader-"));
  path = join(folder, "store.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Reads the value of a range with one key, after a statement has changed the database. */
function valueAfter(change: string, bytes: number, indexAfter: number): Uint8Array | undefined {
  openDirectory(folder).release();
  const writer = new Writer({ path, indexAfter });
  writer.commit([[{ key: "/a", expect: -1, value: Buffer.alloc(bytes, "a"), expires: undefined }]], 0);
  writer.close();
  const database = openDatabase(path);
  database.exec(change);
  database.close();
  const reader = new Reader(path);
  try {
    const [entry] = reader.range({ prefix: "/" }, reader.newest().revision, 10).entries;
    if (entry === undefined) return undefined;
    return "id" in entry ? reader.existing(entry).value : entry.value;
  } finally {
    reader.close();
  }
}

const sizes = [
  ["small", 100],
  ["large", 100_000],
] as const;

for (const [name, bytes] of sizes) {
  test.each([
    ["indexed", 1],
    ["not indexed yet", 1000],
  ])(`a ${name} value that is damaged on disk is never returned: %s`, (_, indexAfter) => {
    expect(valueAfter("SELECT 1", bytes, indexAfter)).toHaveLength(bytes);
    rmSync(folder, { recursive: true });
    const damage = "UPDATE log SET value = CAST('b' || substr(value, 2) AS BLOB)";
    expect(() => valueAfter(damage, bytes, indexAfter)).toThrow(StoreDamaged);
  });
}
