import type { Json, JsonObject } from "../../../src/model/core.js";
import type { Choices } from "../choices.js";
import type { Draft } from "../requests/draft.js";
import { literal } from "../requests/literal.js";
import { placesIn } from "../requests/places.js";
import type { Break } from "./break.js";
import { oddValues } from "./odd-values.js";

const pointers = [
  "",
  "/",
  "//",
  "/-",
  "/metadata",
  "/metadata/",
  "/metadata/labels/-",
  "/metadata/labels/a~1b",
  "/metadata/labels/~",
  "/metadata/labels/~2",
  "/metadata/name/x",
  "/metadata/finalizers/0",
  "/metadata/finalizers/-1",
  "/metadata/finalizers/00",
  "/metadata/finalizers/1e0",
  "/metadata/finalizers/99999999999",
  "/metadata/managedFields/0/fieldsV1/f:data",
  "/__proto__/polluted",
  "/constructor/prototype/polluted",
  "/metadata/__proto__",
  "/spec/template/spec/containers/0/name",
  "/apiVersion",
  "/kind",
  "/status",
  "metadata",
  `/${"a/".repeat(3000)}`,
  "/\u0000",
  "/metadata/resourceVersion",
  "/metadata/uid",
];

function operations(choices: Choices): Json {
  const made: Json[] = [];
  for (let turn = choices.below(6); turn >= 0; turn--) {
    made.push({
      op: choices.pick<Json>(["add", "remove", "replace", "move", "copy", "test", "explode", null, 5]),
      path: choices.once(12) ? choices.pick(oddValues) : choices.pick(pointers),
      from: choices.pick(pointers),
      value: choices.pick(oddValues),
    });
  }
  return made;
}

/** Copies an object into itself, which doubles it each time. */
const growing: Json = Array.from({ length: 40 }, (_, index) => ({
  op: "copy",
  from: "/metadata/annotations",
  path: `/metadata/annotations/a${index}`,
}));
const doubling: Json = [
  { op: "add", path: "/data", value: { a: "x" } },
  ...Array.from({ length: 30 }, (_, index) => ({ op: "copy", from: "/data", path: `/data/k${index}` })),
];
const many: Json = literal(`[${Array(12_000).fill('{"op":"test","path":"/kind","value":"x"}').join(",")}]`);

const directives: readonly JsonObject[] = [
  { $patch: "delete" },
  { $patch: "replace" },
  { $patch: "explode" },
  { $patch: null },
  { $retainKeys: ["a"] },
  { $retainKeys: "a" },
  { $retainKeys: [null, 5] },
  { "$setElementOrder/containers": [{ name: "c" }, { name: "nobody" }] },
  { "$setElementOrder/containers": "c" },
  { "$setElementOrder/containers": [null] },
  { "$setElementOrder/": [] },
  { "$deleteFromPrimitiveList/finalizers": "x" },
  { "$deleteFromPrimitiveList/finalizers": [{}, null, 1] },
  { "$deleteFromPrimitiveList/containers": ["c"] },
  { $unknown: 1 },
  { containers: [{ $patch: "replace" }, { name: "e", image: "e" }] },
  { containers: [{ $patch: "delete" }] },
  { containers: [{ name: null }, {}, null, "c"] },
  {
    ports: [
      { $patch: "delete", port: "x" },
      { $patch: "merge", port: 80 },
    ],
  },
  { finalizers: [{ $patch: "replace" }, "a"] },
  { $patch: "merge", finalizers: null },
];

function spoilStrategic(draft: Draft, choices: Choices): void {
  const places: Json[] = [draft.value ?? {}, ...placesIn(draft.value ?? {}).map(({ holder }) => holder)];
  const holder = choices.pick(places);
  const directive = structuredClone(choices.pick(directives));
  if (typeof holder === "object" && holder !== null) {
    if (Array.isArray(holder)) holder.push(directive);
    else Object.assign(holder, directive);
  }
  if (choices.once(3))
    draft.value = {
      metadata: structuredClone(choices.pick(directives)),
      spec: { template: { spec: structuredClone(choices.pick(directives)) } },
    };
}

/** Unusual and invalid patches. */
export const patchBreaks: readonly Break[] = [
  {
    name: "operations",
    weight: 10,
    applies: ({ form }) => form === "json-patch",
    spoil(draft, choices) {
      const patch = choices.weighted<Json>([
        [20, operations(choices)],
        [1, growing],
        [1, doubling],
        [1, many],
      ]);
      draft.value = structuredClone(patch);
    },
  },
  {
    name: "directives",
    weight: 12,
    applies: ({ form }) => form === "strategic-patch",
    spoil: spoilStrategic,
  },
];
