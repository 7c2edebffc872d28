import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteStore, StoreFull, type Store } from "../../src/store/index.js";
import { verifySqliteStore } from "../../src/store/sqlite/verify.js";
import { describeWith } from "../components/index.js";
import { smallDisk } from "./small-disk.js";

describeWith("a full disk", smallDisk, (disk) => {
  test("fails commits with StoreFull, keeps acknowledged commits, and works again when there is space", async () => {
    const directory = join(disk().path, "data");
    const ballast = join(disk().path, "ballast");
    let store = await openSqliteStore(directory);
    const put = (key: string): Promise<unknown> =>
      store.commit([{ type: "put", key, value: new Uint8Array(50_000).fill(65) }]);

    writeFileSync(ballast, Buffer.alloc(4 * 2 ** 20));
    const { last, error } = await putUntilRefused(put);
    expect(error).toBeInstanceOf(StoreFull);
    expect(String(error)).toMatch(/the disk is full.*free some space/);
    expect((await store.count({ prefix: "/" })).count).toBe(last);
    await expect(Promise.all([put("/x"), put("/y")])).rejects.toThrow(StoreFull);

    // Also after reopening while the disk is full.
    store = await reopened(store, directory);
    expect((await store.range({ prefix: "/" })).entries).toHaveLength(last);

    rmSync(ballast);
    await put("/after");
    expect((await store.status()).revision).toBe(last + 1);
    await store.close();
    expect(verifySqliteStore(directory)).toEqual([]);
    store = await openSqliteStore(directory);
    expect((await store.count({ prefix: "/" })).count).toBe(last + 1);
    await store.close();
  });
});

async function putUntilRefused(
  put: (key: string) => Promise<unknown>,
): Promise<{ last: number; error: unknown }> {
  for (let last = 0; ; last++) {
    try {
      await put(`/${last}`);
    } catch (error) {
      return { last, error };
    }
  }
}

async function reopened(store: Store, directory: string): Promise<Store> {
  await store.close();
  return openSqliteStore(directory);
}
