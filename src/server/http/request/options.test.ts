import { describe, expect, test } from "vitest";
import { deleteOptionsOfBody, deleteOptionsOfQuery } from "./delete-options.js";
import { managerFromUserAgent } from "./field-manager.js";
import { forceOf, listOptions, watchOptions, writeOptions } from "./options.js";
import { parseQuery } from "./query.js";

describe("listOptions", () => {
  test("reads what a list can say", () => {
    const options = listOptions(
      parseQuery(
        "labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&limit=5&continue=abc" +
          "&resourceVersion=7&resourceVersionMatch=Exact",
      ),
    );
    expect(options).toMatchObject({
      limit: 5,
      continue: "abc",
      resourceVersion: "7",
      resourceVersionMatch: "Exact",
    });
    expect(String(options.labelSelector)).toBe("a=b");
    expect(options.fieldSelector?.exactValue("metadata.name")).toBe("x");
  });

  test("takes what is empty for not given", () => {
    const options = listOptions(
      parseQuery("labelSelector=&fieldSelector=&limit=0&continue=&resourceVersion="),
    );
    expect(Object.values(options).filter((value) => value !== undefined)).toEqual([]);
  });

  test.each(["labelSelector=a%3D%3D%3Db", "fieldSelector=abc", "limit=x"])("refuses %s", (text) => {
    expect(() => listOptions(parseQuery(text))).toThrow(expect.objectContaining({ code: 400 }));
  });
});

describe("watchOptions", () => {
  test("reads what only a watch can say", () => {
    const query = parseQuery("allowWatchBookmarks=true&sendInitialEvents=false&timeoutSeconds=30");
    expect(watchOptions(query, undefined)).toMatchObject({
      allowWatchBookmarks: true,
      sendInitialEvents: false,
      timeoutSeconds: 30,
    });
  });

  test("narrows to a name", () => {
    expect(watchOptions(parseQuery(""), "x").fieldSelector?.exactValue("metadata.name")).toBe("x");
    const same = parseQuery("fieldSelector=metadata.name%3Dx");
    expect(watchOptions(same, "x").fieldSelector?.exactValue("metadata.name")).toBe("x");
    expect(() => watchOptions(same, "y")).toThrow("fieldSelector metadata.name doesn't match requested name");
  });
});

describe("writeOptions", () => {
  test("reads what a write can say", () => {
    const query = parseQuery("dryRun=All&fieldManager=me&fieldValidation=Strict");
    expect(writeOptions(query, "CreateOptions", "other")).toEqual({
      dryRun: true,
      fieldManager: "me",
      fieldValidation: "Strict",
    });
    expect(writeOptions(parseQuery(""), "CreateOptions", "other")).toEqual({
      dryRun: false,
      fieldManager: "other",
      fieldValidation: undefined,
    });
  });

  test.each([
    [
      "dryRun=yes",
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["yes"]: supported values: "All"',
    ],
    [
      "fieldValidation=Foo",
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Foo": ' +
        'supported values: "", "Ignore", "Strict", "Warn"',
    ],
    [
      `fieldManager=${"x".repeat(129)}`,
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    ],
  ])("refuses %s", (text, message) => {
    expect(() => writeOptions(parseQuery(text), "CreateOptions", "other")).toThrow(
      expect.objectContaining({ code: 422, message }),
    );
  });
});

describe("forceOf", () => {
  test("lets only an apply force", () => {
    const query = parseQuery("fieldManager=me&force=true");
    expect(forceOf(query, "apply")).toBe(true);
    expect(() => forceOf(query, "merge")).toThrow(
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
  });

  test("makes an apply say who it is", () => {
    expect(() => forceOf(parseQuery(""), "apply")).toThrow(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  });
});

describe("delete options", () => {
  test("come from the query", () => {
    const query = parseQuery(
      "gracePeriodSeconds=0&propagationPolicy=Foreground&dryRun=All&uid=abc&resourceVersion=5",
    );
    expect(deleteOptionsOfQuery(query)).toEqual({
      gracePeriodSeconds: 0,
      propagationPolicy: "Foreground",
      orphanDependents: undefined,
      preconditions: { uid: "abc", resourceVersion: "5" },
      dryRun: true,
    });
  });

  test("come from a body", () => {
    const body = {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Background",
      preconditions: { uid: "abc" },
      gracePeriodSeconds: null,
    };
    expect(deleteOptionsOfBody(body)).toMatchObject({
      propagationPolicy: "Background",
      preconditions: { uid: "abc" },
      dryRun: false,
    });
    expect(deleteOptionsOfBody({})).toMatchObject({ dryRun: false });
  });

  test.each([
    [{ kind: "Widget" }, 400],
    [[], 400],
    ["text", 400],
    [null, 400],
    [{ gracePeriodSeconds: "1" }, 400],
    [{ gracePeriodSeconds: 1.5 }, 400],
    [{ propagationPolicy: 5 }, 400],
    [{ preconditions: [] }, 400],
    [{ preconditions: { uid: 5 } }, 400],
    [{ dryRun: "All" }, 400],
    [{ dryRun: ["Some"] }, 422],
    [{ propagationPolicy: "Sometimes" }, 422],
    [{ propagationPolicy: "Orphan", orphanDependents: true }, 422],
  ])("refuse %j with %i", (body, code) => {
    expect(() => deleteOptionsOfBody(body)).toThrow(expect.objectContaining({ code }));
  });
});

test.each([
  ["kubectl/v1.33.0 (linux/amd64) kubernetes/abc", "kubectl"],
  ["plain", "plain"],
  ["\u0001odd\u0002/1", "odd"],
  [`${"x".repeat(200)}/1`, "x".repeat(128)],
  [undefined, ""],
])("names the manager of %j", (agent, manager) => {
  expect(managerFromUserAgent(agent)).toBe(manager);
});
