import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ConfigMap, Namespace } from "../../../client/kinds/kubernetes.js";
import { resource } from "../../../model/index.js";
import type { KubeObject } from "../../../model/core.js";
import { Staged, stageChild } from "./staged.js";

const Page = resource("demo.dev/v1", "Page", { spec: z.object({ html: z.string() }) });

const owner: KubeObject = {
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name: "hello", namespace: "web", uid: "u1" },
};
const wide: KubeObject = { ...owner, kind: "Tenant", metadata: { name: "acme", uid: "u2" } };

describe("a child", () => {
  test("of a kind of one's own is told its spec", () => {
    const content = { html: "x", draft: undefined };
    const child = stageChild(owner, Page, "p", content, { labels: { a: "1" } });
    expect(child.desired).toEqual({
      apiVersion: "demo.dev/v1",
      kind: "Page",
      metadata: {
        name: "p",
        namespace: "web",
        labels: { a: "1" },
        ownerReferences: [
          {
            apiVersion: "demo.dev/v1",
            kind: "Site",
            name: "hello",
            uid: "u1",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { html: "x" },
    });
  });

  test("of another kind is told all but its name", () => {
    const content = { metadata: { labels: { a: "1", b: "1" } }, data: { x: "1" } };
    const { desired } = stageChild(owner, ConfigMap, "m", content, { labels: { b: "2" } });
    expect(desired).toMatchObject({
      metadata: { name: "m", namespace: "web", labels: { a: "1", b: "2" } },
      data: { x: "1" },
    });
  });

  test("is a copy: what its maker does with the content afterwards does not matter", () => {
    const content = { data: { x: "1" } };
    const { desired } = stageChild(owner, ConfigMap, "m", content);
    content.data.x = "2";
    expect(desired["data"]).toEqual({ x: "1" });
  });

  test("of an owner without a namespace may be anywhere", () => {
    expect(stageChild(wide, ConfigMap, "m", {}, { namespace: "x" }).namespace).toBe("x");
    expect(stageChild(wide, Namespace, "n", {}).desired.metadata).not.toHaveProperty("namespace");
  });

  test.each<[string, () => unknown, string]>([
    [
      "elsewhere",
      () => stageChild(owner, ConfigMap, "m", {}, { namespace: "x" }),
      "Site web/hello cannot own ConfigMap m in namespace x",
    ],
    [
      "without a namespace",
      () => stageChild(owner, Namespace, "n", {}),
      "Site web/hello cannot own Namespace n in no namespace",
    ],
    ["without a name", () => stageChild(owner, Page, "", {}), "ensure(Page, …) needs a name for the child"],
    ["of nothing", () => stageChild(owner, Page, "p", undefined), 'ensure(Page, "p", …) needs an object'],
    [
      "of what is not in the API",
      () => stageChild({ ...owner, metadata: { name: "row" } }, Page, "p", {}),
      "Site row cannot own Page p: it does not come from the API",
    ],
  ])("%s is refused, and not tried again", (_, stage, message) => {
    expect(stage).toThrow(message);
    expect(stage).toThrow(expect.objectContaining({ name: "PermanentError" }));
  });
});

test("the children of a run are handed out once, in order, and stay mentioned", () => {
  const staged = new Staged();
  const [a, b, again] = ["a", "b", "a"].map((name) => stageChild(owner, Page, name, { html: "x" }));
  if (!a || !b || !again) throw new Error("there are three");
  staged.add(a);
  staged.add(again);
  expect(staged.takeNew()).toEqual([a]);
  staged.add(b);
  staged.add(again);
  expect(staged.takeNew()).toEqual([b]);
  expect(staged.has(Page, "web", "a")).toBe(true);
  expect(staged.has(Page, "other", "a")).toBe(false);
  expect(() => staged.add(stageChild(owner, Page, "a", { html: "y" }))).toThrow(
    "Page a was ensured twice in one run, with different content",
  );
});
