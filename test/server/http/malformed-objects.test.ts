import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asYaml, configMaps, definitions, widgets } from "./paths.js";
import { expectStatus, nested, sturdyServer } from "./sturdy-server.js";
import type { Json } from "./wire.js";

const { wire } = sturdyServer();

const object = (fields: string): string => `{"apiVersion":"v1","kind":"ConfigMap",${fields}}`;
const named = (fields: string): string => object(`"metadata":{"generateName":"bad-"},${fields}`);
const meta = (fields: string): string => object(`"metadata":{"name":"bad",${fields}}`);
const ofWidget = (metadata: string, rest = '"spec":{"color":"red"}'): string =>
  `{"apiVersion":"demo.dev/v1","kind":"Widget","metadata":${metadata},${rest}}`;
const spec = (fields: string): string => ofWidget('{"generateName":"bad-"}', `"spec":${fields}`);

type Case = [what: string, body: string | Uint8Array, code: number, message?: RegExp];

describe("JSON", () => {
  const cases: Case[] = [
    ["nothing", "", 400, /must be of type ConfigMap/],
    ["half an object", '{"apiVersion":"v1","kind":"Conf', 400, /unexpected end of JSON input/],
    ["no JSON", "hello", 400, /invalid character 'h'/],
    ["more than one", "{}{}", 400],
    ["a list", "[]", 400],
    ["null", "null", 400],
    ["a number", "17", 400],
    ["comments", "// hi\n{}", 400],
    ["a trailing comma", '{"kind":"ConfigMap",}', 400],
    ["single quotes", "{'kind':'ConfigMap'}", 400],
    ["NaN", named('"data":NaN'), 400],
    ["a control character in a text", '{"kind":"Config\u0001Map"}', 400],
    [
      "bytes that are no UTF-8",
      Buffer.from([...Buffer.from('{"data":{"a":"'), 0xff, 0xfe, ...Buffer.from('"}}')]),
      400,
    ],
    ["UTF-16", Buffer.from(object('"metadata":{"name":"bad"}'), "utf16le"), 400],
    ["lists in lists", named(`"data":${nested("[", "]", 200_000)}`), 400],
    ["objects in objects", named(`"data":${nested('{"a":', "}", 100_000)}`), 400],
    ["no name", "{}", 422, /name or generateName is required/],
    ["another kind", '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"bad"}}', 400, /Secret/],
    ["another version", '{"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"bad"}}', 400, /v9/],
    ["a kind that is a number", '{"apiVersion":"v1","kind":5}', 400],
    ["an apiVersion with slashes", '{"apiVersion":"a/b/c","kind":"ConfigMap"}', 400, /a\/b\/c/],
    ["data of the wrong type", named('"data":{"a":1}'), 400, /cannot unmarshal number/],
    ["data that is a list", named('"data":[1]'), 400],
    ["a key with spaces", named('"data":{"a b":"c"}'), 422, /a valid config key must consist of/],
    ["a key that is __proto__ below labels", meta('"labels":{"__proto__":"x"}'), 422, /metadata\.labels/],
    ["labels that are __proto__", meta('"labels":{"__proto__":{"polluted":"yes"}}'), 400],
    ["malformed binary data", named('"binaryData":{"a":"%%%"}'), 400, /base64/],
    ["metadata that is a text", object('"metadata":"bad"'), 400],
    ["metadata that is a list", object('"metadata":[]'), 400],
    ["a name that is a number", object('"metadata":{"name":7}'), 400],
    ["a name with a slash", object('"metadata":{"name":"a/b"}'), 422, /a lowercase RFC 1123/],
    ["a name with dots that lead up", object('"metadata":{"name":".."}'), 422],
    ["a name of 300 letters", object(`"metadata":{"name":"${"a".repeat(300)}"}`), 422, /no more than 253/],
    ["a name with NUL", String.raw`{"metadata":{"name":"a\u0000b"}}`, 422],
    ["another namespace", object('"metadata":{"name":"bad","namespace":"other"}'), 400, /namespace/],
    ["an invalid time", meta('"creationTimestamp":"yesterday"'), 400, /yesterday/],
    ["a time that is a number", meta('"deletionTimestamp":5'), 400],
    ["labels with a number", meta('"labels":{"a":1}'), 400],
    ["a label that is no label", meta('"labels":{"a":"b c!"}'), 422],
    [
      "annotations that are too long",
      meta(`"annotations":{"a":"${"x".repeat(300_000)}"}`),
      422,
      /may not be more than 262144 bytes/,
    ],
    ["an invalid finalizer", meta('"finalizers":["a b"]'), 422],
    [
      "an owner without a name",
      meta('"ownerReferences":[{"apiVersion":"v1","kind":"Pod"}]'),
      422,
      /ownerReferences/,
    ],
    [
      "two controllers",
      meta(
        `"ownerReferences":[${["1", "2"].map((uid) => `{"apiVersion":"v1","kind":"P","name":"p","controller":true,"uid":"${uid}"}`).join()}]`,
      ),
      422,
      /Only one reference can have Controller set to true/,
    ],
    [
      "a resourceVersion on creation",
      meta('"resourceVersion":"5"'),
      400,
      /resourceVersion should not be set/,
    ],
    ["an object that is too large", named(`"data":{"a":"${"x".repeat(1_100_000)}"}`), 422, /Too long/],
  ];
  test.each(cases)("%s", async (_, body, code, message) => {
    expectStatus(await wire().post(configMaps, body), code, message);
  });

  const accepted: [string, string, (json: Json) => unknown, unknown][] = [
    [
      "__proto__ as a key of data",
      named('"data":{"__proto__":"x","constructor":"y"}'),
      (json) => Object.entries(json.data),
      [
        ["__proto__", "x"],
        ["constructor", "y"],
      ],
    ],
    [
      "__proto__ beside metadata",
      named('"__proto__":{"polluted":"yes"},"data":{"a":"b"}'),
      (json) => json.data,
      { a: "b" },
    ],
    ["half a surrogate", named(String.raw`"data":{"a":"\ud800"}`), (json) => json.data.a, "\ufffd"],
  ];
  test.each(accepted)("accepts %s safely", async (_, body, read, expected) => {
    const { code, json } = await wire().post(configMaps, body);
    expect(code).toBe(201);
    expect(read(json)).toEqual(expected);
  });
});

