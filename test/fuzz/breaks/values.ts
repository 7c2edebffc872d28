import type { Json, JsonObject } from "../../../src/model/core.js";
import { isJsonObject } from "../../../src/model/object/json.js";
import type { Choices } from "../choices.js";
import { placeholders, type Draft } from "../requests/draft.js";
import { literal } from "../requests/literal.js";
import { drop, placesIn, put, read, setField, somePlace } from "../requests/places.js";
import { hasValue, type Break } from "./break.js";
import { oddTexts, oddValues } from "./odd-values.js";

const managed = (fields: Json, more: JsonObject = {}): JsonObject => ({
  manager: "me",
  operation: "Apply",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: fields,
  ...more,
});

/** Invalid values by field of the metadata. */
const metadata: Readonly<Record<string, readonly Json[]>> = {
  name: oddTexts,
  generateName: ["a-", "", "-", "x".repeat(250), "A", "a/b"],
  namespace: ["default", "other", "", "..", 5],
  uid: [placeholders.uid, "wrong", ""],
  resourceVersion: [placeholders.version, "1", "0", "abc", "-1", "", "99999999999999999999"],
  generation: [-1, 0, 1.5, 2 ** 53, "1"],
  creationTimestamp: [
    null,
    "2026-01-01T00:00:00Z",
    "soon",
    "0000-01-01T00:00:00Z",
    "+292277026596-12-04T15:30:08Z",
  ],
  deletionTimestamp: ["2026-01-01T00:00:00Z", null, "soon"],
  deletionGracePeriodSeconds: [0, -1, 1e18],
  labels: [
    { "": "" },
    { "a/b/c": "x" },
    { a: "b c" },
    { ["x".repeat(64)]: "y" },
    { a: null },
    [],
    literal('{"__proto__":"x"}'),
  ],
  annotations: [{ "a b": "c" }, { a: literal(`"${"z".repeat(270_000)}"`) }, { a: 1 }, null],
  finalizers: [
    ["fuzz.dev/a", "fuzz.dev/a"],
    ["nodomain"],
    [""],
    ["orphan", "foregroundDeletion"],
    [null],
    ["kubernetes"],
  ],
  ownerReferences: [
    [{}],
    [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: placeholders.uid }],
    [{ apiVersion: "a/b/c", kind: "", name: "", uid: "" }],
    [{ apiVersion: "v1", kind: "Event", name: "a", uid: "1" }],
    [
      {
        apiVersion: "fuzz.dev/v1",
        kind: "Gone",
        name: "a",
        uid: "1",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    [null],
  ],
  managedFields: [
    [],
    [{}],
    [null],
    [managed({ "f:data": { "f:a": {} } })],
    [managed({ "f:data": { "f:a": {}, 'k:{"name":': {} } })],
    [managed({ 'k:{"a":1e999}': {}, "v:": {}, "i:-1": {}, "i:x": {}, ".": {}, "": {}, "x:y": {} })],
    [managed({ "f:a": literal('{"f:a":'.repeat(300) + "{}" + "}".repeat(300)) })],
    [managed({ "f:__proto__": { "f:polluted": {} } })],
    [managed({}, { operation: "Steal" })],
    [managed({}, { apiVersion: "nobody.dev/v9" })],
    [managed({}, { fieldsType: "FieldsV2" })],
    [managed({}, { time: "soon" })],
    [managed(5), managed(null), managed([])],
    [managed({ "f:data": {} }, { subresource: "__proto__" })],
    Array.from({ length: 300 }, (_, index) =>
      managed({ "f:data": { [`f:k${index}`]: {} } }, { manager: `m${index}` }),
    ),
  ],
  selfLink: ["/", 5],
};

/** Replaces a part of the body by an odd value. */
function oddHere(draft: Draft, choices: Choices): void {
  const place = somePlace(draft.value, choices);
  if (place === undefined) draft.value = structuredClone(choices.pick(oddValues));
  else put(place, choices.pick(oddValues));
}

function reshape(draft: Draft, choices: Choices): void {
  const place = somePlace(draft.value, choices);
  const other = somePlace(draft.value, choices);
  if (place === undefined || other === undefined) return;
  const value = read(place) ?? null;
  choices.pick([
    () => drop(place),
    () => put(place, [value]),
    () => put(place, { a: value }),
    () => put(place, JSON.stringify(value)),
    () => put(place, structuredClone(read(other) ?? null)),
    () => Array.isArray(place.holder) && place.holder.push(structuredClone(value)),
    () => !Array.isArray(place.holder) && put({ ...place, key: choices.pick(oddTexts) }, value),
    () =>
      !Array.isArray(place.holder) &&
      put({ ...place, key: "$patch" }, choices.pick(["delete", "merge", "replace", "explode"])),
  ])();
}

/** Repeats items so often that comparing each with each would take long. */
function multiply(draft: Draft, choices: Choices): void {
  const lists = placesIn(draft.value ?? null).filter((place) => Array.isArray(read(place)));
  if (lists.length === 0) return;
  const place = choices.pick(lists);
  const [item = {}] = read(place) as Json[];
  const many = Array.from({ length: 3000 }, (_, index) => {
    if (!isJsonObject(item)) return typeof item === "string" ? `${item}${index}` : item;
    return {
      ...item,
      ...("name" in item && { name: `n${index}` }),
      ...("uid" in item && { uid: `u${index}` }),
    };
  });
  put(place, many);
}

/** Objects with invalid content. */
export const valueBreaks: readonly Break[] = [
  { name: "odd value", weight: 10, applies: hasValue, spoil: oddHere },
  { name: "reshaped", weight: 6, applies: hasValue, spoil: reshape },
  {
    name: "odd values",
    weight: 3,
    applies: hasValue,
    spoil(draft, choices) {
      for (let turn = 0; turn < 4; turn++) choices.pick([oddHere, reshape])(draft, choices);
    },
  },
  {
    name: "whole value",
    weight: 1,
    applies: hasValue,
    spoil: (draft, choices) => void (draft.value = structuredClone(choices.pick(oddValues))),
  },
  {
    name: "metadata",
    weight: 8,
    applies: ({ value }) => isJsonObject(value) && isJsonObject(value["metadata"]),
    spoil({ value }, choices) {
      const field = choices.pick(Object.keys(metadata));
      const spoiled = structuredClone(choices.pick(metadata[field] ?? []));
      if (isJsonObject(value) && isJsonObject(value["metadata"])) setField(value["metadata"], field, spoiled);
    },
  },
  { name: "many", weight: 1, applies: hasValue, spoil: multiply },
  {
    name: "huge",
    weight: 1,
    applies: ({ value }) => isJsonObject(value),
    spoil({ value }, choices) {
      if (!isJsonObject(value)) return;
      const many = (count: number, text: string): string =>
        `{${Array.from({ length: count }, (_, at) => `"k${at}":"${text}"`).join(",")}}`;
      const [field, text] = choices.pick([
        ["data", many(20_000, "v")],
        ["data", many(10, "x".repeat(100_000))],
        ["spec", many(5000, "v")],
        ["metadata", `{"name":"a","labels":${many(3000, "v")}}`],
        ["status", `[${Array(20_000).fill("{}").join(",")}]`],
        ["data", `{"a":"${"x".repeat(2_900_000)}"}`],
      ] as const);
      setField(value, field, literal(text));
    },
  },
];
