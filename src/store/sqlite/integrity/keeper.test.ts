import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDirectory } from "../directory.js";
import { openSqliteStore } from "../sqlite-store.js";
import { verifySqliteStore } from "../verify.js";
import { Writer } from "../writer.js";

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "fettle-keeper-"));
  folder = join(base, "data");
});
afterEach(() => rmSync(base, { recursive: true }));

test("nothing is written after a checkpoint until the checksums of its pages could be stored", async () => {
  openDirectory(folder).release();
  const writer = new Writer({ path: join(folder, "store.db"), indexAfter: 100_000 });
  const put = (index: number) =>
    writer.commit(
      [[{ key: `/${index}`, expect: -1, value: Buffer.alloc(200_000, 1), expires: undefined }]],
      0,
    );
  for (let index = 0; index < 90; index++) expect(put(index)[0]).toMatchObject({ type: "committed" });
  // In place of a disk that fails: the file cannot be opened.
  const sums = join(folder, "store.sums");
  renameSync(sums, join(base, "elsewhere"));
  writer.checkpointIfDue();
  expect(put(90)[0]).toMatchObject({ type: "failed", message: expect.stringContaining("store.sums") });
  renameSync(join(base, "elsewhere"), sums);
  expect(put(91)[0]).toMatchObject({ type: "committed", revision: 91 });
  const killed = join(base, "killed");
  cpSync(folder, killed, { recursive: true });
  writer.close();
  for (const each of [killed, folder]) {
    expect(verifySqliteStore(each)).toEqual([]);
    const store = await openSqliteStore(each);
    expect((await store.count({ prefix: "/" })).count).toBe(91);
    await store.close();
  }
});
