import { createHash } from "node:crypto";
import { resourceType, typedCapabilities } from "../resources/fixtures/resource-type.js";
import { describe, expect, it } from "vitest";
import type { StructuralSchema } from "../../model/core.js";
import { parseIdl } from "../kinds/idl/parse-idl.js";
import { structSchema } from "../kinds/schema/build-schema.js";
import type { ResourceType, Verb } from "../resources/resource-type.js";
import { complete } from "./fixtures/complete.js";
import { openApiV2 } from "./openapi-v2.js";
import { openApiV3, openApiV3Index } from "./openapi-v3.js";

const verbs: Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

function type(values: Parameters<typeof resourceType>[0]): ResourceType {
  return resourceType({ verbs, ...values });
}

const intOrString: StructuralSchema[] = [{ type: "integer" }, { type: "string" }];

/** Schema whose publication was compared with Kubernetes 1.33: the expectations below are its results. */
const widgetSchema: StructuralSchema = {
  description: "A widget.",
  type: "object",
  required: ["spec"],
  properties: {
    metadata: { type: "object", properties: { name: { type: "string", maxLength: 20 } } },
    spec: {
      type: "object",
      required: ["size", "maybe"],
      oneOf: [{ required: ["size"] }, { required: ["color"] }],
      properties: {
        size: { type: "integer", minimum: 1, exclusiveMinimum: false, example: 4, default: 3 },
        maybe: { type: "object", nullable: true, properties: { a: { type: "string" } } },
        names: { type: "array", nullable: true, items: { type: "string" } },
        port: { "x-kubernetes-int-or-string": true },
        anyPort: { "x-kubernetes-int-or-string": true, anyOf: intOrString, pattern: "^a" },
        somePort: { "x-kubernetes-int-or-string": true, anyOf: [{ minimum: 3 }, { pattern: "x" }] },
        labels: { type: "object", required: ["x"], additionalProperties: { type: "string", nullable: true } },
        any: { type: "object", additionalProperties: true },
        open: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { q: { type: "string" } },
        },
        openList: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: { type: "string" } },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object" } },
        },
        openTemplate: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        ["__proto__"]: { type: "string" },
      },
    },
  },
};

const widgets = type({
  kind: "Widget",
  plural: "widgets",
  group: "demo.dev",
  schema: JSON.parse(JSON.stringify(widgetSchema)) as StructuralSchema,
  subresources: {
    status: true,
    scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
  },
  selectableFields: new Map([["spec.color", () => ""]]),
});

const boxStruct = parseIdl([
  "group meta/v1 io.k8s.apimachinery.pkg.apis.meta.v1\ntype ObjectMeta\n  name 1 string",
  `group core/v1 io.k8s.api.core.v1
alias Color string in(blue,red)
kind Box                          # A box.
  metadata 1 ObjectMeta
  first    2 Part
  second   3 Part?
  parts    4 [Part] map(name) merge(name)
  tree     5 Tree!
  port     6 intOrString?
  opened   7 time
  color    8 Color
  labels   9 {string}
  size    10 int32? =3
  pool    11 string =rbd published
  weight  12 quantity
  data    13 any
type Part atomic                  # A part.
  name     1 string!
type Tree                         # A part of parts.
  children 1 [Tree]
  origin   2 Part granular
`,
]).find(({ name }) => name === "Box");
if (boxStruct === undefined) throw new Error("there is no Box");
const boxes = type({
  kind: "Box",
  plural: "boxes",
  namespaced: false,
  capabilities: typedCapabilities,
  schema: structSchema(boxStruct),
});

const types = [widgets, boxes];
const metaV1 = "io.k8s.apimachinery.pkg.apis.meta.v1";

// oxlint-disable-next-line typescript/no-explicit-any -- documents are looked at, not used
type Loose = any;

const parse = (body: readonly Buffer[] = [Buffer.from("null")]): Loose =>
  JSON.parse(Buffer.concat(body).toString());

function v3(group: string, version = "v1", of: readonly ResourceType[] = types): Loose {
  return parse(complete(openApiV3(of, group, version))?.body);
}

