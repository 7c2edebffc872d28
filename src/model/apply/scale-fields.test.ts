import { describe, expect, test } from "vitest";
import type { ManagedFieldsEntry } from "../object/object.js";
import { recordUpdate } from "./record-update.js";
import { parentEntries, replicasPath, scaleEntries, scaleType } from "./scale-fields.js";

const paths = new Map([
  ["apps/v1", replicasPath(".spec.replicas")],
  ["apps/v2", replicasPath(".spec.size.count")],
  ["apps/v3", undefined],
]);

function entry(
  manager: string,
  operation: "Apply" | "Update",
  apiVersion: string,
  fieldsV1: ManagedFieldsEntry["fieldsV1"],
) {
  return { manager, operation, apiVersion, fieldsType: "FieldsV1", ...(fieldsV1 && { fieldsV1 }) } as const;
}

const parent = [
  entry("applier", "Apply", "apps/v1", { "f:spec": { "f:paused": {}, "f:replicas": {} } }),
  entry("counter", "Update", "apps/v2", { "f:spec": { "f:size": { "f:count": {} } } }),
  entry("namer", "Update", "apps/v1", { "f:spec": { "f:name": {} } }),
  entry("other", "Update", "apps/v3", { "f:spec": { "f:replicas": {} } }),
  entry("past", "Update", "apps/v0", { "f:spec": { "f:replicas": {} } }),
];

describe("the scale of an object", () => {
  test("is owned by the owners of the replicas", () => {
    expect(scaleEntries(parent, paths)).toEqual([
      entry("applier", "Apply", "autoscaling/v1", { "f:spec": { "f:replicas": {} } }),
      entry("counter", "Update", "autoscaling/v1", { "f:spec": { "f:replicas": {} } }),
    ]);
    expect(scaleEntries(undefined, paths)).toBeUndefined();
  });

  test("transfers the replicas of the object to the new owner", () => {
    const scale = (replicas: number, managedFields?: readonly ManagedFieldsEntry[]) => ({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "d", uid: "u", ...(managedFields && { managedFields }) },
      spec: { replicas },
    });
    const written = recordUpdate({
      live: scale(1, scaleEntries(parent, paths)),
      updated: scale(2),
      manager: "hpa",
      apiVersion: "autoscaling/v1",
      subresource: "scale",
      time: "2026-01-01T00:00:00Z",
      versions: { types: new Map([["autoscaling/v1", scaleType]]) },
    });
    expect(parentEntries(parent, written, "apps/v1", paths)).toEqual([
      entry("applier", "Apply", "apps/v1", { "f:spec": { "f:paused": {} } }),
      { ...entry("hpa", "Update", "apps/v1", { "f:spec": { "f:replicas": {} } }), subresource: "scale" },
      entry("namer", "Update", "apps/v1", { "f:spec": { "f:name": {} } }),
      entry("other", "Update", "apps/v3", { "f:spec": { "f:replicas": {} } }),
    ]);
  });

  test("keeps the entries of the object if nothing was written", () => {
    const kept = parent.filter(({ apiVersion }) => apiVersion !== "apps/v0");
    expect(parentEntries(parent, scaleEntries(parent, paths), "apps/v1", paths)).toEqual(kept);
  });
});
