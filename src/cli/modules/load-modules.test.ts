import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recordingTerminal } from "../fixtures/terminal.js";
import { loadModules } from "./load-modules.js";

async function hangingModule(): Promise<{ readonly cwd: string; readonly path: string }> {
  const cwd = await mkdtemp(join(tmpdir(), "fettle-modules-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const path = join(cwd, "sites.mjs");
  await writeFile(path, "await new Promise(() => {});\nexport const sites = [];\n");
  return { cwd, path };
}

test("gives up on a module whose top-level await does not end", async () => {
  const { cwd, path } = await hangingModule();
  await expect(loadModules([path], recordingTerminal({ cwd }), { timeout: 1 })).rejects.toThrow(
    "sites.mjs did not finish loading within 1ms: a top-level await in it, or in a module that it imports, does not end",
  );
});

test("ends with a message when it is interrupted", async () => {
  const { cwd, path } = await hangingModule();
  const terminal = recordingTerminal({ cwd });
  const loading = loadModules([path], terminal);
  terminal.interrupt();
  await expect(loading).rejects.toThrow("aborted");
  expect(terminal.err()).toBe("Interrupted while loading sites.mjs.\n");
});
