import { describe, expect, test } from "vitest";
import { ApiError } from "../../model/core.js";
import { failureStatus } from "../../model/errors/status.js";
import { HandOver } from "./steps/steps.js";
import { failedOutcome, retryAfterOf } from "./failure.js";

const never = new AbortController().signal;

/** An error with a field that cannot be read. */
function sore(field: string): Error {
  const error = new Error("sore");
  return Object.defineProperty(error, field, {
    get() {
      throw error;
    },
  });
}

describe("how a run that threw ended", () => {
  test.each(["message", "cause"])("is told also when its %s cannot be read", (field) => {
    expect(failedOutcome(sore(field), never)).toMatchObject({ type: "error", reason: "Error" });
    expect(retryAfterOf(sore(field))).toBeUndefined();
  });

  test("has the reason of the error or of its cause, if that is one word", () => {
    const given = (reason: unknown): Error =>
      new Error("step failed", { cause: Object.assign(new Error("no space"), { reason }) });
    expect(failedOutcome(given("DiskFull"), never)).toMatchObject({ type: "error", reason: "DiskFull" });
    expect(failedOutcome(given("two words"), never)).toMatchObject({ reason: "Error" });
    expect(failedOutcome(given(7), never)).toMatchObject({ reason: "Error" });
  });

  test("somebody else goes on with a run that was handed over, whatever it threw", () => {
    const signal = AbortSignal.abort(new HandOver("the process stops"));
    expect(failedOutcome(sore("message"), signal)).toEqual({
      type: "cancelled",
      message: "the process stops",
    });
  });
});

describe("when to try again", () => {
  const asking = (retryAfter: unknown, cause?: unknown): Error =>
    Object.assign(new Error("busy", { cause }), { retryAfter });
  const answer = (retryAfterSeconds: number): ApiError =>
    new ApiError(failureStatus("TooManyRequests", "busy", { retryAfterSeconds }));

  test("is what the error, or one that caused it, asks for", () => {
    expect(retryAfterOf(asking(1500))).toBe(1500);
    expect(retryAfterOf(new Error("outer", { cause: asking(1500) }))).toBe(1500);
    expect(retryAfterOf(answer(2))).toBe(2000);
    expect(retryAfterOf(new Error("x"))).toBeUndefined();
    expect(retryAfterOf("x")).toBeUndefined();
  });

  test.each([NaN, Infinity, 0, -1, "5", null])("is not %s", (value) => {
    expect(retryAfterOf(asking(value))).toBeUndefined();
    expect(retryAfterOf(asking(value, asking(1500)))).toBe(1500);
    if (typeof value === "number") expect(retryAfterOf(answer(value))).toBeUndefined();
  });
});
