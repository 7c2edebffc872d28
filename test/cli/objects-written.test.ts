import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { widget, widgetDefinition } from "../server/widgets.js";
import { useObjectsPlane, Widget } from "./objects-plane.js";

const plane = useObjectsPlane();
const { fettle, file, folder, printed, start } = plane;

describe("apply", () => {
  test("creates, configures and leaves unchanged, and a dry run changes nothing", async () => {
    const path = file("one.yaml", widget("one", "red"));
    expect(await printed("apply", "-f", path, "--dry-run")).toBe("widget.demo.dev/one created (dry run)\n");
    expect(await plane.client.find(Widget, "one")).toBeUndefined();
    expect(await printed("apply", "-f", path)).toBe("widget.demo.dev/one created\n");
    expect(await printed("apply", "-f", path)).toBe("widget.demo.dev/one unchanged\n");
    file("one.yaml", widget("one", "blue"));
    expect(await printed("apply", path, "--dry-run")).toBe("widget.demo.dev/one configured (dry run)\n");
    expect(await printed("apply", path)).toBe("widget.demo.dev/one configured\n");
    expect(await plane.widget("one")).toMatchObject({ spec: { color: "blue" } });
  });

  test("reads folders, standard input, URLs and lists; definitions and namespaces first", async () => {
    const shelf = join(folder, "shelf");
    mkdirSync(join(shelf, "inner"), { recursive: true });
    const gadgets = widgetDefinition
      .replaceAll(/widget/g, "gadget")
      .replaceAll("Widget", "Gadget")
      .replace("[wd]", "[gd]");
    const text = widget("first", "red")
      .replace("kind: Widget", "kind: Gadget")
      .replace("metadata: {", "metadata: { namespace: elsewhere,");
    writeFileSync(join(shelf, "a.yaml"), text);
    writeFileSync(
      join(shelf, "b.json"),
      JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } }),
    );
    writeFileSync(join(shelf, "inner", "c.yml"), gadgets);
    writeFileSync(join(shelf, "readme.txt"), "not a manifest");
    expect(await printed("apply", "-f", "shelf", "-R")).toBe(
      "customresourcedefinition.apiextensions.k8s.io/gadgets.demo.dev created\nnamespace/elsewhere created\ngadget.demo.dev/first created\n",
    );
    const list = { apiVersion: "v1", kind: "List", items: [parse(widget("listed", "red"))] };
    const input = start(["apply", "-f", "-", "-o", "name"], { input: JSON.stringify(list) });
    expect(await input.done).toMatchObject({ code: 0, out: "widget.demo.dev/listed\n" });
    const web = createServer((request, response) => {
      if (request.url === "/w.yaml") response.end(widget("downloaded", "red"));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    expect(await printed("apply", "-f", `${url}/w.yaml`)).toContain("downloaded created");
    expect((await fettle("apply", "-f", `${url}/x.yaml`)).err).toContain("404");
    web.close();
    expect(await printed("delete", "-f", "shelf", "-R")).toBe(
      "gadget.demo.dev/first deleted\nnamespace/elsewhere deleted\ncustomresourcedefinition.apiextensions.k8s.io/gadgets.demo.dev deleted\n",
    );
  });

  test("reports the owner of a conflicting field, and takes ownership with --force", async () => {
    const path = file("taken.yaml", widget("taken", "red"));
    await printed("apply", "-f", path);
    await plane.client.patch(Widget, "taken", { spec: { color: "green" } }, { fieldManager: "painter" });
    const { code, err } = await fettle("apply", "-f", path);
    expect(code).toBe(1);
    expect(err).toMatch(/taken\.yaml:5:\d+: widget\.demo\.dev\/taken: .*\.spec\.color \(painter\).*--force/);
    expect(await printed("apply", "-f", path, "--force")).toBe("widget.demo.dev/taken configured\n");
  });

  test("reports the problem of one manifest and applies the others", async () => {
    const gadget = "apiVersion: demo.dev/v1\nkind: Gizmo\nmetadata: { name: g }\n";
    const path = file("some.yaml", [widget("wrong", "pink"), gadget, widget("right", "red")].join("---\n"));
    const { code, out, err } = await fettle("apply", "-f", path);
    expect(code).toBe(1);
    expect(out).toBe("widget.demo.dev/right created\n");
    expect(err).toMatch(/some\.yaml:5:16: widget\.demo\.dev\/wrong: .*spec\.color.*"pink"/);
    expect(err).toMatch(
      /some\.yaml:7:1: gizmo\.demo\.dev\/g: the server has no Gizmo in demo\.dev\/v1, only Widget/,
    );
  });

  test.each(["apply", "diff"])(
    "%s names the file, line and column of every field that is wrong",
    async (verb) => {
      const wrong = `# a comment
apiVersion: demo.dev/v1
kind: Widget
metadata:
  name: wrong
spec:
  color: pink
  replicas: many
`;
      const path = file("wrong.yaml", wrong);
      const { code, err } = await fettle(verb, "-f", path);
      expect(code).toBe(1);
      const lines = err.trimEnd().split("\n");
      expect(lines).toContainEqual(
        expect.stringMatching(/^fettle: \S*wrong\.yaml:8:13: widget\.demo\.dev\/wrong: .*spec\.replicas: /),
      );
      file("wrong.yaml", wrong.replace("many", "3").replace("pink", "red\n  colour: red"));
      const unknown = await fettle(verb, "-f", path);
      expect(unknown.err).toMatch(/wrong\.yaml:8:11: widget\.demo\.dev\/wrong: .*colour/);
    },
  );

  test("applies nothing when a file cannot be read", async () => {
    file("good.yaml", widget("good", "red"));
    file("bad.yaml", "kind: Widget\nmetadata:\n  name: x\n   labels: {}\n");
    file("nameless.yaml", "apiVersion: v1\nkind: ConfigMap\n");
    file("empty.yaml", "# nothing\n");
    for (const [name, text] of [
      ["bad.yaml", /bad\.yaml:3:\d+: /],
      ["nameless.yaml", /nameless\.yaml:1:1: ConfigMap has no metadata\.name/],
      ["missing.yaml", /missing\.yaml: no such file/],
    ] as const) {
      const { code, err, out } = await fettle("apply", "-f", "good.yaml", "-f", name);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(text);
    }
    expect((await fettle("apply", "-f", "empty.yaml")).err).toContain("no manifests in empty.yaml");
    expect(await fettle("apply")).toMatchObject({ code: 2 });
    const elsewhere = file(
      "elsewhere.yaml",
      widget("x", "red").replace("{ name", "{ namespace: there, name"),
    );
    expect((await fettle("apply", "-f", elsewhere, "-n", "here")).err).toMatch(/there.*-n is here/);
    expect(await plane.client.find(Widget, "good")).toBeUndefined();
  });
});

