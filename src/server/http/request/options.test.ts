import { describe, expect, test } from "vitest";
import { managerFromUserAgent } from "./http-api-request.js";
import { deleteOptions, listOptions, watchOptions, writeOptions } from "./options.js";
import { parseQuery } from "./query.js";

describe("listOptions", () => {
  test("reads all parameters of a list", () => {
    const options = listOptions(
      parseQuery(
        "labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&limit=5&continue=abc" +
          "&resourceVersion=7&resourceVersionMatch=Exact",
      ),
    );
    expect(options).toEqual({
      labelSelector: "a=b",
      fieldSelector: "metadata.name=x",
      limit: 5,
      continue: "abc",
      resourceVersion: "7",
      resourceVersionMatch: "Exact",
      sendInitialEvents: undefined,
    });
  });

  test("treats empty parameters as absent", () => {
    const options = listOptions(
      parseQuery("labelSelector=&fieldSelector=&limit=0&continue=&resourceVersion="),
    );
    expect(Object.values(options).filter((value) => value)).toEqual([]);
  });

  test("rejects a limit that is not a number", () => {
    expect(() => listOptions(parseQuery("limit=x"))).toThrow(expect.objectContaining({ code: 400 }));
  });
});

describe("watchOptions", () => {
  test("reads the parameters that only a watch has", () => {
    const query = parseQuery("allowWatchBookmarks=true&sendInitialEvents=false&timeoutSeconds=30");
    expect(watchOptions(query, 1800)).toMatchObject({
      allowWatchBookmarks: true,
      sendInitialEvents: false,
      timeoutSeconds: 30,
    });
  });

  test("has a default timeout", () => {
    expect(watchOptions(parseQuery("timeoutSeconds=0"), 1800).timeoutSeconds).toBe(1800);
    expect(watchOptions(parseQuery(""), 1800).timeoutSeconds).toBe(1800);
  });
});

test("writeOptions reads all parameters of a write", () => {
  const query = parseQuery("dryRun=All&fieldManager=me&fieldValidation=Strict&force=true");
  expect(writeOptions(query)).toEqual({
    dryRun: ["All"],
    fieldManager: "me",
    fieldValidation: "Strict",
    force: true,
  });
});

test("deleteOptions reads all parameters of a delete", () => {
  const query = parseQuery(
    "gracePeriodSeconds=0&propagationPolicy=Foreground&dryRun=All&uid=abc&resourceVersion=5",
  );
  expect(deleteOptions(query)).toEqual({
    gracePeriodSeconds: 0,
    propagationPolicy: "Foreground",
    orphanDependents: undefined,
    preconditions: { uid: "abc", resourceVersion: "5" },
    dryRun: ["All"],
  });
});

test.each([
  ["kubectl/v1.33.0 (linux/amd64) kubernetes/abc", "kubectl"],
  ["plain", "plain"],
  ["\u0001odd\u0002/1", "odd"],
  [`${"x".repeat(200)}/1`, "x".repeat(128)],
  [undefined, ""],
])("managerFromUserAgent names the manager of %j", (agent, manager) => {
  expect(managerFromUserAgent(agent)).toBe(manager);
});
