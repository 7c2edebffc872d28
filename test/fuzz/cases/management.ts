import type { Pair } from "../requests/draft.js";
import type { Case } from "./case.js";

const json: readonly Pair[] = [["content-type", "application/json"]];

const resume = (key: string, name: string): Case => ({
  name,
  request: {
    method: "POST",
    target: "/fettle/v1/controllers/configmaps/resume",
    headers: json,
    body: { key },
  },
  answer: "404 NotFound",
});

const plan = (name: string, manifest: object | string, answer: string): Case => ({
  name,
  request: {
    method: "POST",
    target: "/fettle/v1/plan",
    headers: json,
    body:
      typeof manifest === "string"
        ? Buffer.from(`{"manifests":[${manifest}]}`)
        : { manifests: [{ apiVersion: "tended.dev/v1", kind: "Note", ...manifest }] },
  },
  answer,
});

const deep = "[".repeat(50_000) + "]".repeat(50_000);

/** Cases of the management API. */
export const managementCases: readonly Case[] = [
  resume("default/", "an object without a name that is to go on"),
  resume("..", "an object whose name is a way up that is to go on"),
  resume("a/b/c", "an object with too many names that is to go on"),
  plan("a plan for a manifest whose name is a way up", { metadata: { name: ".." } }, "200"),
  plan("a plan for a manifest without a name", { metadata: { name: "" } }, "200"),
  plan("a plan for a manifest whose name is a number", { metadata: { name: 5 } }, "400 BadRequest"),
  plan(
    "a plan for an invalid manifest in a namespace",
    { metadata: { name: "a", namespace: {} } },
    "400 BadRequest",
  ),
  plan(
    "a plan for a manifest deeper than a stack",
    `{"apiVersion":"tended.dev/v1","kind":"Note","metadata":{"name":"a"},"spec":${deep}}`,
    "400 BadRequest",
  ),
];
