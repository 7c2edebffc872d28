import { describe, expect, test } from "vitest";
import { failures, fromStatus } from "../../../../model/core.js";
import { Retries, RetryPolicy, type FailedAttempt, retryAfter } from "./retries.js";

const lowest = { bytes: (length: number) => new Uint8Array(length) };
const highest = { bytes: (length: number) => new Uint8Array(length).fill(255) };

const answered = (code: number, wait?: number): FailedAttempt => ({ error: fromStatus({ code }), wait });
const lost = (sent: boolean, transient = true): FailedAttempt => ({ sent, transient });

/** Delays of all retries. */
function waits(
  failed: FailedAttempt,
  { idempotent = true, onlyWithRetryAfter = false, random = lowest } = {},
): number[] {
  const policy = new RetryPolicy(
    { withRetryAfter: 3, withoutRetryAfter: 4, firstDelay: 100, longestDelay: 500 },
    random,
  );
  const retries = new Retries(policy, { idempotent, onlyWithRetryAfter });
  const all: number[] = [];
  for (let wait = retries.after(failed); wait !== undefined; wait = retries.after(failed)) all.push(wait);
  return all;
}

describe("Retry-After is followed for any verb", () => {
  test.each([429, 503])("%d with Retry-After", (code) => {
    expect(waits(answered(code, 2000), { idempotent: false, onlyWithRetryAfter: true })).toEqual([
      2000, 2000, 2000,
    ]);
  });

  test("waits at least as long, with jitter", () => {
    const [wait = 0] = waits(answered(429, 1000), { random: highest });
    expect(wait).toBeGreaterThan(1000);
    expect(wait).toBeLessThanOrEqual(1100);
  });

  test("not after a 500, which may have been executed", () => {
    expect(waits(answered(500, 1000), { idempotent: false })).toEqual([]);
    expect(waits(answered(500, 1000))).toHaveLength(3);
  });
});

describe("without Retry-After", () => {
  test("delays double up to a limit, with up to 50 % jitter", () => {
    expect(waits(lost(true))).toEqual([50, 100, 200, 250]);
    expect(waits(lost(true), { random: highest }).map(Math.round)).toEqual([100, 200, 400, 500]);
  });

  test.each([502, 503, 504])("%d is retried for idempotent requests", (code) => {
    expect(waits(answered(code))).toHaveLength(4);
    expect(waits(answered(code), { idempotent: false })).toEqual([]);
  });

  test.each([400, 401, 403, 404, 409, 410, 422, 500])("%d is final", (code) => {
    expect(waits(answered(code))).toEqual([]);
  });

  test("429 was not executed, so it is retried", () => {
    expect(waits(answered(429), { idempotent: false })).toHaveLength(4);
  });

  test("a create that may have arrived is not retried; one that did not is", () => {
    expect(waits(lost(true), { idempotent: false })).toEqual([]);
    expect(waits(lost(false), { idempotent: false })).toHaveLength(4);
  });

  test("permanent failures are final", () => {
    expect(waits(lost(false, false))).toEqual([]);
  });

  test("a resourceVersion in the future is left to the caller", () => {
    const error = failures.tooLargeResourceVersion(9, 1, 1);
    expect(waits({ error, wait: 1000 })).toEqual([]);
    expect(waits({ error, wait: undefined })).toEqual([]);
  });

  test("nothing is retried with onlyWithRetryAfter", () => {
    expect(waits(lost(false), { onlyWithRetryAfter: true })).toEqual([]);
  });
});

test("retries: false disables all retries", () => {
  const retries = new Retries(new RetryPolicy(false), { idempotent: true, onlyWithRetryAfter: false });
  expect(retries.after(answered(429, 1))).toBeUndefined();
  expect(retries.after(lost(false))).toBeUndefined();
});

test.each([
  ["3", 3000],
  [" 1.5 ", 1500],
  ["0", 0],
  ["Thu, 01 Jan 2026 00:00:10 GMT", 10_000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
  [["2", "5"], 2000],
])("Retry-After %j is %s ms", (header, milliseconds) => {
  expect(retryAfter(header, Date.parse("2026-01-01T00:00:00Z"))).toBe(milliseconds);
});
