import type { Json, JsonObject } from "../../../src/model/core.js";
import type { Choices } from "../choices.js";
import type { Form } from "./draft.js";
import { placesIn, read } from "./places.js";

/** Valid patch for such an object. */
export function validPatch(form: Form, object: JsonObject, choices: Choices): Json {
  switch (form) {
    case "json-patch":
      return Array.from({ length: 1 + choices.below(3) }, () => operation(object, choices));
    case "merge-patch":
      return choices.pick<Json>([
        { metadata: { labels: { turn: String(choices.below(9)) } } },
        { metadata: { annotations: { "fuzz.dev/note": null } } },
        { metadata: { finalizers: null } },
        part(object, choices),
      ]);
    case "strategic-patch":
      return choices.pick<Json>([
        { metadata: { labels: { turn: "1", $patch: "replace" } } },
        { metadata: { $retainKeys: ["name", "labels"], labels: { app: "web" } } },
        { metadata: { finalizers: ["fuzz.dev/more"], "$setElementOrder/finalizers": ["fuzz.dev/more"] } },
        { metadata: { "$deleteFromPrimitiveList/finalizers": ["fuzz.dev/hold"] } },
        {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: "c", $patch: "delete" },
                  { name: "d", image: "d" },
                ],
              },
            },
          },
        },
        { spec: { containers: [{ name: "c", image: "other" }] } },
        part(object, choices),
      ]);
    default:
      return object;
  }
}

function operation(object: JsonObject, choices: Choices): JsonObject {
  const places = placesIn(object);
  const place = choices.pick(places);
  const value = read(place) ?? null;
  const path = place.pointer;
  return choices.pick<JsonObject>([
    { op: "test", path, value },
    { op: "replace", path, value },
    { op: "add", path: "/metadata/labels", value: { turn: "2" } },
    { op: "add", path: "/metadata/labels/turn", value: "3" },
    { op: "remove", path },
    { op: "copy", from: path, path: choices.pick(places).pointer },
    { op: "move", from: path, path: choices.pick(places).pointer },
    { op: "add", path: "/metadata/finalizers/-", value: "fuzz.dev/more" },
  ]);
}

/** One field of the object, with its parents. */
function part(object: JsonObject, choices: Choices): Json {
  const [key, value] = choices.pick(Object.entries(object));
  return { [key]: value };
}
