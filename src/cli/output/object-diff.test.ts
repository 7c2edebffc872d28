import { expect, test } from "vitest";
import type { KubeObject } from "../../model/core.js";
import { address, objectDiff } from "./object-diff.js";

const site = (title: string, annotations?: Record<string, string>): KubeObject => ({
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name: "hello", namespace: "default", ...(annotations && { annotations }) },
  spec: { title },
});

test("shows changed fields, and no metadata if all of it is hidden", () => {
  const applied = { "kubectl.kubernetes.io/last-applied-configuration": "{}" };
  const shown = (before: KubeObject, after: KubeObject): string =>
    objectDiff(before, after, { colors: false, ignore: address });
  const difference = shown(site("a"), site("b"));
  expect(difference).toContain("title: b");
  expect(difference).not.toContain("metadata");
  expect(shown(site("a", applied), site("b", applied))).toBe(difference);
  expect(shown(site("a", applied), site("b"))).toBe(difference);
  expect(shown(site("a", applied), site("a"))).toBe("");
  expect(shown(site("a", applied), site("a", { by: "me" }))).toContain("by: me");
});
