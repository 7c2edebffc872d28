import { describe, expect, test } from "vitest";
import type { Json } from "../object/json.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { applyStrategicMergePatch, patchSchemaOf } from "./strategic-merge.js";

const text: StructuralSchema = { type: "string" };
const texts: StructuralSchema = { type: "array", items: text };
const map: StructuralSchema = { type: "object", additionalProperties: text };

function object(properties: Record<string, StructuralSchema>): StructuralSchema {
  return { type: "object", properties };
}

function strategy(name: string, schema: StructuralSchema): StructuralSchema {
  return Object.assign({ "x-kubernetes-patch-strategy": name }, schema);
}

function merged(key: string, items: StructuralSchema, name = "merge"): StructuralSchema {
  return strategy(
    name,
    Object.assign({ "x-kubernetes-patch-merge-key": key }, { type: "array" as const, items }),
  );
}

/** The parts of built-in kinds that the cases are about, with the rules Kubernetes gives them. */
const schema = object({
  metadata: object({
    labels: map,
    finalizers: strategy("merge", texts),
  }),
  data: map,
  immutable: { type: "boolean" },
  spec: object({
    strategy: strategy(
      "retainKeys",
      object({ type: text, rollingUpdate: object({ maxSurge: { type: "integer" } }) }),
    ),
    containers: merged(
      "name",
      object({
        name: text,
        image: text,
        command: texts,
        env: merged("name", object({ name: text, value: text })),
        ports: merged("containerPort", object({ containerPort: { type: "integer" }, protocol: text })),
      }),
    ),
    volumes: merged(
      "name",
      object({ name: text, emptyDir: object({}), hostPath: object({ path: text }) }),
      "merge,retainKeys",
    ),
    tolerations: { type: "array", items: object({ key: text }) },
  }),
});

interface Case {
  readonly title: string;
  readonly original: Json;
  readonly patch: Json;
  readonly result?: Json;
  readonly error?: string;
}