describe("custom resources", () => {
  const cases: Case[] = [
    ["no spec", ofWidget('{"name":"bad"}', '"spec":null'), 422, /spec/],
    ["a spec that is a list", spec("[]"), 422, /spec in body must be of type object/],
    ["an unknown color", spec('{"color":"pink"}'), 422, /supported values: "red", "green", "blue"/],
    ["a number that is no integer", spec('{"color":"red","replicas":1.5}'), 422, /replicas/],
    ["a number below the least", spec('{"color":"red","replicas":-1}'), 422, /greater than or equal to 0/],
    ["a number that no one can write", spec('{"color":"red","replicas":1e999}'), 400],
    [
      "a number that is too large",
      spec('{"color":"red","replicas":99999999999999999999999999}'),
      400,
      /cannot be represented exactly/,
    ],
    ["a port twice", spec('{"color":"red","ports":[{"name":"a"},{"name":"a"}]}'), 422, /Duplicate value/],
    ["a port without its key", spec('{"color":"red","ports":[{"port":1}]}'), 422, /name/],
    ["metadata that is a number", ofWidget("5"), 400],
    ["labels with numbers", ofWidget('{"name":"bad","labels":{"a":1}}'), 400],
    ["an invalid time", ofWidget('{"name":"bad","creationTimestamp":"soon"}'), 400],
    ["a generation that is a text", ofWidget('{"name":"bad","generation":"x"}'), 400],
    ["finalizers that are a text", ofWidget('{"name":"bad","finalizers":"x"}'), 400],
    ["too deep", spec(`{"color":"red","size":${nested("[", "]", 50_000)}}`), 400],
    ["no kind", '{"metadata":{"name":"bad"},"spec":{"color":"red"}}', 400, /Object 'Kind' is missing/],
    [
      "another group",
      '{"apiVersion":"demo.com/v1","kind":"Widget","metadata":{"name":"bad"}}',
      400,
      /demo\.com/,
    ],
  ];
  test.each(cases)("%s", async (_, body, code, message) => {
    expectStatus(await wire().post(widgets, body), code, message);
  });

  test("treats __proto__ as an unknown field", async () => {
    const polluting = '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}';
    const { code, json, headers } = await wire().post(widgets, spec(`{"color":"red",${polluting}}`));
    expect(code).toBe(201);
    expect(Object.keys(json.spec).sort()).toEqual(["color", "replicas", "size"]);
    expect(headers.warning).toMatch(/unknown field \\"spec\.__proto__\\"/);
  });
});

