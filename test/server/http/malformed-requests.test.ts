import { describe, expect, test } from "vitest";
import { configMaps } from "./paths.js";
import { exchange } from "./raw.js";
import { expectStatus, nested, sturdyServer } from "./sturdy-server.js";
import type { Call } from "./wire.js";

const mergePatch = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";
const applyPatch = "application/apply-patch+yaml";
const strategicPatch = "application/strategic-merge-patch+json";

const { wire, server } = sturdyServer();

describe("patches", () => {
  const operations = (...list: object[]): string => JSON.stringify(list);
  const cases: [what: string, type: string, body: string, code: number, message?: RegExp][] = [
    ["nothing", mergePatch, "", 400],
    ["a list", mergePatch, "[]", 400],
    ["no JSON", mergePatch, "{", 400],
    ["another name", mergePatch, '{"metadata":{"name":"other"}}', 400, /name/],
    ["another uid", mergePatch, '{"metadata":{"uid":"other"}}', 422, /field is immutable/],
    [
      "an old version",
      mergePatch,
      '{"metadata":{"resourceVersion":"1"}}',
      409,
      /the object has been modified/,
    ],
    ["another kind", mergePatch, '{"kind":"Other"}', 400],
    ["a text for data", mergePatch, '{"data":"x"}', 422, /cannot unmarshal string/],
    ["__proto__ below labels", mergePatch, '{"metadata":{"labels":{"__proto__":{"polluted":"yes"}}}}', 422],
    ["too deep", mergePatch, `{"metadata":${nested('{"a":', "}", 50_000)}}`, 400],
    ["an object", jsonPatch, "{}", 400],
    ["no operation", jsonPatch, "[5]", 400],
    ["an invalid operation", jsonPatch, operations({ op: "explode", path: "/data" }), 400],
    ["no path", jsonPatch, operations({ op: "add", value: 1 }), 400],
    ["a path without a slash", jsonPatch, operations({ op: "replace", path: "data", value: {} }), 400],
    [
      "a path that leads nowhere",
      jsonPatch,
      operations({ op: "replace", path: "/data/nobody", value: "x" }),
      422,
    ],
    ["a test that fails", jsonPatch, operations({ op: "test", path: "/metadata/name", value: "x" }), 422],
    [
      "a path through __proto__",
      jsonPatch,
      operations({ op: "add", path: "/__proto__/polluted", value: "yes" }),
      422,
    ],
    [
      "a path through constructor",
      jsonPatch,
      operations({ op: "add", path: "/constructor/prototype/polluted", value: "yes" }),
      422,
    ],
    [
      "an index that is huge",
      jsonPatch,
      operations({ op: "add", path: "/metadata/managedFields/4294967295", value: {} }),
      422,
    ],
    [
      "too many operations",
      jsonPatch,
      `[${Array(10_001).fill('{"op":"test","path":"/kind","value":"ConfigMap"}').join(",")}]`,
      413,
      /10000/,
    ],
    [
      "copies of copies",
      jsonPatch,
      operations(
        { op: "add", path: "/data", value: { a: "x".repeat(1000) } },
        ...Array.from({ length: 40 }, (_, index) => ({ op: "copy", from: "/data", path: `/data/${index}` })),
      ),
      413,
    ],
    ["an invalid directive", strategicPatch, '{"metadata":{"$patch":"explode"}}', 400, /explode/],
    ["a list", strategicPatch, "[]", 400],
    ["nothing", applyPatch, "", 400],
    ["no kind", applyPatch, "metadata: {name: there}\n", 400],
    ["another kind", applyPatch, "apiVersion: v1\nkind: Secret\nmetadata: {name: there}\n", 400],
    [
      "managed fields",
      applyPatch,
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: there, managedFields: [{manager: x}]}\n",
      400,
      /managedFields must be nil/,
    ],
    ["another name", applyPatch, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n", 400, /name/],
    ["an invalid type", "application/json", "{}", 415, /application\/merge-patch\+json/],
    ["a type that makes no sense", "}{", "{}", 415],
  ];
  test.each(cases)("%s as %s", async (_, type, body, code, message) => {
    const query = type === applyPatch ? "?fieldManager=me" : "";
    const call: Call = { method: "PATCH", body, headers: { "content-type": type } };
    expectStatus(await wire().call(`${configMaps}/there${query}`, call), code, message);
    expect((await wire().get(`${configMaps}/there`)).json).not.toHaveProperty("data");
  });

  test("requires a field manager for apply", async () => {
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: there}\n";
    const call: Call = { method: "PATCH", body, headers: { "content-type": applyPatch } };
    expectStatus(
      await wire().call(`${configMaps}/there`, call),
      422,
      /fieldManager.*is required for apply patch/,
    );
  });
});