/** Results of Kubernetes' own implementation (apimachinery 0.34) for each case. */
const cases: readonly Case[] = [
  {
    title: "plain fields are merged, null removes",
    original: { data: { a: "1", b: "2" } },
    patch: { data: { a: null, c: "3" }, immutable: true },
    result: { data: { b: "2", c: "3" }, immutable: true },
  },
  {
    title: "null for what is not there changes nothing",
    original: { data: { a: "1" } },
    patch: { binaryData: null, data: { x: null } },
    result: { data: { a: "1" } },
  },
  {
    title: "what is new comes without its nulls",
    original: {},
    patch: { metadata: { labels: { a: null, b: "1" } } },
    result: { metadata: { labels: { b: "1" } } },
  },
  {
    title: "another type replaces",
    original: { data: { a: "1" } },
    patch: { data: "text" },
    result: { data: "text" },
  },
  {
    title: "$patch replace takes the patch as it stands",
    original: { data: { a: "1" } },
    patch: { data: { $patch: "replace", b: "2", c: null } },
    result: { data: { b: "2", c: null } },
  },
  {
    title: "$patch delete leaves an empty object",
    original: { data: { a: "1" } },
    patch: { data: { $patch: "delete", b: "2" } },
    result: { data: {} },
  },
  {
    title: "$patch replace of everything",
    original: { data: { a: "1" } },
    patch: { $patch: "replace", immutable: true },
    result: { immutable: true },
  },
  {
    title: "a directive where nothing was leaves nothing",
    original: { immutable: true },
    patch: { data: { $patch: "replace", b: "2" } },
    result: { immutable: true },
  },
  {
    title: "$patch merge is no directive of objects",
    original: { data: {} },
    patch: { data: { $patch: "merge", b: "2" } },
    error: "unknown patch type: merge in map: map[$patch:merge b:2]",
  },
  {
    title: "a directive has to be known",
    original: { data: { a: "1" } },
    patch: { data: { $patch: 7, b: [1.5, null] } },
    error: "unknown patch type: %!s(int64=7) in map: map[$patch:7 b:[1.5 <nil>]]",
  },
  {
    title: "items are merged by key, new ones come first",
    original: {
      spec: {
        containers: [
          { name: "a", image: "1" },
          { name: "b", image: "1" },
        ],
      },
    },
    patch: {
      spec: {
        containers: [
          { name: "c", image: "3" },
          { name: "b", image: "2" },
        ],
      },
    },
    result: {
      spec: {
        containers: [
          { image: "3", name: "c" },
          { image: "1", name: "a" },
          { image: "2", name: "b" },
        ],
      },
    },
  },
  {
    title: "an item before those the patch names stays before them",
    original: { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] } },
    patch: { spec: { containers: [{ name: "b", image: "2" }] } },
    result: { spec: { containers: [{ name: "a" }, { image: "2", name: "b" }, { name: "c" }] } },
  },
  {
    title: "the order of the patch counts for more than that of the object",
    original: { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] } },
    patch: { spec: { containers: [{ name: "c" }, { name: "a" }] } },
    result: { spec: { containers: [{ name: "b" }, { name: "c" }, { name: "a" }] } },
  },
  {
    title: "an item is deleted by key",
    original: { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] } },
    patch: {
      spec: {
        containers: [
          { name: "b", $patch: "delete" },
          { name: "x", $patch: "delete" },
        ],
      },
    },
    result: { spec: { containers: [{ name: "a" }, { name: "c" }] } },
  },
  {
    title: "all items of a key are deleted",
    original: { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "a" }] } },
    patch: { spec: { containers: [{ name: "a", $patch: "delete" }] } },
    result: { spec: { containers: [{ name: "b" }] } },
  },
  {
    title: "$patch replace in a list replaces the list",
    original: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    patch: { spec: { containers: [{ name: "z" }, { $patch: "replace" }, { name: "y" }] } },
    result: { spec: { containers: [{ name: "z" }, { name: "y" }] } },
  },
  {
    title: "a new item keeps its nulls",
    original: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ name: "b", image: null }] } },
    result: { spec: { containers: [{ image: null, name: "b" }, { name: "a" }] } },
  },
  {
    title: "a new list comes without directives and nulls",
    original: { spec: {} },
    patch: {
      spec: {
        containers: [
          { name: "b", image: null },
          { name: "c", $patch: "delete" },
        ],
      },
    },
    result: { spec: { containers: [{ name: "b" }] } },
  },
  {
    title: "lists in items are merged too",
    original: {
      spec: {
        containers: [
          {
            name: "a",
            env: [
              { name: "X", value: "1" },
              { name: "Y", value: "1" },
            ],
            ports: [{ containerPort: 80 }],
          },
        ],
      },
    },
    patch: {
      spec: {
        containers: [
          {
            name: "a",
            env: [{ name: "Y", value: "2" }],
            ports: [
              { containerPort: 81, name: "n" },
              { containerPort: 80, protocol: "UDP" },
            ],
          },
        ],
      },
    },
    result: {
      spec: {
        containers: [
          {
            env: [
              { name: "X", value: "1" },
              { name: "Y", value: "2" },
            ],
            name: "a",
            ports: [
              { containerPort: 81, name: "n" },
              { containerPort: 80, protocol: "UDP" },
            ],
          },
        ],
      },
    },
  },
  {
    title: "keys are compared with their type",
    original: { spec: { containers: [{ name: "a", ports: [{ containerPort: 80 }] }] } },
    patch: { spec: { containers: [{ name: "a", ports: [{ containerPort: "80" }] }] } },
    result: {
      spec: { containers: [{ name: "a", ports: [{ containerPort: "80" }, { containerPort: 80 }] }] },
    },
  },
  {
    title: "lists without a strategy are replaced",
    original: { spec: { containers: [{ name: "a", command: ["x", "y"] }], tolerations: [{ key: "a" }] } },
    patch: { spec: { containers: [{ name: "a", command: ["z"] }], tolerations: [{ key: "b" }] } },
    result: { spec: { containers: [{ command: ["z"], name: "a" }], tolerations: [{ key: "b" }] } },
  },
  {
    title: "every item needs its key",
    original: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ image: "1" }] } },
    error: "map: map[image:1] does not contain declared merge key: name",
  },
  {
    title: "a deletion needs its key",
    original: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ $patch: "delete" }] } },
    error: "map: map[$patch:delete] does not contain declared merge key: name",
  },
  {
    title: "items of the object need their key as well",
    original: { spec: { containers: [{ image: "1" }] } },
    patch: { spec: { containers: [{ name: "a" }] } },
    error: "map: map[image:1] does not contain declared merge key: name",
  },
  {
    title: "$patch merge is no directive of items",
    original: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ name: "a", $patch: "merge" }] } },
    error: "merging lists cannot yet be specified in the patch",
  },
  {
    title: "unknown directives of items",
    original: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ name: "a", $patch: "x" }] } },
    error: "unknown patch type: x in map: map[$patch:x name:a]",
  },
  {
    title: "items are of one kind",
    original: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: ["a"] } },
    error: "list element types are not identical: [[map[name:a]] [a]]",
  },
  {
    title: "no lists in lists",
    original: { metadata: { finalizers: [["a"]] } },
    patch: { metadata: { finalizers: ["a"] } },
    error: "lists of lists are not supported",
  },
  {
    title: "plain values are merged as a set",
    original: { metadata: { finalizers: ["a", "b", "c"] } },
    patch: { metadata: { finalizers: ["c", "d", "a"] } },
    result: { metadata: { finalizers: ["b", "c", "d", "a"] } },
  },
  {
    title: "values are taken out",
    original: { metadata: { finalizers: ["a", "b", "c"] } },
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["b", "x"] } },
    result: { metadata: { finalizers: ["a", "c"] } },
  },
  {
    title: "values are taken out of what is not there",
    original: { metadata: {} },
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"] } },
    result: { metadata: {} },
  },
  {
    title: "null takes the whole list out",
    original: { metadata: { finalizers: ["a"] } },
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": null } },
    result: { metadata: {} },
  },
  {
    title: "taking out, putting in and ordering at once",
    original: { metadata: { finalizers: ["a", "b", "c"] } },
    patch: {
      metadata: {
        "$deleteFromPrimitiveList/finalizers": ["a"],
        "$setElementOrder/finalizers": ["d", "b"],
        finalizers: ["d"],
      },
    },
    result: { metadata: { finalizers: ["d", "b", "c"] } },
  },
  {
    title: "taking out names a list",
    original: { metadata: { finalizers: ["a"] } },
    patch: { metadata: { $deleteFromPrimitiveList: ["a"] } },
    error: "invalid patch format of primitive list",
  },
  {
    title: "$setElementOrder alone sorts",
    original: { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] } },
    patch: { spec: { "$setElementOrder/containers": [{ name: "c" }, { name: "a" }] } },
    result: { spec: { containers: [{ name: "b" }, { name: "c" }, { name: "a" }] } },
  },
  {
    title: "$setElementOrder with changes",
    original: { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] } },
    patch: {
      spec: {
        "$setElementOrder/containers": [{ name: "d" }, { name: "c" }, { name: "a" }],
        containers: [{ name: "d" }, { name: "a", image: "2" }],
      },
    },
    result: {
      spec: { containers: [{ name: "d" }, { name: "b" }, { name: "c" }, { image: "2", name: "a" }] },
    },
  },
  {
    title: "what $setElementOrder leaves out keeps its place",
    original: {
      spec: { containers: [{ name: "x" }, { name: "a" }, { name: "y" }, { name: "b" }, { name: "z" }] },
    },
    patch: {
      spec: {
        "$setElementOrder/containers": [{ name: "b" }, { name: "n" }, { name: "a" }],
        containers: [{ name: "n" }],
      },
    },
    result: {
      spec: {
        containers: [
          { name: "x" },
          { name: "y" },
          { name: "b" },
          { name: "n" },
          { name: "a" },
          { name: "z" },
        ],
      },
    },
  },
  {
    title: "a deletion makes room in the order",
    original: { spec: { containers: [{ name: "a" }, { name: "x" }] } },
    patch: {
      spec: {
        "$setElementOrder/containers": [{ name: "c" }],
        containers: [{ name: "a", $patch: "delete" }, { name: "c" }],
      },
    },
    result: { spec: { containers: [{ name: "x" }, { name: "c" }] } },
  },
  {
    title: "$setElementOrder for a new list",
    original: { spec: {} },
    patch: {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
        containers: [{ name: "a" }, { name: "b" }, { name: "c", $patch: "delete" }],
      },
    },
    result: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
  },
  {
    title: "$setElementOrder for nothing",
    original: { spec: {} },
    patch: { spec: { "$setElementOrder/containers": [{ name: "a" }] } },
    result: { spec: {} },
  },
  {
    title: "$setElementOrder has what the patch has",
    original: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [{ name: "b" }] } },
    error: "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
  },
  {
    title: "$setElementOrder has the order of the patch",
    original: { metadata: { finalizers: ["z"] } },
    patch: { metadata: { "$setElementOrder/finalizers": ["a", "b"], finalizers: ["b", "a"] } },
    error: "The order in patch list:\n[b a]\n doesn't match $setElementOrder list:\n[a b]\n",
  },
  {
    title: "$setElementOrder is a list",
    original: { metadata: { finalizers: ["z"] } },
    patch: { metadata: { "$setElementOrder/finalizers": "z" } },
    error: "expected a []interface {}, but received a string",
  },
  {
    title: "$setElementOrder and null contradict",
    original: { metadata: { finalizers: ["z"] } },
    patch: { metadata: { "$setElementOrder/finalizers": ["z"], finalizers: null } },
    error: "expected a []interface {}, but received a %!s(<nil>)",
  },
  {
    title: "$setElementOrder names a list",
    original: { metadata: { finalizers: ["z"] } },
    patch: { metadata: { $setElementOrder: ["z"] } },
    error: "invalid patch format of setElementOrder list",
  },
  {
    title: "$retainKeys clears the rest",
    original: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    result: { spec: { strategy: { type: "Recreate" } } },
  },
  {
    title: "$retainKeys in items",
    original: { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    patch: {
      spec: { volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } }] },
    },
    result: { spec: { volumes: [{ hostPath: { path: "/x" }, name: "v" }] } },
  },
  {
    title: "$retainKeys allows nulls for the rest",
    original: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate", rollingUpdate: null } } },
    result: { spec: { strategy: { type: "Recreate" } } },
  },
  {
    title: "$retainKeys lists what the patch sets",
    original: { spec: { strategy: { type: "RollingUpdate" } } },
    patch: { spec: { strategy: { $retainKeys: [], type: "Recreate" } } },
    error: "invalid patch format of retainKeys",
  },
  {
    title: "$retainKeys is a list",
    original: { spec: { strategy: { type: "RollingUpdate" } } },
    patch: { spec: { strategy: { $retainKeys: "type", type: "Recreate" } } },
    error: "invalid patch format of retainKeys",
  },
  {
    title: "$retainKeys stays where there was nothing",
    original: { spec: {} },
    patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    result: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
  },
];

describe("same results as Kubernetes", () => {
  test.each(cases)("$title", ({ original, patch, result, error }) => {
    const apply = (): Json => applyStrategicMergePatch(original, patch, patchSchemaOf(schema));
    if (error === undefined) expect(apply()).toEqual(result);
    else expect(apply).toThrow(expect.objectContaining({ name: "PatchError", message: error }) as Error);
  });
});