describe("delete", () => {
  const held = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "held", finalizers: ["demo.dev/hold"] },
  };
  const release = () => plane.client.patch("v1/ConfigMap", "held", { metadata: { finalizers: null } });

  test("deletes by name, by label, and all with --all only", async () => {
    expect(await printed("delete", "wd", "red")).toBe("widget.demo.dev/red deleted\n");
    expect(await printed("delete", "wd", "-l", "color=blue", "--dry-run")).toBe(
      "widget.demo.dev/blue deleted (dry run)\n",
    );
    expect(await printed("delete", "wd", "-l", "color=blue", "-o", "name")).toBe("widget.demo.dev/blue\n");
    expect(await fettle("delete", "wd")).toMatchObject({ code: 2 });
    expect(await fettle("delete", "wd", "green", "--all")).toMatchObject({ code: 2 });
    expect(await printed("delete", "wd", "--all")).toBe("widget.demo.dev/green deleted\n");
    expect((await fettle("delete", "wd", "--all")).err).toContain("No objects to delete");
  });

  test("reports missing objects and deletes the others", async () => {
    const { code, out, err } = await fettle("delete", "wd", "nope", "red");
    expect({ code, out }).toEqual({ code: 1, out: "widget.demo.dev/red deleted\n" });
    expect(err).toContain("not found: widget.demo.dev/nope in namespace default");
    expect(await printed("delete", "wd", "nope", "--ignore-not-found")).toBe("");
  });

  test("waits until finalizers are removed", async () => {
    await plane.apply(held);
    const { done } = start(["delete", "cm", "held"]);
    for await (const { object } of plane.client.watch("v1/ConfigMap", { namespace: "default" })) {
      if (object.metadata.deletionTimestamp) break;
    }
    await release();
    expect(await done).toEqual({ code: 0, out: "configmap/held deleted\n", err: "" });
  });

  test("stops waiting after the timeout or Ctrl-C, and does not wait with --wait=false", async () => {
    await plane.apply(held);
    const timedOut = await fettle("delete", "cm", "held", "--timeout", "50ms");
    expect(timedOut.code).toBe(124);
    expect(timedOut.err).toMatch(/still being deleted, waiting for finalizers demo\.dev\/hold/);
    expect(await printed("delete", "cm", "held", "--wait=false")).toBe("configmap/held deletion started\n");
    const { terminal, done } = start(["delete", "cm", "held"], { tty: true });
    await terminal.warns("waiting for configmap/held to be deleted, waiting for finalizers demo.dev/hold");
    terminal.interrupt();
    const { code, err } = await done;
    expect(code).toBe(130);
    expect(err).toContain("the deletion continues");
    await release();
  });

  test("keeps owned objects with --cascade orphan", async () => {
    const { apiVersion, kind, metadata } = await plane.widget("red");
    const owner = { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "" };
    await plane.client.create("v1/ConfigMap", { metadata: { name: "orphan", ownerReferences: [owner] } });
    await printed("delete", "wd", "red", "--cascade", "orphan");
    expect((await plane.client.get("v1/ConfigMap", "orphan")).metadata.ownerReferences ?? []).toEqual([]);
    expect(await fettle("delete", "wd", "red", "--cascade", "maybe")).toMatchObject({ code: 2 });
  });
});