describe("queries", () => {
  const cases: [query: string, code: number, message?: RegExp][] = [
    ["limit=many", 400, /limit|many/],
    ["limit=99999999999999999999", 400],
    ["limit=1.5", 400],
    ["continue=nonsense", 400, /continue/],
    [
      `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":-5,"start":"../../x"}').toString("base64url")}`,
      400,
    ],
    [`continue=${Buffer.from('{"v":"meta.k8s.io/v9","rv":5,"start":"x"}').toString("base64url")}`, 400],
    ["resourceVersion=abc", 400, /resourceVersion/],
    ["resourceVersion=-1", 400],
    ["resourceVersionMatch=Exact", 422, /forbidden unless resourceVersion is provided/i],
    ["resourceVersion=1&resourceVersionMatch=Perhaps", 422, /Perhaps/],
    ["labelSelector=((", 400],
    ["labelSelector=a%20in", 400],
    ["labelSelector=a=b=c", 400],
    [`labelSelector=${"a".repeat(64)}=b`, 400],
    ["fieldSelector=a", 400],
    ["fieldSelector=data.a=b", 400, /"data\.a" is not a known field selector/],
    ["watch=1&timeoutSeconds=soon", 400],
    ["watch=1&resourceVersion=abc", 422],
    ["watch=1&sendInitialEvents=true", 422, /resourceVersionMatch/],
    ["timeout=soon", 400, /soon/],
    ["labelSelector=%zz", 400],
    ["labelSelector=%ff", 400],
    ["%", 400],
  ];
  test.each(cases)("?%s", async (query, code, message) => {
    expectStatus(await wire().get(`${configMaps}?${query}`), code, message);
  });

  const writes: [query: string, code: number, message?: RegExp][] = [
    ["dryRun=None", 422, /dryRun/],
    ["fieldManager=%01", 422, /fieldManager/],
    [`fieldManager=${"x".repeat(129)}`, 422, /fieldManager/],
    ["fieldValidation=Maybe", 422, /fieldValidation/],
  ];
  test.each(writes)("POST ?%s", async (query, code, message) => {
    expectStatus(await wire().post(`${configMaps}?${query}`, { metadata: { name: "bad" } }), code, message);
  });
});

describe("paths and methods", () => {
  const cases: [method: string, path: string, code: number][] = [
    ["GET", `${configMaps}/%zz`, 400],
    ["GET", `${configMaps}/%ff`, 400],
    ["GET", `${configMaps}/nobody`, 404],
    ["GET", `${configMaps}/${"x".repeat(10_000)}`, 404],
    ["GET", `${configMaps}/a%00b`, 404],
    ["GET", `${configMaps}/__proto__`, 404],
    ["GET", "/api/v1/namespaces/__proto__/configmaps/constructor", 404],
    ["GET", "/api/v1/constructor", 404],
    ["GET", "/api/v1/namespaces/default/bindings", 404],
    ["POST", "/api/v1/namespaces/nobody/configmaps", 404],
    ["POST", `${configMaps}/there`, 405],
    ["PUT", configMaps, 405],
    ["PATCH", configMaps, 405],
    ["PUT", `${configMaps}/there/status`, 404],
    ["OPTIONS", configMaps, 405],
    ["BREW", configMaps, 400],
  ];
  test("does not resolve .. in paths", async () => {
    for (const path of [
      `${configMaps}/..%2f..%2f..`,
      "/api/v1/../../etc/passwd",
      "//api//v1",
      "/api/v1/namespaces//x",
    ]) {
      expect((await wire().get(path)).code).toBe(404);
    }
  });

  test.each(cases)("%s %s", async (method, path, code) => {
    const body = method === "GET" || method === "OPTIONS" ? undefined : { metadata: { name: "bad" } };
    const headers = { "content-type": method === "PATCH" ? mergePatch : "application/json" };
    if (method === "BREW") {
      expect(await exchange(server(), `BREW ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 40\d /,
      );
      return;
    }
    const answer = await wire().call(path, { method, body, headers });
    expectStatus(answer, code);
  });
});

describe("malformed HTTP", () => {
  const host = "Host: localhost\r\nConnection: close\r\n";
  const cases: [what: string, bytes: string, line: RegExp][] = [
    ["words", "hello\r\n\r\n", /^HTTP\/1\.1 400 /],
    [
      "a TLS greeting",
      "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
      /^HTTP\/1\.1 400 |^$/,
    ],
    ["another version", `GET / HTTP/9.9\r\n${host}\r\n`, /^HTTP\/1\.1 (400|505) /],
    ["no Host", "GET /version HTTP/1.1\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["a header without a name", `GET /version HTTP/1.1\r\n${host}: x\r\n\r\n`, /^HTTP\/1\.1 400 /],
    [
      "headers without end",
      `GET /version HTTP/1.1\r\n${host}X: ${"x".repeat(100_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    [
      "two lengths",
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      "a length and chunks",
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      "a negative length",
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    ["the whole address", `GET http://localhost/version HTTP/1.1\r\n${host}\r\n`, /^HTTP\/1\.1 200 /],
    ["an address of nothing", `GET * HTTP/1.1\r\n${host}\r\n`, /^HTTP\/1\.1 40[034] /],
    ["a tunnel", `CONNECT localhost:80 HTTP/1.1\r\n${host}\r\n`, /^HTTP\/1\.1 40\d |^$/],
    [
      "an upgrade to nothing",
      `GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: nothing\r\n\r\n`,
      /^HTTP\/1\.1 [24]0\d /,
    ],
  ];
  test.each(cases)("%s", async (_, bytes, line) => {
    expect(await exchange(server(), Buffer.from(bytes, "latin1"))).toMatch(line);
  });

  test("survives a malformed chunk", async () => {
    const head = `POST ${configMaps} HTTP/1.1\r\n${host}Authorization: Bearer ${server().token}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await exchange(server(), `${head}xyz\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });
});
