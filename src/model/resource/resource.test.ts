import { describe, expect, test } from "vitest";
import { z } from "zod";

import { customResourceDefinition } from "./custom-resource-definition.js";
import { DefinitionError } from "./convert/definition-error.js";
import { listMap, schema } from "./markers.js";
import { resource } from "./resource.js";
import { standardStatus } from "./standard-status.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.number().int().min(1).default(1) }),
  status: z.object({ published: z.number(), since: z.iso.datetime().optional() }),
  shortNames: ["st"],
  categories: ["all"],
  columns: [
    { name: "Pages", path: ".spec.pages" },
    { name: "Ready", path: '.status.conditions[?(@.type=="Ready")].status', description: "whether it is up" },
    { name: "Since", path: ".status.since", priority: 1 },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
  scale: { specReplicas: ".spec.pages", statusReplicas: ".status.published" },
  selectableFields: [".spec.title"],
  validations: [{ rule: "self.spec.pages < 100", message: "too many pages" }],
  description: "A web site",
});

const siteSchema = {
  type: "object",
  description: "A web site",
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec: {
      type: "object",
      properties: { title: { type: "string" }, pages: { type: "integer", minimum: 1, default: 1 } },
      required: ["title"],
    },
    status: {
      type: "object",
      properties: {
        ...standardStatus,
        published: { type: "number" },
        since: { type: "string", format: "date-time" },
      },
    },
  },
  required: ["spec"],
  "x-kubernetes-validations": [{ rule: "self.spec.pages < 100", message: "too many pages" }],
};

