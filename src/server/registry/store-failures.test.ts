import { expect, test } from "vitest";
import { ApiError } from "../../model/core.js";
import {
  Compacted,
  FutureRevision,
  InvalidCommit,
  StoreClosed,
  StoreFull,
  Uncertain,
} from "../../store/index.js";
import { storeFailure, fromStore } from "./store-failures.js";

test.each([
  [new Compacted(3, 7), "410 Expired: too old resource version: 3 (7)"],
  [new FutureRevision(9, 7), "504 Timeout: Timeout: Too large resource version: 9, current: 7"],
  [new StoreFull("no space"), "503 ServiceUnavailable: the store is full: no space"],
  [new StoreClosed(), "503 ServiceUnavailable: the server is shutting down"],
  [new Uncertain("lost"), "504 Timeout: Timeout: lost"],
  [new InvalidCommit("odd"), /^500 InternalError: .*odd/],
])("%s", async (thrown, text) => {
  const failure = storeFailure(thrown);
  if (!(failure instanceof ApiError)) throw failure;
  expect(`${failure.status.code} ${failure.reason}: ${failure.message}`).toMatch(text);
  await expect(fromStore(Promise.reject(thrown))).rejects.toEqual(failure);
});

test("rethrows other errors", async () => {
  const error = new TypeError("a bug");
  expect(storeFailure(error)).toBe(error);
  await expect(fromStore(Promise.reject(error))).rejects.toBe(error);
});
