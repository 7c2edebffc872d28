import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../model/core.js";
import { checkScope } from "./scope.js";

const pods = { plural: "pods", scope: "Namespaced" } as const;
const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", labels: { app: "web" } },
  spec: { nodeName: "n1", hostNetwork: true, priority: 7, containers: [{ name: "main" }] },
  status: {},
};

describe("an object is in a scope with the field selector", () => {
  test.each<[string, boolean | undefined]>([
    ["metadata.name=web,metadata.namespace!=other", true],
    ["metadata.name=db", false],
    ["spec.nodeName=n1", true],
    ["spec.nodeName!=n1", false],
    ["spec.hostNetwork=true,spec.priority=7", true],
    ["spec.priority=8", false],
    // A missing field counts as empty,
    ["status.phase=", true],
    ["status.phase=Running", false],
    ["status.phase!=Running", true],
    ["nothing.there!=x", true],
    // or, for a field of another type, as false or 0.
    ["spec.unschedulable=false", undefined],
    ["status.replicas!=0", undefined],
    // Only the server can decide about computed fields and fields that are not scalars.
    ["spec.containers=x", undefined],
    ["spec.containers.name=main", undefined],
    ["spec.nodeName.x=n1", undefined],
    ["spec=x", undefined],
    ["status.successful=1", undefined],
    ["spec.containers=x,spec.nodeName=n1", undefined],
    ["spec.containers=x,spec.nodeName=n2", false],
  ])("%s", (fieldSelector, expected) => {
    expect(checkScope(pods, { fieldSelector }).includes(pod)).toBe(expected);
  });
});

test("checks namespace and labels first", () => {
  const fieldSelector = "spec.nodeName=n1";
  expect(checkScope(pods, { fieldSelector, namespace: "other" }).includes(pod)).toBe(false);
  expect(checkScope(pods, { fieldSelector, labelSelector: "app=db" }).includes(pod)).toBe(false);
  expect(checkScope(pods, { fieldSelector, namespace: "default", labelSelector: "app" }).includes(pod)).toBe(
    true,
  );
});
