import { definedCapabilities, typedCapabilities } from "../resources/fixtures/resource-type.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../model/core.js";
import type { FieldValidation } from "./decoded-body.js";
import { type BodyOptions, decodeBody, decodePatch, type ProtobufDecoder } from "./body.js";

const widget: BodyOptions = { type: { kind: "Widget", capabilities: definedCapabilities } };
const protobuf: ProtobufDecoder = (bytes) => {
  if (bytes[0] !== 0x6b) throw new RangeError("no magic");
  return { apiVersion: "v1", kind: "ConfigMap", object: { data: { a: "1" } } };
};
const configMap: BodyOptions = { type: { kind: "ConfigMap", capabilities: typedCapabilities }, protobuf };

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error("no ApiError was thrown", { cause: error });
}

const body = async (text: string, contentType?: string, options: BodyOptions = widget) =>
  decodeBody(Buffer.from(text), contentType, options);
const patch = async (text: string, kind: string, options: BodyOptions = configMap) =>
  decodePatch(Buffer.from(text), `application/${kind}`, options);

describe("decodeBody", () => {
  test.each([
    [undefined, '{"a":1}'],
    ["", '{"a":1}'],
    ["application/json", '{"a":1}'],
    ["Application/JSON; charset=utf-8", '{"a":1}'],
    ["application/yaml", "a: 1"],
    ["application/yaml;charset=utf-8", '{"a":1}'],
  ])("decodes %s", async (contentType, text) => {
    expect(await body(text, contentType)).toEqual({ object: { a: 1 } });
  });

  test("decodes protobuf for built-in kinds", async () => {
    expect(await body("k8s", "application/vnd.kubernetes.protobuf", configMap)).toEqual({
      object: { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } },
    });
    expect((await failure(body("x", "application/vnd.kubernetes.protobuf", configMap))).status).toMatchObject(
      {
        code: 400,
        message: "the object provided is unrecognized (must be of type ConfigMap): no magic (78)",
      },
    );
  });

  test.each([
    "text/yaml",
    "text/plain",
    "application/x-www-form-urlencoded",
    "nonsense",
    "application/json; x",
  ])("returns 415 for %s", async (contentType) => {
    const accepted = "the body of the request was in an unknown format - accepted media types include: ";
    expect((await failure(body("{}", contentType))).status).toMatchObject({
      code: 415,
      reason: "UnsupportedMediaType",
      message: `${accepted}application/json, application/yaml`,
    });
    expect((await failure(body("{}", contentType, configMap))).message).toBe(
      `${accepted}application/json, application/yaml, application/vnd.kubernetes.protobuf`,
    );
  });

  test.each([
    ["", "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"],
    [
      "hello",
      "couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value (line 1, column 1) (68656c6c6f)",
    ],
    [
      '{"kind":"Widget","metadata":{"name":"a"',
      'couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"kind":"Widget","metadata":{" ...)',
    ],
    ["[]", "json: cannot unmarshal array into an object (5b5d)"],
    ["null", "json: cannot unmarshal null into an object (6e756c6c)"],
    ["true", "json: cannot unmarshal bool into an object (74727565)"],
  ])("returns 400 for %j", async (text, message) => {
    expect((await failure(body(text))).status).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: `the object provided is unrecognized (must be of type Widget): ${message}`,
    });
  });

  test("returns 400 for malformed YAML", async () => {
    expect((await failure(body("a: [", "application/yaml"))).message).toMatch(
      /^the object provided is unrecognized \(must be of type Widget\): yaml: line 1: .* \(613a205b\)$/,
    );
    expect((await failure(body("", "application/yaml"))).message).toContain("cannot unmarshal null");
  });

  test("reports duplicates unless fieldValidation is Ignore", async () => {
    const found = { duplicates: ['duplicate field "a"'] };
    expect(await body('{"a":1,"a":2}')).toMatchObject(found);
    expect(await body('{"a":1,"a":2}', undefined, { ...widget, fieldValidation: "Strict" })).toMatchObject(
      found,
    );
    expect(await body('{"a":1,"a":2}', undefined, { ...widget, fieldValidation: "Ignore" })).toEqual({
      object: { a: 2 },
    });
    expect(await body("a: 1\na: 2", "application/yaml")).toMatchObject({
      duplicates: ['line 2: key "a" already set in map'],
    });
  });

  test("returns 413 when a limit is exceeded", async () => {
    const options = { ...widget, limits: { yamlTokens: 3 } };
    expect((await failure(body("a: 1\nb: 2", "application/yaml", options))).code).toBe(413);
  });
});

