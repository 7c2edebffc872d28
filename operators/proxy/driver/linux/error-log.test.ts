import { appendFileSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ErrorLog, isFinal, summarize } from "./error-log.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fettle-error-log-"));
  path = join(folder, "error.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (level: string, text: string): string => `2026/01/02 03:04:05 [${level}] 71#71: ${text}\n`;

test("messages since the mark are found, also in a log that was emptied", async () => {
  const log = new ErrorLog(path);
  expect(await log.messages()).toEqual([]);
  appendFileSync(path, entry("emerg", "before"));
  await log.mark();
  appendFileSync(path, entry("notice", "nothing") + entry("crit", "handshake") + entry("emerg", "after"));
  expect(await log.messages()).toEqual([{ level: "emerg", pid: 71, text: "after" }]);
  truncateSync(path);
  appendFileSync(path, entry("emerg", "new"));
  expect((await log.messages()).map(({ text }) => text)).toEqual(["new"]);
});

test("only the end of a large log is read", async () => {
  appendFileSync(path, entry("emerg", "x".repeat(100)).repeat(10_000) + entry("emerg", "last"));
  const messages = await new ErrorLog(path).messages();
  expect(messages.length).toBeLessThan(3000);
  expect(messages.at(-1)?.text).toBe("last");
});

test("a summary has each reason once", async () => {
  const bind = entry("emerg", "bind() to 0.0.0.0:80 failed (98: Address already in use)");
  appendFileSync(path, bind + bind + entry("alert", "worker process 72 exited on signal 9"));
  const log = new ErrorLog(path);
  expect((await log.messages()).some(isFinal)).toBe(false);
  appendFileSync(path, entry("emerg", "still could not bind()"));
  expect((await log.messages()).some(isFinal)).toBe(true);
  expect(summarize(await log.messages())).toBe("bind() to 0.0.0.0:80 failed (98: Address already in use)");
  expect(summarize([])).toBe("");
});
