import { describe, expect, test } from "vitest";
import { decodePath, parseResourcePath } from "./path.js";

function parse(path: string): Record<string, unknown> | undefined {
  const parsed = parseResourcePath(path);
  return parsed && Object.fromEntries(Object.entries(parsed).filter(([, value]) => value));
}

describe("parseResourcePath", () => {
  test.each<[string, Record<string, unknown>]>([
    ["/api/v1/nodes", { version: "v1", resource: "nodes" }],
    ["/api/v1/nodes/", { version: "v1", resource: "nodes" }],
    ["/api/v1/nodes/a", { version: "v1", resource: "nodes", name: "a" }],
    ["/api/v1/nodes/a/status", { version: "v1", resource: "nodes", name: "a", subresource: "status" }],
    ["/api/v1/namespaces", { version: "v1", resource: "namespaces" }],
    ["/api/v1/namespaces/a", { version: "v1", resource: "namespaces", namespace: "a", name: "a" }],
    [
      "/api/v1/namespaces/a/finalize",
      { version: "v1", resource: "namespaces", namespace: "a", name: "a", subresource: "finalize" },
    ],
    ["/api/v1/namespaces/a/pods", { version: "v1", namespace: "a", resource: "pods" }],
    ["/api/v1/namespaces/a/pods/b", { version: "v1", namespace: "a", resource: "pods", name: "b" }],
    [
      "/apis/demo.dev/v1/namespaces/a/widgets/b/scale",
      {
        group: "demo.dev",
        version: "v1",
        namespace: "a",
        resource: "widgets",
        name: "b",
        subresource: "scale",
      },
    ],
    ["/apis/demo.dev/v1/widgets", { group: "demo.dev", version: "v1", resource: "widgets" }],
    [
      "/apis/demo.dev/v1/watch/namespaces/a/widgets/b",
      { group: "demo.dev", version: "v1", namespace: "a", resource: "widgets", name: "b", watch: true },
    ],
    ["/api/v1/watch/pods", { version: "v1", resource: "pods", watch: true }],
    ["/api/v1/watch", { version: "v1", resource: "watch" }],
  ])("reads %s", (path, expected) => {
    expect(parse(path)).toEqual(expected);
  });

  test.each([
    "",
    "/",
    "/api",
    "/api/",
    "/api/v1",
    "/api/v1/",
    "/apis",
    "/apis/demo.dev",
    "/apis/demo.dev/v1",
    "/apiserver/v1/pods",
    "/version",
    "//api/v1/pods",
    "/api//v1/pods",
    "/api/v1/namespaces//pods",
    "/api/v1/namespaces/a/pods/b/log/c",
    "/api/v1/namespaces/a/namespaces/a",
  ])("finds no resource in %j", (path) => {
    expect(parseResourcePath(path)).toBeUndefined();
  });

  test("does not validate names", () => {
    expect(parse("/api/v1/__proto__/constructor")).toEqual({
      version: "v1",
      resource: "__proto__",
      name: "constructor",
    });
  });
});

describe("decodePath", () => {
  test("decodes escapes", () => {
    expect(decodePath("/api/v1/nodes/a%20b%C3%A9")).toBe("/api/v1/nodes/a bé");
    expect(decodePath("/api%2Fv1")).toBe("/api/v1");
  });

  test.each(["/a%", "/a%2", "/a%zz", "/a%ff", "/a%C3"])("rejects %s", (path) => {
    expect(() => decodePath(path)).toThrow(expect.objectContaining({ code: 400 }));
  });
});
