import { describe, expect, test } from "vitest";
import { type ApiError, fromStatus, internal } from "./api-error.js";
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  gone,
  invalid,
  methodNotSupported,
  notAcceptable,
  notFound,
  requestEntityTooLarge,
  resourceExpired,
  serverTimeout,
  serviceUnavailable,
  timeout,
  tooLargeResourceVersion,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
} from "./failures.js";
import {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
  retryAfterSeconds,
  statusCause,
} from "./predicates.js";

const pods = { group: "", resource: "pods" };

const table: [(error: unknown) => boolean, ApiError][] = [
  [isNotFound, notFound(pods, "x")],
  [isAlreadyExists, alreadyExists(pods, "x")],
  [isConflict, conflict(pods, "x", "why")],
  [isInvalid, invalid({ group: "", kind: "Pod" }, "x", [])],
  [isGone, gone("m")],
  [isExpired, resourceExpired("m")],
  [isBadRequest, badRequest("m")],
  [isUnauthorized, unauthorized()],
  [isForbidden, forbidden(pods, "x", "why")],
  [isMethodNotSupported, methodNotSupported(pods, "get")],
  [isNotAcceptable, notAcceptable([])],
  [isUnsupportedMediaType, unsupportedMediaType([])],
  [isRequestEntityTooLarge, requestEntityTooLarge("m")],
  [isTooManyRequests, tooManyRequests("m", 1)],
  [isTimeout, timeout("m")],
  [isServerTimeout, serverTimeout(pods, "get", 1)],
  [isServiceUnavailable, serviceUnavailable("m")],
  [isInternalError, internal("m")],
];

describe("each predicate", () => {
  test.each(table)("%o matches its own failure, wrapped or not, and no other", (predicate, own) => {
    expect(table.filter(([, failure]) => predicate(failure)).map(([, failure]) => failure)).toEqual([own]);
    expect(predicate(new Error("outer", { cause: own }))).toBe(true);
    for (const thrown of [undefined, null, "text", new Error("m"), { status: own.status }]) {
      expect(predicate(thrown)).toBe(false);
    }
  });

  test.each([
    [isNotFound, 404, true],
    [isConflict, 409, true],
    [isAlreadyExists, 409, false],
    [isGone, 410, true],
    [isExpired, 410, false],
    [isInternalError, 500, true],
    [isServerTimeout, 500, false],
    [isTooManyRequests, 429, true],
  ])("%o of a bare %d is %s", (predicate, code, expected) => {
    expect(predicate(fromStatus({ code }))).toBe(expected);
    expect(predicate(fromStatus({ code, reason: "constructor" }))).toBe(expected);
  });

  test("a known reason takes precedence over the code", () => {
    expect(isNotFound(fromStatus({ code: 404, reason: "Gone" }))).toBe(false);
    expect(isTooManyRequests(fromStatus({ code: 429, reason: "Gone" }))).toBe(true);
    expect(isRequestEntityTooLarge(fromStatus({ code: 413, reason: "Gone" }))).toBe(true);
  });
});

test("statusCause finds a cause by reason", () => {
  const error = tooLargeResourceVersion(2, 1, 1);
  expect(statusCause(error, "ResourceVersionTooLarge")?.message).toBe("Too large resource version");
  expect(isTooLargeResourceVersion(error)).toBe(true);
  expect(isTooLargeResourceVersion(timeout("m"))).toBe(false);
});

test("retryAfterSeconds", () => {
  expect(retryAfterSeconds(tooManyRequests("m", 7))).toBe(7);
  expect(retryAfterSeconds(serverTimeout(pods, "get", 0))).toBe(0);
  expect(retryAfterSeconds(timeout("m"))).toBeUndefined();
  expect(retryAfterSeconds(new Error("m"))).toBeUndefined();
});
