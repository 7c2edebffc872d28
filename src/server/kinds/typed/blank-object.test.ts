import { expect, test } from "vitest";
import { findBuiltInKind } from "../types.js";
import { blankObject } from "./blank-object.js";

function blank(apiVersion: string, kind: string) {
  const struct = findBuiltInKind(apiVersion, kind);
  if (struct === undefined) throw new Error(`no ${kind}`);
  return blankObject(struct);
}

test("a blank object has the structs that always exist and no defaults", () => {
  expect(blank("apps/v1", "Deployment")).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {},
    spec: { template: { metadata: {}, spec: { containers: null } }, strategy: {} },
    status: {},
  });
  expect(blank("v1", "ConfigMap")).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: {} });
});
