import { definedCapabilities } from "../resources/fixtures/resource-type.js";
import { describe, expect, test } from "vitest";
import { statusOf, type StructuralSchema, VirtualClock } from "../../model/core.js";
import { objectProperties } from "../kinds/schema/build-schema.js";
import type { Draft } from "../resources/resource-type.js";
import type { Definition, DefinitionVersion } from "./definition.js";
import { nextStatus } from "./names.js";
import { resourceTypesOf } from "./resource-types-of.js";

const schema: StructuralSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", default: 1 },
        color: { type: "string", enum: ["red", "blue"] },
        deep: { type: "object", properties: { on: { type: "boolean" } } },
      },
    },
    status: { type: "object", properties: { size: { type: "integer" } } },
  },
};
const v1: DefinitionVersion = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
};

function widgets(versions: readonly DefinitionVersion[] = [v1], scope = "Namespaced"): Definition {
  const names = {
    plural: "widgets",
    singular: "widget",
    kind: "Widget",
    listKind: "WidgetList",
    shortNames: ["wg"],
  };
  const definition: Definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.demo.dev" },
    spec: { group: "demo.dev", names, scope, versions },
    status: { storedVersions: ["v1"] },
  };
  return { ...definition, status: nextStatus(definition, [], new VirtualClock()) };
}

function widget(parts: object = {}): Draft {
  return { apiVersion: "demo.dev/v1", kind: "Widget", metadata: { name: "a" }, ...parts };
}

function only(definition: Definition) {
  const [type] = resourceTypesOf(definition, { schemaRevision: 7 });
  if (!type) throw new Error("nothing is served");
  return type;
}

test("a version is served with the names and options of its definition", () => {
  const type = only(widgets());
  expect(type).toMatchObject({
    group: "demo.dev",
    version: "v1",
    kind: "Widget",
    listKind: "WidgetList",
    plural: "widgets",
    singular: "widget",
    shortNames: ["wg"],
    categories: [],
    namespaced: true,
    verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
    capabilities: definedCapabilities,
    storage: { prefix: "/demo.dev/widgets/", apiVersion: "demo.dev/v1", kind: "Widget", schemaRevision: 7 },
    subresources: {},
    strategy: { generation: true, allowUnconditionalUpdate: false, allowCreateOnUpdate: false },
  });
  expect(type.storage.conversion).toBeUndefined();
  expect(type.columns.map(({ name }) => name)).toEqual(["Name", "Age"]);
  expect(type.columns).toBe(type.columns);
  expect(only(widgets([v1], "Cluster")).namespaced).toBe(false);
});

test("its schema is that of the definition with apiVersion, kind and metadata", () => {
  const type = only(widgets());
  expect(type.schema).toBe(type.schema);
  expect(type.schema.properties?.["spec"]).toBe(schema.properties?.["spec"]);
  expect(type.schema.properties?.["metadata"]).toBe(objectProperties().metadata);
  expect(Object.keys(type.schema.properties ?? {})).toEqual([
    "spec",
    "status",
    "apiVersion",
    "kind",
    "metadata",
  ]);
});

test("its rules prune, default and validate", () => {
  const { rules } = only(widgets());
  const object = widget({ spec: { color: "green", other: 1 }, more: 2 });
  expect(rules.prune(object)).toEqual(["more", "spec.other"]);
  rules.applyDefaults(object);
  expect(object["spec"]).toEqual({ color: "green", size: 1 });
  expect(rules.validate(object).map(({ field }) => field)).toEqual(["spec.color"]);
});

test("nothing is served before a definition is established", () => {
  const definition = widgets();
  const conditions = definition.status?.conditions?.filter(({ type }) => type !== "Established");
  expect(
    resourceTypesOf({ ...definition, status: { ...definition.status, conditions } }, { schemaRevision: 0 }),
  ).toEqual([]);
  expect(resourceTypesOf({ ...definition, status: undefined }, { schemaRevision: 0 })).toEqual([]);
  expect(resourceTypesOf(widgets([{ ...v1, storage: false }]), { schemaRevision: 0 })).toEqual([]);
});

test("accepted names are used, not requested ones", () => {
  const definition = widgets();
  const names = { ...definition.spec.names, shortNames: ["taken"], listKind: "Others" };
  const changed = { ...definition, spec: { ...definition.spec, names } };
  expect(only(changed)).toMatchObject({ shortNames: ["wg"], listKind: "WidgetList" });
});

