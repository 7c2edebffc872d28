import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { backup } from "../../../plane/backup/backup.js";
import { MemoryStore } from "../../../store/index.js";
import { saveBackup } from "./save-backup.js";

test("removes what a killed backup of the same name left, and nothing of one that is under way", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fettle-save-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { pid: ended } = spawnSync(process.execPath, ["-e", ""]);
  const { ppid: running } = process;
  for (const name of [`a.gz.${ended}.part`, `a.gz.${running}.part`, `b.gz.${ended}.part`, "a.gz.mine.part"]) {
    writeFileSync(join(folder, name), "");
  }
  await using store = new MemoryStore();
  await saveBackup(backup(store), join(folder, "a.gz"), {
    force: false,
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  expect(readdirSync(folder).sort()).toEqual(
    ["a.gz", `a.gz.${running}.part`, "a.gz.mine.part", `b.gz.${ended}.part`].sort(),
  );
});
