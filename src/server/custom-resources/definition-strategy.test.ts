import { expect, test } from "vitest";
import type { KubeObject } from "../../model/core.js";
import type { Draft } from "../resources/resource-type.js";
import { definitionStrategy } from "./definition-strategy.js";

test("a definition that is deleted stays until it is cleaned up", () => {
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