function v2(of: readonly ResourceType[] = types): Loose {
  return parse(complete(openApiV2(of)).body);
}

function refsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" ? [inner as string] : refsIn(inner),
  );
}

function resolve(document: Loose, ref: string): unknown {
  const steps = ref.replace(/^#\//, "").split("/");
  return steps.reduce((value: Loose, step) => value?.[step] as unknown, document);
}

it.each([
  ["v2", openApiV2],
  ["v3", (of: readonly ResourceType[]) => openApiV3(of, "demo.dev", "v1")],
])("the %s document of many kinds is made and sent in chunks", (_, make) => {
  const many = Array.from({ length: 100 }, (__, index) =>
    type({ kind: `Kind${index}`, plural: `kind${index}s`, group: "demo.dev", schema: widgets.schema }),
  );
  const steps = make(many);
  let pauses = 0;
  let made = steps.next();
  for (; !made.done; made = steps.next()) pauses++;
  const { body = [], hash } = made.value ?? {};
  expect(pauses).toBeGreaterThanOrEqual(body.length - 1);
  expect(body.length).toBeGreaterThan(10);
  expect(Math.max(...body.map(({ length }) => length))).toBeLessThan(128 * 1024);
  expect(Object.keys(parse(body).paths).length).toBeGreaterThan(100);
  expect(hash).toBe(createHash("sha256").update(Buffer.concat(body)).digest("hex").toUpperCase());
});

describe("the index of OpenAPI v3", () => {
  it("lists the URL of every document with its hash", () => {
    const { paths } = JSON.parse(complete(openApiV3Index(types)).body);
    expect(paths).toEqual({
      "api/v1": {
        serverRelativeURL: `/openapi/v3/api/v1?hash=${complete(openApiV3(types, "", "v1"))?.hash}`,
      },
      "apis/demo.dev/v1": {
        serverRelativeURL: `/openapi/v3/apis/demo.dev/v1?hash=${complete(openApiV3(types, "demo.dev", "v1"))?.hash}`,
      },
    });
  });

  it("changes the hash of a changed document only", () => {
    const changed = [{ ...widgets, schema: { type: "object" as const } }, boxes];
    const before = JSON.parse(complete(openApiV3Index(types)).body).paths;
    const after = JSON.parse(complete(openApiV3Index(changed)).body).paths;
    expect(after["api/v1"]).toEqual(before["api/v1"]);
    expect(after["apis/demo.dev/v1"]).not.toEqual(before["apis/demo.dev/v1"]);
    const second = type({ kind: "Aa", plural: "aas", group: "demo.dev" });
    const more = JSON.parse(complete(openApiV3Index([...types, second])).body).paths;
    expect(more["apis/demo.dev/v1"]).not.toEqual(before["apis/demo.dev/v1"]);
  });

  it("has no document for a group version without kinds", () => {
    expect(JSON.parse(complete(openApiV3Index([])).body)).toEqual({ paths: {} });
    expect(complete(openApiV3(types, "demo.dev", "v2"))).toBeUndefined();
    expect(complete(openApiV3([], "", "v1"))).toBeUndefined();
  });
});

describe("schemas in OpenAPI v3", () => {
  const widget = v3("demo.dev").components.schemas["dev.demo.v1.Widget"];
  const { spec, metadata, ...fields } = widget.properties;

  it("are named by the reversed group and carry their group, version and kind", () => {
    expect(widget).toMatchObject({
      description: "A widget.",
      "x-kubernetes-group-version-kind": [{ group: "demo.dev", kind: "Widget", version: "v1" }],
      "x-kubernetes-selectable-fields": [{ fieldPath: "spec.color" }],
      required: ["spec"],
    });
    expect(Object.keys(fields).sort()).toEqual(["apiVersion", "kind"]);
    expect(metadata.allOf).toEqual([{ $ref: `#/components/schemas/${metaV1}.ObjectMeta` }]);
  });

  it("keep all keywords of v3", () => {
    expect(spec.oneOf).toEqual([{ required: ["size"] }, { required: ["color"] }]);
    expect(spec.required).toEqual(["size", "maybe"]);
    expect(spec.properties).toMatchObject({
      maybe: { type: "object", nullable: true, properties: { a: { type: "string" } } },
      open: { type: "object", properties: { q: {} } },
      any: { additionalProperties: true },
    });
  });

  it("omit keywords that apiextensions does not publish", () => {
    expect(spec.properties.size).toEqual({ type: "integer", minimum: 1, default: 3 });
  });

  it("expand int-or-string unless the schema does so itself", () => {
    const { port, anyPort, somePort } = spec.properties;
    expect(port).toEqual({ "x-kubernetes-int-or-string": true, anyOf: intOrString });
    expect(anyPort).toEqual({ "x-kubernetes-int-or-string": true, anyOf: intOrString, pattern: "^a" });
    expect(somePort.allOf).toEqual([{ anyOf: intOrString }]);
    expect(somePort.anyOf).toEqual([{ minimum: 3 }, { pattern: "x" }]);
  });

  it("add apiVersion, kind and metadata to embedded resources", () => {
    for (const template of [spec.properties.template, spec.properties.openTemplate]) {
      expect(template.required).toEqual(["kind", "apiVersion"]);
      expect(template.properties.metadata.allOf).toEqual(metadata.allOf);
    }
  });

  it("accept properties named like prototypes", () => {
    expect(Object.getOwnPropertyNames(spec.properties)).toContain("__proto__");
  });

  it("have lists", () => {
    const { schemas } = v3("demo.dev").components;
    expect(schemas["dev.demo.v1.WidgetList"]).toMatchObject({
      required: ["items"],
      properties: {
        items: { type: "array", items: { $ref: "#/components/schemas/dev.demo.v1.Widget" } },
        metadata: { allOf: [{ $ref: `#/components/schemas/${metaV1}.ListMeta` }] },
      },
      "x-kubernetes-group-version-kind": [{ group: "demo.dev", kind: "WidgetList", version: "v1" }],
    });
  });

  it("of built-in kinds refer to named types, and carry Go's zero values as defaults", () => {
    const { schemas } = v3("").components;
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const part = ref("io.k8s.api.core.v1.Part");
    expect(schemas["io.k8s.api.core.v1.Box"]).toEqual({
      description: "A box.",
      type: "object",
      required: ["tree"],
      properties: {
        apiVersion: expect.objectContaining({ type: "string" }),
        kind: expect.objectContaining({ type: "string" }),
        metadata: { default: {}, allOf: [ref(`${metaV1}.ObjectMeta`)] },
        first: { default: {}, allOf: [part] },
        second: part,
        parts: {
          type: "array",
          items: { default: {}, allOf: [part] },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          "x-kubernetes-patch-strategy": "merge",
          "x-kubernetes-patch-merge-key": "name",
        },
        tree: { default: {}, allOf: [ref("io.k8s.api.core.v1.Tree")] },
        port: ref("io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
        opened: ref(`${metaV1}.Time`),
        color: { type: "string", enum: ["blue", "red"] },
        labels: { type: "object", additionalProperties: { type: "string", default: "" } },
        size: { type: "integer", format: "int32" },
        pool: { type: "string", default: "rbd" },
        weight: ref("io.k8s.apimachinery.pkg.api.resource.Quantity"),
        data: ref("io.k8s.apimachinery.pkg.runtime.RawExtension"),
      },
      "x-kubernetes-group-version-kind": [{ group: "", kind: "Box", version: "v1" }],
    });
    expect(schemas["io.k8s.api.core.v1.Part"]).toEqual({
      description: "A part.",
      type: "object",
      required: ["name"],
      properties: { name: { type: "string", default: "" } },
      "x-kubernetes-map-type": "atomic",
    });
    expect(schemas["io.k8s.api.core.v1.Tree"].properties).toMatchObject({
      children: { items: { allOf: [ref("io.k8s.api.core.v1.Tree")] } },
      origin: { "x-kubernetes-map-type": "granular", allOf: [part] },
    });
    expect(schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    });
    expect(schemas["io.k8s.api.core.v1.BoxList"].properties.items.items).toEqual({
      default: {},
      allOf: [ref("io.k8s.api.core.v1.Box")],
    });
    expect(schemas["io.k8s.api.core.v1.BoxList"]).not.toHaveProperty("x-kubernetes-selectable-fields");
  });

  it("have the same shared types in all documents", () => {
    const name = `${metaV1}.Status`;
    expect(v3("").components.schemas[name]).toEqual(v3("demo.dev").components.schemas[name]);
    expect(
      v3("demo.dev").components.schemas[`${metaV1}.ObjectMeta`].properties.ownerReferences,
    ).toMatchObject({
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "uid",
    });
  });
});

describe("operations in OpenAPI v3", () => {
  const { paths } = v3("demo.dev");
  const root = "/apis/demo.dev/v1";

  it("are published at the paths that are served", () => {
    const methodsOf = (item: object) => Object.keys(item).filter((key) => key !== "parameters");
    const served = Object.entries<object>(paths).map(([path, item]) => [path, methodsOf(item).join(" ")]);
    expect(Object.fromEntries(served)).toEqual({
      [`${root}/widgets`]: "get",
      [`${root}/namespaces/{namespace}/widgets`]: "get post delete",
      [`${root}/namespaces/{namespace}/widgets/{name}`]: "get put patch delete",
      [`${root}/namespaces/{namespace}/widgets/{name}/scale`]: "get put patch",
      [`${root}/namespaces/{namespace}/widgets/{name}/status`]: "get put patch",
    });
    expect(Object.keys(v3("").paths)).toEqual(["/api/v1/boxes", "/api/v1/boxes/{name}"]);
  });

  it("are omitted for verbs that the kind lacks", () => {
    const readOnly = { ...boxes, verbs: ["get" as const] };
    const { paths } = v3("", "v1", [readOnly]);
    expect(Object.keys(paths)).toEqual(["/api/v1/boxes/{name}"]);
    expect(paths["/api/v1/boxes/{name}"]).not.toHaveProperty("patch");
  });

  it("have Kubernetes' operation ids", () => {
    const ids = (document: Loose) =>
      Object.values<Loose>(document.paths)
        .flatMap((item) => Object.values<Loose>(item))
        .flatMap(({ operationId }): string[] => operationId ?? [])
        .sort();
    expect(ids(v3("demo.dev"))).toEqual([
      "createDemoDevV1NamespacedWidget",
      "deleteDemoDevV1CollectionNamespacedWidget",
      "deleteDemoDevV1NamespacedWidget",
      "listDemoDevV1NamespacedWidget",
      "listDemoDevV1WidgetForAllNamespaces",
      "patchDemoDevV1NamespacedWidget",
      "patchDemoDevV1NamespacedWidgetScale",
      "patchDemoDevV1NamespacedWidgetStatus",
      "readDemoDevV1NamespacedWidget",
      "readDemoDevV1NamespacedWidgetScale",
      "readDemoDevV1NamespacedWidgetStatus",
      "replaceDemoDevV1NamespacedWidget",
      "replaceDemoDevV1NamespacedWidgetScale",
      "replaceDemoDevV1NamespacedWidgetStatus",
    ]);
    expect(ids(v3(""))).toContain("listCoreV1Box");
    expect(paths[`${root}/widgets`].get.tags).toEqual(["demoDev_v1"]);
  });

  it("list the media types and parameters of patches for kubectl", () => {
    const { patch } = paths[`${root}/namespaces/{namespace}/widgets/{name}`];
    expect(patch).toMatchObject({
      "x-kubernetes-action": "patch",
      "x-kubernetes-group-version-kind": { group: "demo.dev", kind: "Widget", version: "v1" },
    });
    expect(patch.parameters.map(({ name }: Loose) => name)).toEqual([
      "dryRun",
      "fieldManager",
      "fieldValidation",
      "force",
    ]);
    const mediaTypes = ["application/json-patch+json", "application/merge-patch+json"];
    expect(Object.keys(patch.requestBody.content)).toEqual([...mediaTypes, "application/apply-patch+yaml"]);
    expect(Object.keys(v3("").paths["/api/v1/boxes/{name}"].patch.requestBody.content)).toEqual([
      ...mediaTypes,
      "application/strategic-merge-patch+json",
      "application/apply-patch+yaml",
    ]);
  });

  it("have Scale as the body of the scale subresource", () => {
    const { put } = paths[`${root}/namespaces/{namespace}/widgets/{name}/scale`];
    const scale = { schema: { $ref: "#/components/schemas/io.k8s.api.autoscaling.v1.Scale" } };
    expect(put.requestBody.content["application/json"]).toEqual(scale);
    expect(put.responses["200"].content["application/yaml"]).toEqual(scale);
  });
});

describe("schemas in OpenAPI v2", () => {
  const { definitions } = v2();
  const { spec, metadata } = definitions["dev.demo.v1.Widget"].properties;

  it("drop keywords that v2 cannot express", () => {
    expect(spec).not.toHaveProperty("oneOf");
    expect(spec.required).toEqual(["size"]);
    expect(spec.properties).toMatchObject({ size: { type: "integer", minimum: 1, default: 3 } });
    const { maybe, names, port, somePort, labels, open, openList, openTemplate } = spec.properties;
    expect({ maybe, names, port, somePort, labels, open, openList, openTemplate }).toEqual({
      maybe: {},
      names: {},
      port: { "x-kubernetes-int-or-string": true },
      somePort: { "x-kubernetes-int-or-string": true },
      labels: { type: "object", additionalProperties: {} },
      open: { "x-kubernetes-preserve-unknown-fields": true },
      openList: { "x-kubernetes-preserve-unknown-fields": true },
      openTemplate: {
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
    });
  });

  it("have references with siblings", () => {
    expect(metadata).toMatchObject({ $ref: `#/definitions/${metaV1}.ObjectMeta` });
    const { properties } = definitions["io.k8s.api.core.v1.Box"];
    expect(properties).toMatchObject({
      first: { $ref: "#/definitions/io.k8s.api.core.v1.Part" },
      parts: {
        items: { $ref: "#/definitions/io.k8s.api.core.v1.Part" },
        "x-kubernetes-patch-strategy": "merge",
      },
    });
    expect(properties.pool).toEqual({ type: "string" });
    expect(definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({
      type: "string",
      format: "int-or-string",
    });
    expect(definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"]).toMatchObject({ type: "string" });
  });

  it("omit the fields of a kind that preserves unknown fields", () => {
    const open = type({
      kind: "Open",
      plural: "opens",
      group: "demo.dev",
      schema: {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { spec: { type: "object" } },
      },
    });
    expect(v2([open]).definitions["dev.demo.v1.Open"]).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "demo.dev", kind: "Open", version: "v1" }],
    });
    const published = v3("demo.dev", "v1", [open]).components.schemas["dev.demo.v1.Open"];
    expect(published.properties).toHaveProperty("spec");
  });
});

describe("operations in OpenAPI v2", () => {
  it("consume, produce and share their parameters", () => {
    const { paths, parameters } = v2();
    const { patch } = paths["/api/v1/boxes/{name}"];
    expect(patch.consumes).toContain("application/strategic-merge-patch+json");
    expect(patch.produces).toEqual(["application/json", "application/yaml"]);
    expect(patch.parameters).toContainEqual({ $ref: "#/parameters/fieldValidation" });
    expect(patch.parameters[0]).toMatchObject({ name: "body", in: "body", required: true });
    expect(parameters.fieldValidation).toMatchObject({ in: "query", type: "string" });
  });
});

describe("references", () => {
  it.each([
    ["v3 of the core group", v3("")],
    ["v3 of a custom group", v3("demo.dev")],
    ["v2", v2()],
    ["v2 of nothing", v2([])],
  ])("all resolve in %s", (_, document) => {
    for (const ref of new Set(refsIn(document))) expect(resolve(document, ref), ref).toBeTypeOf("object");
  });
});
