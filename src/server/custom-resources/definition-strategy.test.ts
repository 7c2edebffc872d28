import { expect, test } from "vitest";
import type { KubeObject } from "../../model/core.js";
import type { Draft } from "../resources/resource-type.js";
import { definitionStrategy } from "./definition-strategy.js";

test("a deleted definition stays until its cleanup finalizer is removed", () => {
  const live: KubeObject = Object.freeze({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.demo.dev", finalizers: ["a/b"] },
    status: Object.freeze({ storedVersions: ["v1"], conditions: Object.freeze([]) }),
  });
  expect(definitionStrategy.staysDeleted?.(live)).toBe(true);
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const dying = { ...live, metadata: { ...live.metadata, deletionTimestamp } } as Draft;
  definitionStrategy.prepareDelete?.(dying);
  expect(dying.metadata["finalizers"]).toEqual(["a/b", "customresourcecleanup.apiextensions.k8s.io"]);
  expect(dying["status"]).toEqual({
    storedVersions: ["v1"],
    conditions: [
      {
        type: "Terminating",
        status: "True",
        reason: "InstanceDeletionPending",
        message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        lastTransitionTime: deletionTimestamp,
      },
    ],
  });
  // From now on its finalizers say whether it stays.
  expect(definitionStrategy.staysDeleted?.(dying as KubeObject)).toBe(false);
});

test("CEL rules of schemas are checked", () => {
  const definition = (rule: string): KubeObject & { spec: object } => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.demo.dev" },
    spec: {
      group: "demo.dev",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      conversion: { strategy: "None" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
              "x-kubernetes-validations": [{ rule }],
            },
          },
        },
      ],
    },
    status: { storedVersions: ["v1"] },
  });
  const at = "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations[0].rule";
  const faults = (rule: string): string[] =>
    (definitionStrategy.validate?.(definition(rule)) ?? []).map(({ field, detail }) => `${field}: ${detail}`);
  expect(faults("self.spec.size > 0")).toEqual([]);
  expect(faults("self.spec.siz > 0")).toEqual([
    `${at}: apiextensions.ValidationRule{Rule:"self.spec.siz > 0", Message:"", MessageExpression:"", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}: compilation failed: ERROR: <input>:1:10: undefined field 'siz'\n | self.spec.siz > 0\n | .........^`,
  ]);
});
