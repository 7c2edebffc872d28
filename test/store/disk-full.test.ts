import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteStore, StoreFull, type Store } from "../../src/store/index.js";
import { verifySqliteStore } from "../../src/store/sqlite/verify.js";
import { describeWith, Unavailable, type Component } from "../components/index.js";

interface Disk extends AsyncDisposable {
  readonly path: string;
}

/** File system of eight megabytes, which only root can mount. */
const smallDisk: Component<Disk> = {
  name: "a small file system",
  async obtain() {
    const disk = await mount();
    await disk[Symbol.asyncDispose]();
    return "tmpfs";
  },
  start: mount,
  with: () => smallDisk,
};

async function mount(): Promise<Disk> {
  const path = mkdtempSync(join(tmpdir(), "fettle-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", path], { stdio: "pipe" });
  } catch (error) {
    rmdirSync(path);
    throw new Unavailable(`a tmpfs could not be mounted (${String(error).trim()}); run the tests as root`);
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      // Lazily: SQLite's file handles are closed by garbage collection, some time after the store.
      execFileSync("umount", ["--lazy", path]);
      rmdirSync(path);
    },
  };
}

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
