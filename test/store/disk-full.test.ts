import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer } from "../../src/server/server.js";
import { openSqliteStore, StoreFull, type Store } from "../../src/store/index.js";
import { verifySqliteStore } from "../../src/store/sqlite/verify.js";
import { describeWith } from "../components/index.js";
import { smallDisk } from "../components/small-disk.js";

describeWith("a full disk", smallDisk(8), (disk) => {
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

describeWith("the API on a full disk", smallDisk(8), (disk) => {
  test("is not ready, says why, and is ready again by itself when there is space", async () => {
    const ballast = join(disk().path, "ballast");
    const store = await openSqliteStore(join(disk().path, "store"));
    const data = mkdtempSync(join(tmpdir(), "fettle-ready-"));
    const server = await startServer({ store, data, port: 0, tls: false });
    const readyz = async (): Promise<string> => {
      const response = await fetch(`${server.url}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    try {
      writeFileSync(ballast, Buffer.alloc(4 * 2 ** 20));
      expect(await readyz()).toBe("200 ok");
      await putUntilRefused((key) =>
        store.commit([{ type: "put", key, value: new Uint8Array(50_000).fill(65) }]),
      );
      // A small commit may still fit.
      await putUntilRefused((key) => store.commit([{ type: "put", key, value: new Uint8Array(10) }]));
      expect(await readyz()).toMatch(/^503 [^]*\[-\]store-writes failed: the disk is full .*free some space/);
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);
      rmSync(ballast);
      expect(await readyz()).toBe("200 ok");
    } finally {
      await server.close();
      await store.close();
      rmSync(data, { recursive: true, force: true });
    }
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