describe("definitions", () => {
  const define = (schema: string, more = ""): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: bads.demo.dev }
spec:
  group: demo.dev
  names: { kind: Bad, plural: bads }
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: ${schema} }
${more}`;
  const cases: Case[] = [
    ["no schema", define("null"), 422, /openAPIV3Schema: Required value/],
    ["a schema without a type", define("{ properties: { spec: {} } }"), 422, /must not be empty/],
    [
      "an invalid pattern",
      define('{ type: object, properties: { a: { type: string, pattern: "(" } } }'),
      422,
      /pattern/,
    ],
    [
      "a default that breaks the schema",
      define("{ type: object, properties: { a: { type: string, default: 5 } } }"),
      422,
      /default/,
    ],
    ["a reference", define("{ type: object, properties: { a: { $ref: '#' } } }"), 422, /\$ref/],
    ["an unknown type", define("{ type: thing }"), 422, /thing/],
    [
      "another name than its plural",
      define("{ type: object }").replace("bads.demo.dev", "other.demo.dev"),
      422,
      /spec\.names\.plural/,
    ],
    [
      "no version that is stored",
      define("{ type: object }").replace("storage: true", "storage: false"),
      422,
      /storage/,
    ],
    ["an invalid scope", define("{ type: object }").replace("Namespaced", "Everywhere"), 422, /Everywhere/],
    [
      "a selectable field that is not there",
      define("{ type: object }", "    selectableFields: [{ jsonPath: .spec.a }]\n"),
      422,
      /selectableFields/,
    ],
  ];
  test.each(cases)("%s", async (_, body, code, message) => {
    expectStatus(await wire().post(definitions, body, asYaml), code, message);
  });

  test("matches a catastrophic regex pattern in linear time", async () => {
    const text = define(
      '{ type: object, properties: { a: { type: string, pattern: "^(a+)+$" } } }',
    ).replaceAll(/bad/gi, (found) => (found === "Bad" ? "Slow" : "slow"));
    const { code } = await wire().post(definitions, text, asYaml);
    // Kubernetes' patterns take linear time; a server that cannot guarantee that has to reject them.
    if (code === 422) return;
    expect(code).toBe(201);
    const body = {
      apiVersion: "demo.dev/v1",
      kind: "Slow",
      metadata: { name: "x" },
      a: `${"a".repeat(40)}!`,
    };
    expectStatus(await wire().post("/apis/demo.dev/v1/namespaces/default/slows", body), 422, /should match/);
  });
});

test("accepts an arbitrary object or rejects it with a message", async () => {
  const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
  const key = fc.constantFrom(
    "name",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
    "managedFields",
    "uid",
    "generateName",
    "namespace",
    "generation",
    "creationTimestamp",
    "resourceVersion",
    "deletionTimestamp",
    "selfLink",
  );
  const body = fc.record({
    apiVersion: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value }),
    metadata: fc.oneof(fc.dictionary(key, value), value),
    data: value,
    spec: fc.oneof(
      value,
      fc.record({ color: fc.constant("red"), size: value, replicas: value, ports: value }),
    ),
    status: value,
  });
  const refusals = new Set<number>();
  await fc.assert(
    fc.asyncProperty(body, fc.boolean(), fc.boolean(), async (object, custom, create) => {
      const type = custom
        ? { apiVersion: "demo.dev/v1", kind: "Widget" }
        : { apiVersion: "v1", kind: "ConfigMap" };
      const all = { ...type, ...object, apiVersion: object.apiVersion ?? type.apiVersion };
      const path = custom ? widgets : configMaps;
      const answer = create
        ? await wire().post(`${path}?dryRun=All`, all)
        : await wire().call(`${path}/there?dryRun=All`, {
            method: "PATCH",
            body: all,
            headers: { "content-type": "application/merge-patch+json" },
          });
      refusals.add(answer.code);
      expect(answer.code, answer.text).toBeLessThan(500);
      if (answer.code >= 400) expectStatus(answer, answer.code);
    }),
    { numRuns: 500 },
  );
  expect(refusals).toContain(400);
});
