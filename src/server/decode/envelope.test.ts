import { definedCapabilities, typedCapabilities } from "../resources/fixtures/resource-type.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError, type Json } from "../../model/core.js";
import { type Address, checkEnvelope, type EnvelopeType } from "./envelope.js";

const widget: EnvelopeType = {
  group: "demo.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
  capabilities: definedCapabilities,
};
const configMap: EnvelopeType = {
  ...widget,
  group: "",
  kind: "ConfigMap",
  plural: "configmaps",
  capabilities: typedCapabilities,
};
const namespace: EnvelopeType = { ...configMap, kind: "Namespace", plural: "namespaces", namespaced: false };

function failure(type: EnvelopeType, body: Json, address: Address = {}): ApiError {
  try {
    checkEnvelope(type, body, address);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const message = (type: EnvelopeType, body: Json, address?: Address): string =>
  failure(type, body, address).message;
const envelope = { apiVersion: "demo.dev/v1", kind: "Widget" };

describe("kind and version", () => {
  test("built-in kinds may omit apiVersion and kind", () => {
    const bodies: Json[] = [{}, { kind: "ConfigMap" }, { apiVersion: "v1" }, { apiVersion: "", kind: null }];
    for (const body of bodies) {
      expect(checkEnvelope(configMap, body, { namespace: "n" })).toEqual({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { namespace: "n" },
      });
    }
  });

  test("custom kinds must have apiVersion and kind", () => {
    expect(message(widget, { a: 1 })).toBe(
      `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"a":1}' ({"a":1})`,
    );
    expect(message(widget, { kind: "Widget" })).toBe(
      "the API version in the data () does not match the expected API version (demo.dev/v1)",
    );
    expect(message(widget, { a: "x".repeat(10_000) })).toMatch(/x{994} \.\.\.' \(\{"a":"x{24} \.\.\.\)$/);
  });

  test.each<[EnvelopeType, string, string, string]>([
    [
      widget,
      "demo.dev/v2",
      "Widget",
      "the API version in the data (demo.dev/v2) does not match the expected API version (demo.dev/v1)",
    ],
    [
      configMap,
      "apps/v1",
      "ConfigMap",
      "the API version in the data (apps/v1) does not match the expected API version (v1)",
    ],
    [
      configMap,
      "v1",
      "Secret",
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (v1.ConfigMap): unknown conversion',
    ],
    [
      configMap,
      "a/b/c",
      "ConfigMap",
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected GroupVersion string: a/b/c',
    ],
  ])("%o as %s %s", (type, apiVersion, kind, expected) => {
    expect(message(type, { apiVersion, kind })).toBe(expected);
  });

  test("returns 422 for a custom object of another kind", () => {
    const error = failure(widget, { ...envelope, kind: "Gadget", metadata: { name: "g" } });
    expect(error.status).toMatchObject({
      code: 422,
      message: 'Gadget.demo.dev "g" is invalid: kind: Invalid value: "Gadget": must be Widget',
      details: { group: "demo.dev", kind: "Gadget", name: "g" },
    });
  });

  test.each<[Json, string]>([
    [{ kind: 1 }, "json: cannot unmarshal number into Go struct field .kind of type string"],
    [{ apiVersion: [] }, "json: cannot unmarshal array into Go struct field .apiVersion of type string"],
    [
      { metadata: "x" },
      "json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
    ],
    [
      { metadata: [] },
      "json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
    ],
    [
      { metadata: { name: true } },
      "json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.name of type string",
    ],
    [
      { metadata: { namespace: {} } },
      "json: cannot unmarshal object into Go struct field ObjectMeta.metadata.namespace of type string",
    ],
  ])("%j", (body, expected) => {
    expect(message(configMap, body)).toBe(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${expected}`,
    );
  });

  test.each<[Json]>([[null], [[]], ["x"], [1]])("refuses %j, which is not an object", (body) => {
    expect(message(widget, body)).toMatch(/^the object provided is unrecognized \(must be of type Widget\)/);
  });
});

describe("name and namespace", () => {
  test("the name must match the URL, if that has one", () => {
    expect(message(widget, { ...envelope, metadata: { name: "a" } }, { name: "b" })).toBe(
      "the name of the object (a) does not match the name on the URL (b)",
    );
    expect(message(widget, envelope, { name: "b" })).toBe(
      "the name of the object (b based on URL) was undeterminable: name must be provided",
    );
    expect(checkEnvelope(widget, { ...envelope, metadata: { name: "b" } }, { name: "b" }).metadata).toEqual({
      name: "b",
    });
  });

  test("the namespace must match the URL, and defaults to it", () => {
    const body = { ...envelope, metadata: { namespace: "a" } };
    expect(message(widget, body, { namespace: "b" })).toBe(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
    expect(checkEnvelope(widget, envelope, { namespace: "b" }).metadata).toEqual({ namespace: "b" });
    expect(checkEnvelope(widget, body, { namespace: "a" }).metadata).toEqual({ namespace: "a" });
  });

  test("removes the namespace of cluster-scoped objects", () => {
    const body = { metadata: { name: "n", namespace: "x" } };
    expect(checkEnvelope(namespace, body, { name: "n", namespace: "n" }).metadata).toEqual({ name: "n" });
  });
});

test("leaves the body unchanged and keeps all other fields", () => {
  const body = Object.freeze({ spec: { a: 1 }, metadata: Object.freeze({ labels: {} }), kind: "ConfigMap" });
  const draft = checkEnvelope(configMap, body, { namespace: "n" });
  expect(Object.keys(draft)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
  expect(draft["spec"]).toBe(body.spec);
  draft.metadata["name"] = "changed";
  expect(body.metadata).toEqual({ labels: {} });
});

test("arbitrary JSON gives a draft or an ApiError", () => {
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom("Widget", "demo.dev/v1"));
  const object = fc.record(
    { apiVersion: field, kind: field, metadata: field, __proto__: field },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.oneof(object, fc.jsonValue()),
      fc.constantFrom(widget, configMap, namespace),
      (body, type) => {
        try {
          const draft = checkEnvelope(type, body as Json, { name: "a", namespace: "b" });
          expect(draft.kind).toBe(type.kind);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect([400, 422]).toContain((error as ApiError).code);
        }
      },
    ),
  );
});
