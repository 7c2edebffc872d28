import { describe, expect, test } from "vitest";
import { ApiError, asApiError, fromStatus, statusOf } from "./api-error.js";
import { invalid, notFound } from "./failures.js";
import { required } from "../object/field-errors.js";

const error = notFound({ group: "", resource: "pods" }, "x");

test("the status is deeply frozen", () => {
  const { status } = invalid({ group: "", kind: "Pod" }, "x", [required("spec")]);
  expect(Object.isFrozen(status)).toBe(true);
  expect(Object.isFrozen(status.details?.causes?.[0])).toBe(true);
});

describe("statusOf", () => {
  test("returns the status of an ApiError, even if it is wrapped", () => {
    expect(statusOf(error)).toBe(error.status);
    expect(statusOf(new Error("outer", { cause: new Error("inner", { cause: error }) }))).toBe(error.status);
  });

  test.each([
    [new TypeError("x is not a function"), "x is not a function"],
    ["text", "text"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [Object.create(null), "a object was thrown"],
  ])("returns a 500 for anything else: %o", (thrown: unknown, message) => {
    expect(statusOf(thrown)).toMatchObject({
      code: 500,
      reason: "InternalError",
      message: `Internal error occurred: ${message}`,
    });
  });

  test("terminates on cyclic causes", () => {
    const loop = new Error("loop");
    loop.cause = loop;
    expect(asApiError(loop)).toBeUndefined();
  });
});

describe("fromStatus", () => {
  test("restores the error of the server", () => {
    const copy = fromStatus(JSON.parse(JSON.stringify(error.status)));
    expect(copy).toBeInstanceOf(ApiError);
    expect(copy.status).toStrictEqual(error.status);
    expect(copy.name).toBe("ApiError");
  });

  test("fills in missing fields", () => {
    const { status } = fromStatus(JSON.parse('{"code": 418, "metadata": null, "reason": "Teapot"}'));
    expect(status).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Teapot",
      message: "the server responded with the status code 418 but did not return more information",
      code: 418,
    });
    expect(fromStatus({}).code).toBe(500);
    expect(fromStatus({}).reason).toBe("");
  });
});
