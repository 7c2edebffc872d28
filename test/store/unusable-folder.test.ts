import { execFile, execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteStore, StoreUnusable } from "../../src/store/index.js";
import { describeWith } from "../components/index.js";
import { smallDisk } from "../components/small-disk.js";

let base: string;
beforeEach(() => (base = mkdtempSync(join(tmpdir(), "fettle-unusable-"))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

test("a file in place of the folder, or of one above it, is named", async () => {
  const file = join(base, "file");
  writeFileSync(file, "");
  await expect(openSqliteStore(file)).rejects.toThrow(StoreUnusable);
  await expect(openSqliteStore(file)).rejects.toThrow(`${file} is a file, not a folder; choose another`);
  const below = join(file, "data");
  await expect(openSqliteStore(below)).rejects.toThrow(StoreUnusable);
  await expect(openSqliteStore(below)).rejects.toThrow(/data .*not a folder; choose another/);
});

test("a folder that this user may not write is named", async () => {
  const folder = join(base, "data");
  mkdirSync(folder);
  chmodSync(base, 0o755);
  chmodSync(folder, 0o555);
  const program = `
    import { openSqliteStore } from "fettle/store";
    await openSqliteStore(process.argv[1]).catch((error) => console.log(error.name, error.message));`;
  // Root may write everywhere, so another user tries.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program, folder], user);
  expect(stdout).toContain(
    `StoreUnusable ${folder} may not be read and written by this user (permission denied)`,
  );
});

describeWith("a read-only file system", smallDisk(8), (disk) => {
  test("is named, for a new store and for an existing one", async () => {
    const elsewhere = join(base, "data");
    const store = await openSqliteStore(elsewhere);
    await store.commit([{ type: "put", key: "/a", value: new Uint8Array(1) }]);
    await store.close();
    const folder = join(disk().path, "data");
    cpSync(elsewhere, folder, { recursive: true });
    execFileSync("mount", ["-o", "remount,ro", disk().path]);
    for (const path of [folder, join(disk().path, "new")]) {
      await expect(openSqliteStore(path)).rejects.toThrow(StoreUnusable);
      await expect(openSqliteStore(path)).rejects.toThrow(`${path} is on a read-only file system; mount it`);
    }
    execFileSync("mount", ["-o", "remount,rw", disk().path]);
    await (await openSqliteStore(folder)).close();
  });
});