describe("edit", () => {
  let editors = 0;
  /** An editor that runs a script on the file `$1`. */
  function editor(script: string): { readonly env: Readonly<Record<string, string>> } {
    const path = file(`editor-${editors++}.sh`, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return { env: { EDITOR: path } };
  }

  test("writes the edited object", async () => {
    const seen = join(folder, "seen.yaml");
    const { done } = start(
      ["edit", "wd", "red"],
      editor(`cp "$1" ${seen}; sed -i 's/replicas: 1/replicas: 5/' "$1"`),
    );
    expect(await done).toEqual({ code: 0, out: "widget.demo.dev/red edited\n", err: "" });
    expect(await plane.widget("red")).toMatchObject({ spec: { replicas: 5 } });
    const text = readFileSync(seen, "utf8");
    expect(text).toMatch(/^# /);
    expect(text).not.toContain("managedFields");
  });

  test.each([
    ["nothing is changed", "true"],
    ["the file is emptied", ': > "$1"'],
  ])("changes nothing when %s", async (_, script) => {
    const before = (await plane.widget("red")).metadata.resourceVersion;
    const { code, err } = await start(["edit", "wd/red"], editor(script)).done;
    expect(code).toBe(0);
    expect(err).toContain("unchanged: edit cancelled");
    expect((await plane.widget("red")).metadata.resourceVersion).toBe(before);
  });

  test("reopens the editor with the server's reason until the change is accepted", async () => {
    const times = join(folder, "times");
    const script = `
echo >> ${times}
case $(wc -l < ${times}) in
  1) sed -i 's/^  color: red/  color: [red/' "$1" ;;
  2) grep -q '^# edited text:[0-9]' "$1" && sed -i 's/^  color: .*/  color: pink/' "$1" ;;
  3) grep -q '^# spec.color: Unsupported value: "pink"' "$1" && sed -i 's/^  color: .*/  color: blue/' "$1" ;;
esac`;
    const { code, out, err } = await start(["edit", "wd/red"], editor(script)).done;
    expect(err).toContain("The server rejected the change:");
    expect({ code, out }).toEqual({ code: 0, out: "widget.demo.dev/red edited\n" });
    expect(await plane.widget("red")).toMatchObject({ spec: { color: "blue" } });
  });

  test("keeps the text of a cancelled edit and prints its path", async () => {
    const script = `grep -q 'replicas: -1' "$1" || sed -i 's/replicas: 1/replicas: -1/' "$1"`;
    const { code, err } = await start(["edit", "wd/red"], editor(script)).done;
    expect(code).toBe(1);
    const path = /your text is saved in (\S+)/.exec(err)?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toContain("replicas: -1");
  });

  test("keeps concurrent changes of other fields", async () => {
    const pause = `touch ${folder}/opened; while [ ! -e ${folder}/go ]; do sleep 0.05; done`;
    const { done } = start(["edit", "wd/red"], editor(`${pause}; sed -i 's/replicas: 1/replicas: 5/' "$1"`));
    await opened();
    await plane.client.patch(Widget, "red", { spec: { size: "large" } });
    file("go", "");
    expect((await done).code).toBe(0);
    expect((await plane.widget("red"))["spec"]).toMatchObject({ size: "large", replicas: 5 });
  });

  test("shows concurrent changes of the same field and lets the user decide", async () => {
    const pause = `touch ${folder}/opened; while [ ! -e ${folder}/go ]; do sleep 0.05; done`;
    const script = `if grep -q 'Somebody else' "$1"; then grep -q 'size: large' "$1" && exit 0; exit 9; fi
${pause}; sed -i 's/replicas: 1/replicas: 5/' "$1"`;
    const { done } = start(["edit", "wd/red"], editor(script));
    await opened();
    await plane.client.patch(Widget, "red", { spec: { replicas: 7, size: "large" } });
    file("go", "");
    const { code, err } = await done;
    expect(err).toMatch(/\+ +replicas: 7/);
    expect(code).toBe(0);
    expect((await plane.widget("red"))["spec"]).toMatchObject({ replicas: 5, size: "large" });
  });

  test("rejects another name, a missing object and a missing editor", async () => {
    const renamed = await start(["edit", "wd/red"], editor(`sed -i 's/name: red/name: other/' "$1"`)).done;
    expect(renamed.code).toBe(1);
    expect(renamed.err).toContain("metadata.name identifies the object");
    expect(await fettle("edit", "wd", "nope")).toMatchObject({ code: 1 });
    expect(await fettle("edit", "wd")).toMatchObject({ code: 2 });
    const { err } = await start(["edit", "wd/red"], { env: { EDITOR: "no-such-editor" } }).done;
    expect(err).toMatch(/"no-such-editor" was not found; set EDITOR/);
  });

  async function opened(): Promise<void> {
    rmSync(join(folder, "go"), { force: true });
    while (!existsSync(join(folder, "opened"))) await new Promise((resolve) => setTimeout(resolve, 20));
    rmSync(join(folder, "opened"));
  }
});
