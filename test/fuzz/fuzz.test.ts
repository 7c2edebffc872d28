import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Coverage } from "./coverage.js";
import { fuzz, type FuzzReport } from "./fuzz.js";

/**
 * `npm run fuzz` sets the duration; a plain test run sends a few thousand requests, always the same. A fault is
 * reported with its seed and number: `FETTLE_FUZZ_SEED=5 FETTLE_FUZZ_FIRST=1200 FETTLE_FUZZ_REQUESTS=12` sends that
 * again.
 */
const { env } = process;
const seconds = Number(env["FETTLE_FUZZ_SECONDS"] ?? 0);
const seed = Number(env["FETTLE_FUZZ_SEED"] ?? (seconds > 0 ? Date.now() % 1_000_000 : 1));
const perRound = Number(env["FETTLE_FUZZ_REQUESTS"] ?? (seconds > 0 ? 9600 : 1200));
const first = Number(env["FETTLE_FUZZ_FIRST"] ?? 0);
/** True if all classes of responses are expected; a short run with another seed may miss rare ones. */
const isWhole = env["FETTLE_FUZZ_FIRST"] === undefined && perRound >= (seed === 1 ? 1200 : 9600);

/** Classes of responses that must occur; otherwise the requests no longer reach the code that they are meant for. */
const important = [
  "core create 201",
  "core create 400 BadRequest",
  "core create 409 AlreadyExists",
  "core create 422 Invalid",
  "* * 401 Unauthorized",
  "* * 403 Forbidden",
  "* * 404 NotFound",
  "* * 405 MethodNotAllowed",
  "* * 406 NotAcceptable",
  "* * 413 RequestEntityTooLarge",
  "* * 415 UnsupportedMediaType",
  "* * 431 BadRequest",
  "* apply 200",
  "* apply 409 Conflict",
  "* patch 200",
  "* patch 400 BadRequest",
  "* patch 422 Invalid",
  "* update 200",
  "* update 409 Conflict",
  "* delete 200",
  "* delete 409 Conflict",
  "* deletecollection 200",
  "* list 200",
  "* list 400 BadRequest",
  "* list 422 Invalid",
  "* watch 200",
  "* watch 422 Invalid",
  "custom create 201",
  "custom create 422 Invalid",
  "custom apply 200",
  "definitions create 201",
  "definitions create 422 Invalid",
  "definitions update 200",
  "openapi read 200",
  "past list 410 Expired",
  "past watch 200 Expired",
  "past changes 200 Expired",
  "burst create 429 TooManyRequests",
  "burst watch 429 TooManyRequests",
  "fettle controllers 200",
  "fettle plan 200",
  "fettle plan 400 BadRequest",
  "fettle history 200",
  "fettle enqueue 200",
  "fettle runs 200",
  "fettle profile 200",
  "fettle profile 400 BadRequest",
  "fettle backup 200",
  "fettle * 401 Unauthorized",
  "fettle * 404 NotFound",
  "fettle * 405 MethodNotAllowed",
  "raw conversation 0",
  "raw conversation 101",
  "raw conversation 400 BadRequest",
  "raw conversation 408 BadRequest",
];

const megabyte = 1024 * 1024;

/** Memory may grow with stored data and with caches of Node, but not with every request. */
function expectBounded({ warm, end }: FuzzReport): void {
  expect(end.heapUsed).toBeLessThan(2 * warm.heapUsed + 64 * megabyte);
  expect(end.external).toBeLessThan(2 * warm.external + 64 * megabyte);
  expect(end.rss).toBeLessThan(2 * warm.rss + 256 * megabyte);
}

function expectSound(report: FuzzReport): void {
  const faults = report.faults.map(({ index, what, request }) => `${index}: ${what}\n  ${request}`);
  expect(faults, `seed ${seed}\n${faults.join("\n")}`).toEqual([]);
  expect(report.complaints, `seed ${seed}`).toBe("");
  expect(report.reopened).toEqual(report.inventory);
  expectBounded(report);
}

test(
  `the server survives malformed requests (seed ${seed})`,
  async () => {
    const data = mkdtempSync(join(tmpdir(), "fettle-fuzz-"));
    const coverage = new Coverage();
    const until = Date.now() + seconds * 1000;
    const progress = everySecond((sent) =>
      console.log(`  ${sent} requests, ${coverage.size} classes of answers`),
    );
    let round = 0;
    try {
      // Each round starts with the data of the one before.
      for (; round < 2 || Date.now() < until; round++) {
        const transport = round % 2 === 0 ? "plain" : "tls";
        const sent = round * perRound;
        const report = await fuzz(
          {
            seed,
            data,
            transport,
            first: first + sent,
            count: perRound,
            progress: (more) => seconds > 0 && progress(sent + more),
          },
          coverage,
        );
        console.log(`  round ${round} (${transport}): ${describeRound(report)}`);
        expectSound(report);
      }
    } finally {
      const sent = Math.min(round + 1, Math.max(2, round)) * perRound;
      console.log(
        `seed ${seed}, ${sent} requests, ${coverage.size} classes of answers:\n${coverage.table()}`,
      );
      rmSync(data, { recursive: true, force: true });
    }
    if (isWhole) expect(important.filter((name) => !coverage.has(name))).toEqual([]);
  },
  300_000 + seconds * 3000,
);

function everySecond(tell: (sent: number) => void): (sent: number) => void {
  let last = Date.now();
  return (sent) => {
    if (Date.now() - last < 1000) return;
    last = Date.now();
    tell(sent);
  };
}

function describeRound({ warm, end, inventory }: FuzzReport): string {
  const mb = (bytes: number): string => `${Math.round(bytes / megabyte)} MB`;
  const longest = Math.round(Math.max(warm.longest, end.longest));
  const memory = `heap ${mb(warm.heapUsed)} → ${mb(end.heapUsed)}, rss ${mb(warm.rss)} → ${mb(end.rss)}`;
  return `${memory}, ${inventory.length} objects left, the longest turn took ${longest} ms`;
}
