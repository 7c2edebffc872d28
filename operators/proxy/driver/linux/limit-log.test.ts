import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "fettle/model";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followLimitLog, type RefusedRequest } from "./limit-log.js";

let folder: string;
let path: string;
let stop: AbortController;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fettle-limit-log-"));
  path = join(folder, "limit.log");
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  rmSync(folder, { recursive: true });
});

const line = (uri: string): string =>
  `${JSON.stringify({ time: "1700000000.123", zone: "z", client: "::1", host: "h", uri, method: "GET" })}\n`;

/** Follows the log; resolves when the end of the file was found. */
async function follow(
  maxSize?: number,
): Promise<{ requests: RefusedRequest[]; malformed: number; end: Promise<void> }> {
  const seen = { requests: [] as RefusedRequest[], malformed: 0, end: Promise.resolve() };
  seen.end = followLimitLog(path, {
    signal: stop.signal,
    clock: systemClock,
    maxSize,
    onLines(requests, malformed) {
      seen.requests.push(...requests);
      seen.malformed += malformed;
    },
  });
  // Lines are appended until the first arrives: only then the start of the reader is past.
  await vi.waitFor(() => {
    appendFileSync(path, line("/first"));
    expect(seen.requests.length).toBeGreaterThan(0);
  }, 20_000);
  return seen;
}

const uris = ({ requests }: { requests: RefusedRequest[] }): string[] =>
  requests.map(({ uri }) => uri).filter((uri) => uri !== "/first");

test("begins at the end, and reads whole lines as they are appended", async () => {
  writeFileSync(path, `${line("/old")}{"time":"17`);
  appendFileSync(path, '00000000","zone":"z"}\n');
  const seen = await follow();
  expect(seen.requests[0]).toEqual({
    time: 1_700_000_000_123,
    zone: "z",
    client: "::1",
    host: "h",
    uri: "/first",
    method: "GET",
  });
  appendFileSync(path, line("/a") + line("/b").slice(0, 20));
  await vi.waitFor(() => expect(uris(seen)).toEqual(["/a"]), 20_000);
  appendFileSync(path, line("/b").slice(20));
  await vi.waitFor(() => expect(uris(seen)).toEqual(["/a", "/b"]), 20_000);
  stop.abort();
  await seen.end;
});

test("skips malformed lines and counts them", async () => {
  const seen = await follow();
  const long = "x".repeat(300_000);
  appendFileSync(path, `no JSON\n{"zone":1}\n${long}\n${line("/a")}`);
  await vi.waitFor(() => expect(uris(seen)).toEqual(["/a"]), 20_000);
  expect(seen.malformed).toBe(3);
});

test("empties a large file that was read, and goes on", async () => {
  const seen = await follow(10_000);
  const many = Array.from({ length: 1000 }, (_, index) => `/${index}`);
  appendFileSync(path, many.map(line).join(""));
  await vi.waitFor(() => expect(statSync(path).size).toBe(0), 20_000);
  expect(uris(seen)).toEqual(many);
  appendFileSync(path, line("/after"));
  await vi.waitFor(() => expect(uris(seen).at(-1)).toBe("/after"), 20_000);
});

test("goes on when others empty or replace the file", async () => {
  const seen = await follow();
  truncateSync(path);
  appendFileSync(path, line("/a"));
  await vi.waitFor(() => expect(uris(seen)).toEqual(["/a"]), 20_000);
  rmSync(path);
  writeFileSync(path, line("/b"));
  await vi.waitFor(() => expect(uris(seen)).toEqual(["/a", "/b"]), 20_000);
});