describe("decodePatch", () => {
  test.each([
    ["json-patch+json", "json"],
    ["merge-patch+json", "merge"],
    ["strategic-merge-patch+json", "strategic"],
    ["apply-patch+yaml", "apply"],
    ["merge-patch+json; charset=utf-8", "merge"],
  ])("decodes %s", async (kind, type) => {
    expect(await patch('{"a":null}', kind)).toEqual({ type, body: { object: { a: null } } });
  });

  test.each(["json", "apply-patch+cbor", "yaml", "nonsense"])(
    "returns 415 for application/%s",
    async (kind) => {
      const { code, message } = await failure(patch("{}", kind));
      expect(code).toBe(415);
      expect(message).toBe(
        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml",
      );
    },
  );

  test("returns 415 for strategic patches of custom kinds, and without a content type", async () => {
    const { code, message } = await failure(patch("{}", "strategic-merge-patch+json", widget));
    expect(code).toBe(415);
    expect(message).toMatch(
      /include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml$/,
    );
    expect((await failure(decodePatch(Buffer.from("{}"), undefined, configMap))).code).toBe(415);
  });

  test.each([
    ["json-patch+json", "x", "error decoding patch: invalid character 'x'"],
    ["merge-patch+json", "", "error decoding patch: unexpected end of JSON input"],
    ["merge-patch+json", "[]", "error decoding patch: json: cannot unmarshal array into an object"],
    ["strategic-merge-patch+json", "x", "invalid character 'x'"],
    ["strategic-merge-patch+json", "1", "json: cannot unmarshal number into an object"],
    ["apply-patch+yaml", "a: [", "error decoding YAML: error converting YAML to JSON: yaml: line 1: "],
    [
      "apply-patch+yaml",
      "- a",
      "error decoding YAML: error converting YAML to JSON: json: cannot unmarshal array",
    ],
  ])("refuses a %s with the body %j", async (kind, text, message) => {
    const error = await failure(patch(text, kind));
    expect(error.code).toBe(400);
    expect(error.message.slice(0, message.length)).toBe(message);
  });

  test("reports unknown and duplicate fields of JSON patches", async () => {
    const text =
      '[{"op":"add","op":"test","path":"/a","value":{"x":1}},{"op":"remove","path":"/b","extra":1}]';
    const { body: found } = await patch(text, "json-patch+json");
    expect(found.duplicates).toEqual([
      'json patch duplicate field "[0].op"',
      'json patch unknown field "[1].extra"',
    ]);
    const quiet = await patch(text, "json-patch+json", { ...configMap, fieldValidation: "Ignore" });
    expect(quiet.body.duplicates).toBeUndefined();
    expect((await patch("[1,null,[]]", "json-patch+json")).body).toEqual({ object: [1, null, []] });
  });

  test("reports duplicate keys of applied YAML", async () => {
    const text = "a: 1\na: 2";
    const strict = patch(text, "apply-patch+yaml", { ...configMap, fieldValidation: "Strict" });
    expect((await failure(strict)).message).toBe(
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key "a" already set in map',
    );
    expect((await patch(text, "apply-patch+yaml")).body).toEqual({
      object: { a: 2 },
      duplicates: ['line 2: key "a" already set in map'],
    });
  });
});

test("arbitrary bytes give a body or an ApiError", async () => {
  const formats = "json yaml vnd.kubernetes.protobuf json-patch+json merge-patch+json apply-patch+yaml x";
  const contentType = fc.option(
    fc.constantFrom(...formats.split(" ")).map((format) => `application/${format}`),
    { nil: undefined },
  );
  const validation = fc.constantFrom<FieldValidation>("Ignore", "Warn", "Strict");
  const sent = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.json().map((text) => Buffer.from(text)),
    fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
  );
  await fc.assert(
    fc.asyncProperty(
      sent,
      contentType,
      validation,
      fc.boolean(),
      async (bytes, type, fieldValidation, whole) => {
        try {
          await (whole ? decodeBody : decodePatch)(bytes, type, { ...configMap, fieldValidation });
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect([400, 413, 415]).toContain((error as ApiError).code);
        }
      },
    ),
    { numRuns: 1000 },
  );
});