describe("resource", () => {
  test("returns a kind as plain data", () => {
    expect(JSON.parse(JSON.stringify({ ...Site, versions: [], columns: [] }))).toEqual({
      apiVersion: "demo.dev/v1",
      group: "demo.dev",
      version: "v1",
      kind: "Site",
      plural: "sites",
      singular: "site",
      listKind: "SiteList",
      scope: "Namespaced",
      shortNames: ["st"],
      categories: ["all"],
      description: "A web site",
      schema: siteSchema,
      subresources: {
        status: true,
        scale: { specReplicas: ".spec.pages", statusReplicas: ".status.published" },
      },
      columns: [],
      selectableFields: [".spec.title"],
      versions: [],
    });
    expect(Site.columns.map(({ type }) => type)).toEqual(["integer", "string", "date", "string", "date"]);
    expect(Site.versions).toEqual([expect.objectContaining({ name: "v1", served: true, storage: true })]);
    expect(Site.versions[0]?.schema).toBe(Site.schema);
  });

  test("a kind of the Kubernetes project needs its approval, which is part of the definition", () => {
    const approval = "https://github.com/kubernetes-sigs/gateway-api/pull/1";
    const Gateway = resource("gateway.networking.k8s.io/v1", "Gateway", { spec: z.object({}), approval });
    expect(customResourceDefinition(Gateway).metadata.annotations).toEqual({
      "api-approved.kubernetes.io": approval,
    });
  });

  test("adds Ready, Reason and Age to the columns, unless they are declared", () => {
    const columnsOf = (options: object): readonly string[] =>
      resource("demo.dev/v1", "Thing", { spec: z.object({ size: z.int() }), ...options }).columns.map(
        ({ name, priority = 0 }) => `${name}${priority === 0 ? "" : " (wide)"}`,
      );
    const size = { name: "Size", path: ".spec.size" };
    const status = z.object({});
    expect(columnsOf({ status })).toEqual(["Ready", "Reason", "Age"]);
    expect(columnsOf({ status, columns: [size] })).toEqual(["Size", "Ready", "Reason", "Age"]);
    const state = { name: "State", path: '.status.conditions[?(@.type=="Ready")].reason' };
    const age = { name: "AGE", path: ".metadata.creationTimestamp" };
    const ready = { name: "Ready", path: ".spec.size", priority: 1 };
    expect(columnsOf({ status, columns: [state, age] })).toEqual(["State", "Ready", "AGE"]);
    expect(columnsOf({ status, columns: [ready] })).toEqual(["Ready (wide)", "Reason", "Age"]);
    expect(columnsOf({ columns: [size] })).toEqual(["Size", "Age"]);
    // An API server shows the age of a kind without columns.
    expect(columnsOf({})).toEqual([]);
  });

  test("returns deeply frozen data", () => {
    for (const part of [
      Site,
      Site.schema,
      Site.schema.properties?.["spec"],
      Site.versions[0],
      Site.columns[0],
      Site.shortNames,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test("defaults a spec without required fields to an empty object", () => {
    const { schema } = resource("demo.dev/v1", "Site", { spec: z.object({ pages: z.int().default(1) }) });
    expect(schema.required).toBeUndefined();
    expect(schema.properties?.["spec"]?.default).toEqual({});
  });

  test("omits the status without a schema", () => {
    const { schema, subresources } = resource("demo.dev/v1", "Page", { spec: z.object({}) });
    expect(schema.properties?.["status"]).toBeUndefined();
    expect(subresources).toEqual({ status: false });
  });

  test("keeps conditions that the status declares", () => {
    const conditions = listMap(z.array(z.object({ type: z.string(), ok: z.boolean() })), ["type"]);
    const { schema } = resource("demo.dev/v1", "Page", {
      spec: z.object({}),
      status: z.object({ conditions }),
    });
    expect(schema.properties?.["status"]?.properties?.["conditions"]?.items?.required).toEqual([
      "type",
      "ok",
    ]);
  });

  const spec = z.object({
    title: z.string(),
    size: z.object({ width: z.int() }).optional(),
    tags: z.array(z.string()),
  });
  const status = z.object({ count: z.int() });
  type Options = Parameters<typeof resource>[2];

  test.each<[string, string, Partial<Options>, string, string, string]>([
    ["v1", "Site", {}, "apiVersion", "is in the core group", '"demo.dev/v1"'],
    ["/v1", "Site", {}, "apiVersion", "is in the core group", '"demo.dev/v1"'],
    ["demo.dev/", "Site", {}, "apiVersion", "is not a valid API version", '"demo.dev/v1"'],
    ["demo.dev/v1/x", "Site", {}, "apiVersion", "is not a valid API version", '"demo.dev/v1"'],
    ["demo/v1", "Site", {}, "apiVersion", "should be a domain with at least one dot", '"demo.dev/v1"'],
    ["Demo.dev/v1", "Site", {}, "apiVersion", "a lowercase RFC 1123 subdomain must", '"demo.dev/v1"'],
    [
      "apps.k8s.io/v1",
      "Site",
      {},
      "apiVersion",
      "reserved for the Kubernetes project",
      "a domain of your own",
    ],
    ["k8s.io/v1", "Site", {}, "apiVersion", "reserved", "a domain of your own"],
    ["x.kubernetes.io/v1", "Site", {}, "apiVersion", "reserved", "a domain of your own"],
    ["demo.dev/1", "Site", {}, "apiVersion", "a DNS-1035 label must", '"v1beta1"'],
    ["demo.dev/v1", "site", {}, "kind", '"site" is not a valid kind', "CamelCase"],
    ["demo.dev/v1", `K${"k".repeat(61)}`, {}, "listKind", "is not a valid kind", "at most 63"],
    ["demo.dev/v1", "My-Site", {}, "kind", "is not a valid kind", "CamelCase"],
    ["demo.dev/v1", "Site", { plural: "Sites" }, "plural", "a DNS-1035 label must", "lower case"],
    [
      "demo.dev/v1",
      "Site",
      { singular: "1site" },
      "singular",
      "a DNS-1035 label must",
      "starting with a letter",
    ],
    [
      "demo.dev/v1",
      "Site",
      { listKind: "Site" },
      "listKind",
      "kind and listKind may not be the same",
      '"SiteList"',
    ],
    [
      "demo.dev/v1",
      "Site",
      { shortNames: ["s", "s"] },
      "shortNames[1]",
      '"s" is a name of the kind already',
      "remove it",
    ],
    [
      "demo.dev/v1",
      "Site",
      { shortNames: ["sites"] },
      "shortNames[0]",
      '"sites" is a name of the kind already',
      "remove it",
    ],
    ["demo.dev/v1", "Site", { categories: ["All"] }, "categories[0]", "a DNS-1035 label must", "lower case"],
    [
      "demo.dev/v1",
      "Site",
      { scope: JSON.parse('"Global"') },
      "scope",
      '"Global" is not a valid scope',
      '"Cluster"',
    ],
    ["demo.dev/v1", "Site", { spec: z.string() }, "spec", "the spec must be an object", "z.object"],
    [
      "demo.dev/v1",
      "Site",
      { spec: spec.optional() },
      "spec",
      "cannot be optional",
      "make its fields optional",
    ],
    [
      "demo.dev/v1",
      "Site",
      { spec: spec.nullable() },
      "spec",
      "cannot be optional or nullable",
      "make its fields",
    ],
    [
      "demo.dev/v1",
      "Site",
      {
        status: z.discriminatedUnion("a", [
          z.object({ a: z.literal("x"), b: z.int() }),
          z.object({ a: z.literal("y") }),
        ]),
      },
      "status",
      "cannot be a union",
      "into a field",
    ],
    [
      "demo.dev/v1",
      "Site",
      { columns: [{ name: "A", path: "spec.title" }] },
      "columns[0].path",
      "not a simple JSON path",
      ".spec.pages",
    ],
    [
      "demo.dev/v1",
      "Site",
      { columns: [{ name: "A", path: ".spec.titel" }] },
      "columns[0].path",
      "is not a field of the schema",
      "spelling",
    ],
    [
      "demo.dev/v1",
      "Site",
      { columns: [{ name: "A", path: ".spec.title", type: JSON.parse('"int"') }] },
      "columns[0].type",
      "not a column type",
      "integer, number",
    ],
    [
      "demo.dev/v1",
      "Site",
      {
        columns: [
          { name: "A", path: ".spec.title" },
          { name: "A", path: ".spec.tags" },
        ],
      },
      "columns[1].name",
      "two columns",
      "rename",
    ],
    [
      "demo.dev/v1",
      "Site",
      { scale: { specReplicas: ".spec.title", statusReplicas: ".status.count" } },
      "scale.specReplicas",
      "not a field of type integer or number",
      "a field of this type",
    ],
    [
      "demo.dev/v1",
      "Site",
      { scale: { specReplicas: ".status.count", statusReplicas: ".status.count" } },
      "scale.specReplicas",
      "must be a path under .spec",
      "use such a path",
    ],
    [
      "demo.dev/v1",
      "Site",
      { selectableFields: [".spec.tags"] },
      "selectableFields[0]",
      "of type string, boolean or integer",
      "another field",
    ],
    [
      "demo.dev/v1",
      "Site",
      { selectableFields: [".metadata.name"] },
      "selectableFields[0]",
      "must not point to fields in metadata",
      "always",
    ],
    [
      "demo.dev/v1",
      "Site",
      { selectableFields: [".spec.title", ".spec.title"] },
      "selectableFields[1]",
      "listed twice",
      "remove the duplicate",
    ],
    [
      "demo.dev/v1",
      "Site",
      { selectableFields: Array.from({ length: 9 }, () => ".spec.title") },
      "selectableFields",
      "Kubernetes allows 8",
      "labels",
    ],
    [
      "demo.dev/v1",
      "Site",
      { validations: [{ rule: "" }] },
      "x-kubernetes-validations[0].rule",
      "Required value: rule is not specified",
      "the rule there",
    ],
    [
      "demo.dev/v1",
      "Site",
      { validations: [{ rule: "self.spec.none == 1" }] },
      "x-kubernetes-validations[0].rule",
      "undefined field 'none'",
      "change the rule",
    ],
  ])("rejects %s %s %j", (apiVersion, kind, options, path, message, fix) => {
    const define = (): unknown => resource(apiVersion, kind, { spec, status, ...options });
    const refusal = {
      path,
      message: expect.stringContaining(message),
      fix: expect.stringContaining(fix),
    };
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(expect.objectContaining(refusal));
  });
});

describe("customResourceDefinition", () => {
  test("creates the definition that an API server accepts", () => {
    const expected = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "sites.demo.dev" },
      spec: {
        group: "demo.dev",
        names: {
          kind: "Site",
          listKind: "SiteList",
          plural: "sites",
          singular: "site",
          shortNames: ["st"],
          categories: ["all"],
        },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: siteSchema },
            subresources: {
              status: {},
              scale: { specReplicasPath: ".spec.pages", statusReplicasPath: ".status.published" },
            },
            additionalPrinterColumns: [
              { name: "Pages", type: "integer", jsonPath: ".spec.pages" },
              {
                name: "Ready",
                type: "string",
                jsonPath: '.status.conditions[?(@.type=="Ready")].status',
                description: "whether it is up",
              },
              { name: "Since", type: "date", jsonPath: ".status.since", priority: 1 },
              {
                name: "Reason",
                type: "string",
                jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
                description: "Why the object is ready or not.",
              },
              { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
            ],
            selectableFields: [{ jsonPath: ".spec.title" }],
          },
        ],
      },
    };
    expect(customResourceDefinition(Site)).toStrictEqual(expected);
  });

  test("omits empty parts", () => {
    const Page = resource("demo.dev/v1", "Page", { spec: z.object({}), scope: "Cluster" });
    const { spec } = customResourceDefinition(Page);
    expect(Object.keys(spec.names)).toEqual(["kind", "listKind", "plural", "singular"]);
    expect(Object.keys(spec.versions[0] ?? {})).toEqual(["name", "served", "storage", "schema"]);
    expect(spec.scope).toBe("Cluster");
  });
});

test("a duration is text with a pattern, whose default is written out", () => {
  const Task = resource("demo.dev/v1", "Task", {
    spec: z.object({ grace: schema.duration().default("10s") }),
  });
  const { grace } = Task.schema.properties?.["spec"]?.properties ?? {};
  expect(grace).toMatchObject({ type: "string", default: "10s" });
  const pattern = new RegExp(grace?.pattern ?? "");
  expect(["90s", "1h30m", "250ms", "1.5s", "2d"].filter((text) => !pattern.test(text))).toEqual([]);
  expect(["", "90", "5 minutes", "-1s", "1x"].filter((text) => pattern.test(text))).toEqual([]);
});
