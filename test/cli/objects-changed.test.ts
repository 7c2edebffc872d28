import { describe, expect, test } from "vitest";
import { widget } from "../server/widgets.js";
import { useObjectsPlane, Widget } from "./objects-plane.js";

const plane = useObjectsPlane();
const { fettle, file, printed, start } = plane;

describe("create", () => {
  test("creates objects, and a dry run creates none", async () => {
    const path = file("one.yaml", widget("one", "red"));
    expect(await printed("create", "-f", path, "--dry-run")).toBe("widget.demo.dev/one created (dry run)\n");
    expect(await plane.client.find(Widget, "one")).toBeUndefined();
    expect(await printed("create", "-f", path)).toBe("widget.demo.dev/one created\n");
  });

  test("fails for objects that exist, and creates the others", async () => {
    const path = file("two.yaml", `${widget("red", "red")}\n---\n${widget("two", "red")}`);
    const { code, out, err } = await fettle("create", path);
    expect({ code, out }).toEqual({ code: 1, out: "widget.demo.dev/two created\n" });
    expect(err).toMatch(
      /two\.yaml:2:1: widget\.demo\.dev\/red: .*already exists; change it with: fettle apply/,
    );
  });
});

describe("patch", () => {
  test("takes merge patches in JSON or YAML, and JSON patches", async () => {
    expect(await printed("patch", "widget", "red", "-p", '{"spec":{"color":"blue"}}')).toBe(
      "widget.demo.dev/red patched\n",
    );
    expect(await plane.widget("red")).toMatchObject({ spec: { color: "blue" } });
    await printed("patch", "widget/red", "-p", "metadata: {labels: {a: b}}");
    const operations = [{ op: "replace", path: "/metadata/labels/a", value: "c" }];
    const path = file("patch.json", JSON.stringify(operations));
    expect(await printed("patch", "widget/red", "--patch-file", path, "-o", "name")).toBe(
      "widget.demo.dev/red\n",
    );
    expect((await plane.widget("red")).metadata.labels).toMatchObject({ a: "c" });
  });

  test.each([
    [["widget", "red"], "give the patch with -p TEXT, or with --patch-file FILE"],
    [["widget", "red", "-p", "3"], "malformed patch: must be an object, or a list of JSON Patch operations"],
    [["widget", "red", "-p", "{"], "malformed patch: "],
    [["widget", "none", "-p", "{}"], 'widgets.demo.dev "none" not found in namespace default'],
  ])("explains a mistake: %j", async (words, message) => {
    const { code, err } = await fettle("patch", ...words);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(message);
  });
});

describe.each(["label", "annotate"] as const)("%s", (verb) => {
  const field = verb === "label" ? "labels" : "annotations";
  const outcome = verb === "label" ? "labeled" : "annotated";

  test("sets and removes values, and replaces them with --overwrite only", async () => {
    expect(await printed(verb, "widget", "red", "blue", "a=b", "d=")).toBe(
      `widget.demo.dev/red ${outcome}\nwidget.demo.dev/blue ${outcome}\n`,
    );
    expect((await plane.widget("red")).metadata[field]).toMatchObject({ a: "b", d: "" });
    expect((await fettle(verb, "widget/red", "a=x")).err).toBe(
      "fettle: Widget red has a=b already; replace it with --overwrite\n",
    );
    await printed(verb, "widget/red", "a=x", "d-", "--overwrite");
    expect((await plane.widget("red")).metadata[field]).toMatchObject({ a: "x" });
    expect((await plane.widget("red")).metadata[field]).not.toHaveProperty("d");
  });

  test("selects objects by labels, or all", async () => {
    await printed("label", "widget/red", "pick=me", "--overwrite");
    expect(await printed(verb, "widgets", "-l", "pick=me", "e=f")).toBe(`widget.demo.dev/red ${outcome}\n`);
    expect((await printed(verb, "widgets", "--all", "g=h")).split("\n")).toHaveLength(4);
    expect((await fettle(verb, "widgets", "g=h")).err).toContain("missing names of widgets");
    expect((await fettle(verb, "widget/red")).err).toContain("nothing to change");
  });
});

test("api-resources lists the kinds that are served", async () => {
  expect(await printed("api-resources", "--api-group", "demo.dev")).toBe(
    "NAME      SHORTNAMES   APIVERSION    NAMESPACED   KIND\nwidgets   wd           demo.dev/v1   true         Widget\n",
  );
  expect(JSON.parse(await printed("api-resources", "-o", "json"))).toContainEqual(
    expect.objectContaining({ plural: "configmaps", apiVersion: "v1" }),
  );
});

test("version prints the versions of the command and of the server", async () => {
  expect(await printed("version", "--client")).toMatch(/^fettle \S+ on Node \d+\.\d+\.\d+\n$/);
  expect(await printed("version")).toMatch(/\nserver v\S+ at https:\/\/127\.0\.0\.1:\d+\n$/);
});

test("logs says where to look instead", async () => {
  const { code, err } = await fettle("logs", "widget", "red");
  expect(code).toBe(2);
  expect(err).toContain(
    "no pods run here, so there are no logs; see what controllers did: fettle why widget/red",
  );
});

describe("one person who applies, changes by hand and applies again", () => {
  test("rolls back, applies, edits and applies, without a conflict", async () => {
    const path = file("own.yaml", widget("own", "red"));
    await printed("apply", "-f", path);
    file("own.yaml", widget("own", "blue"));
    await printed("apply", "-f", path);
    await printed("rollback", "widget/own");
    expect(await plane.widget("own")).toMatchObject({ spec: { color: "red" } });

    const applied = await fettle("apply", "-f", path);
    expect(applied).toMatchObject({ code: 0, out: "widget.demo.dev/own configured\n" });
    expect(applied.err).toBe(
      "widget.demo.dev/own: .spec.color, changed with fettle rollback, was set to the value of the manifest\n",
    );
    const edit = start(["edit", "widget", "own"], { env: { EDITOR: "sed -i s/blue/green/" } });
    expect(await edit.done).toMatchObject({ code: 0 });
    expect(await plane.widget("own")).toMatchObject({ spec: { color: "green" } });

    expect((await fettle("diff", "-f", path)).out).toMatch(/- +color: green\n\+ +color: blue/);
    expect(await fettle("apply", "-f", path)).toMatchObject({ code: 0 });
    expect(await plane.widget("own")).toMatchObject({ spec: { color: "blue" } });
    expect(await printed("apply", "-f", path)).toBe("widget.demo.dev/own unchanged\n");
  });

  test("is still told of conflicts with others, by apply, diff and plan", async () => {
    const path = file("shared.yaml", widget("shared", "red"));
    await printed("apply", "-f", path);
    await plane.client.patch(Widget, "shared", { spec: { color: "blue" } }, { fieldManager: "painter" });
    const conflict = /fields are owned by other field managers: \.spec\.color \(painter\)/;
    const applied = await fettle("apply", "-f", path);
    expect(applied.code).toBe(1);
    expect(applied.err).toMatch(conflict);
    const diff = await fettle("diff", "-f", path);
    expect(diff.code).toBe(1);
    expect(diff.out).toMatch(/- +color: blue\n\+ +color: red/);
    expect(diff.err).toMatch(conflict);
    const plan = await fettle("plan", "-f", path);
    expect(plan.code).toBe(1);
    expect(plan.out).toContain('conflict with "painter" using demo.dev/v1');
    expect(await plane.widget("shared")).toMatchObject({ spec: { color: "blue" } });
  });
});