test("a terminating kind rejects new objects", () => {
  const definition = widgets();
  const terminating = {
    type: "Terminating",
    status: "True",
    reason: "",
    message: "",
    lastTransitionTime: "",
  } as const;
  const conditions = [...(definition.status?.conditions ?? []), terminating];
  const { verbs, strategy } = only({ ...definition, status: { ...definition.status, conditions } });
  expect(verbs).toEqual(["delete", "deletecollection", "get", "list", "patch", "update", "watch"]);
  expect(statusOf(strategy.forbidCreate?.()).message).toBe(
    "widgets.demo.dev is forbidden: create not allowed while custom resource definition is terminating",
  );
  expect(only(definition).strategy.forbidCreate).toBeUndefined();
});

describe("subresources", () => {
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };

  test("status is not set on creation", () => {
    const { subresources, strategy } = only(widgets([{ ...v1, subresources: { status: {} } }]));
    expect(subresources).toEqual({ status: true });
    const object = widget({ spec: {}, status: { size: 1 } });
    strategy.prepareCreate?.(object);
    expect(object).toEqual(widget({ spec: {} }));
  });

  test("without the status subresource, status is an ordinary field", () => {
    expect(only(widgets()).strategy.prepareCreate).toBeUndefined();
  });

  test("scale rejects numbers that it cannot represent", () => {
    const { subresources, strategy } = only(widgets([{ ...v1, subresources: { scale } }]));
    expect(subresources).toEqual({ scale });
    const object = widget({ spec: { size: -1 } });
    for (const errors of [strategy.validate?.(object), strategy.validateUpdate?.(object, object)]) {
      expect(errors?.map(({ field, detail }) => [field, detail])).toEqual([
        [".spec.size", "should be a non-negative integer"],
      ]);
    }
  });
});

test("selectable fields are read as strings", () => {
  const selectableFields = [".spec.size", ".spec.color", ".spec.deep.on"].map((jsonPath) => ({ jsonPath }));
  const { selectableFields: fields } = only(widgets([{ ...v1, selectableFields }]));
  const read = (object: Draft) => Object.fromEntries([...fields].map(([name, get]) => [name, get(object)]));
  expect(read(widget({ spec: { size: 3, color: "red", deep: { on: true } } }))).toEqual({
    "spec.size": "3",
    "spec.color": "red",
    "spec.deep.on": "true",
  });
  expect(read(widget({ spec: { color: null } }))).toEqual({
    "spec.size": "",
    "spec.color": "",
    "spec.deep.on": "",
  });
});

test.each([
  [{ deprecated: true }, "demo.dev/v1 Widget is deprecated"],
  [{ deprecated: true, deprecationWarning: "use v2" }, "use v2"],
  [{}, undefined],
])("a version that is %j warns: %j", (version, warning) => {
  expect(only(widgets([{ ...v1, ...version }])).deprecation).toBe(warning);
});

describe("several versions", () => {
  const v2Schema: StructuralSchema = {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer", default: 2 } } } },
  };
  const v2: DefinitionVersion = {
    name: "v2",
    served: true,
    storage: false,
    schema: { openAPIV3Schema: v2Schema },
  };

  test("are served from the same objects", () => {
    const versions = [
      { ...v1, name: "v0", storage: false, served: false },
      v1,
      { ...v1, name: "v3", storage: false },
    ];
    const types = resourceTypesOf(widgets(versions), { schemaRevision: 0 });
    expect(types.map(({ version, storage }) => [version, storage.apiVersion, storage.conversion])).toEqual([
      ["v1", "demo.dev/v1", undefined],
      ["v3", "demo.dev/v1", undefined],
    ]);
  });

  test("are converted where their schemas differ", () => {
    const [first, second] = resourceTypesOf(widgets([v1, v2]), { schemaRevision: 0 });
    expect(first?.storage.conversion).toBeUndefined();
    const conversion = second?.storage.conversion;
    const shown = conversion?.fromStorage(widget({ spec: { size: 3, color: "red" }, status: { size: 3 } }));
    expect(shown).toEqual({ ...widget({ spec: { size: 3 } }), apiVersion: "demo.dev/v2" });
    const stored = conversion?.toStorage({ ...widget({ spec: {} }), apiVersion: "demo.dev/v2" });
    expect(stored).toEqual(widget({ spec: { size: 1 } }));
  });
});
