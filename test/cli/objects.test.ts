import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { widget } from "../server/widgets.js";
import { cells, useObjectsPlane, Widget } from "./objects-plane.js";

const plane = useObjectsPlane();

/** Definition that somebody else made: its columns say nothing about readiness. */
const gadgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.tools.dev" },
  spec: {
    group: "tools.dev",
    scope: "Namespaced",
    names: { kind: "Gadget", plural: "gadgets", singular: "gadget", listKind: "GadgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: "Weight", type: "integer", jsonPath: ".weight" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              weight: { type: "integer", default: 3 },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};
const { fettle, file, printed, start } = plane;

describe("get", () => {
  test.each(["widgets", "widget", "wd", "Widget", "widgets.demo.dev", "widgets.v1.demo.dev", "WD"])(
    "finds the kind by %s",
    async (word) => {
      expect(await printed("get", word, "-o", "name")).toBe(
        "widget.demo.dev/blue\nwidget.demo.dev/green\nwidget.demo.dev/red\n",
      );
    },
  );

  test("shows the server's columns", async () => {
    const [titles, ...rows] = cells(await printed("get", "wd"));
    expect(titles).toEqual(["NAME", "COLOR", "REPLICAS", "READY", "AGE"]);
    expect(rows.map(([name, color, replicas]) => [name, color, replicas])).toEqual([
      ["blue", "blue", "10"],
      ["green", "green", "2"],
      ["red", "red", "1"],
    ]);
    expect(await printed("get", "wd", "-o", "wide")).toMatch(/REPLICAS +SIZE +READY[^]*medium/);
  });

  test("prints objects by name in the given order, and reports missing ones", async () => {
    expect(await printed("get", "wd/red", "wd/blue", "-o", "name")).toBe(
      "widget.demo.dev/red\nwidget.demo.dev/blue\n",
    );
    const { code, out, err } = await fettle("get", "wd", "red", "nope", "blue", "--no-headers");
    expect(code).toBe(1);
    expect(cells(out).map(([name]) => name)).toEqual(["red", "blue"]);
    const where = 'widgets.demo.dev "nope" not found in namespace default; choose another namespace with -n';
    expect(err).toContain(where);
    for (const words of [
      ["get", "wd", "nope"],
      ["get", "wd/nope", "-o", "yaml"],
      ["describe", "wd", "nope"],
      ["edit", "wd", "nope"],
      ["wait", "wd/nope", "--for", "condition=Ready"],
    ]) {
      const lost = await fettle(...words);
      expect(lost.code).toBe(1);
      expect(lost.err).toContain(where);
      expect(lost.err).toContain("fettle get widgets -A");
    }
    expect((await fettle("get", "namespace", "nope")).err).toBe(
      'fettle: namespaces "nope" not found; list them with: fettle get namespaces\n',
    );
    expect(await fettle("get", "wd", "nope", "--ignore-not-found")).toMatchObject({
      code: 0,
      out: "",
      err: "",
    });
  });

  test("selects by label and field, sorts, and prints labels and namespaces", async () => {
    expect(await printed("get", "wd", "-l", "color in (red,blue)", "-o", "name")).toMatch(/blue\n.*red\n$/);
    expect(await printed("get", "wd", "--field-selector", "spec.color=green", "-o", "name")).toContain(
      "green",
    );
    const rows = cells(
      await printed("get", "wd", "--sort-by", "{.spec.replicas}", "--no-headers", "--show-labels"),
    );
    expect(rows.map((row) => [row[0], row.at(-1)])).toEqual([
      ["red", "color=red"],
      ["green", "color=green"],
      ["blue", "color=blue"],
    ]);
    expect(await printed("get", "wd", "-A")).toMatch(/^NAMESPACE +NAME[^]*^default +blue/m);
    expect(await fettle("get", "wd", "-l", "color=pink")).toMatchObject({
      code: 0,
      out: "",
      err: "No widgets found matching the selector in namespace default.\n",
    });
  });

  test("prefixes names with their kind for several kinds and categories", async () => {
    const all = await printed("get", "all");
    expect(all).toMatch(/^widget\.demo\.dev\/red /m);
    const several = await printed("get", "ns,wd");
    expect(several).toMatch(/^namespace\/default [^]*\n\nNAME[^]*widget\.demo\.dev\/red/m);
  });

  test("all shows the custom kinds that have objects, which delete all leaves alone", async () => {
    await plane.apply(gadgetDefinition);
    await plane.client.kind("tools.dev/v1/Gadget");
    const gadget = { apiVersion: "tools.dev/v1", kind: "Gadget", metadata: { name: "saw" } };
    await plane.apply(gadget);
    const all = await printed("get", "all");
    expect(all).toMatch(/^gadget\.tools\.dev\/saw /m);
    expect(all).toMatch(/^widget\.demo\.dev\/red /m);
    expect(await printed("get", "all", "-o", "name")).toContain("gadget.tools.dev/saw");
    await fettle("delete", "all", "--all");
    expect(await printed("get", "gadgets", "-o", "name")).toBe("gadget.tools.dev/saw\n");
  });

  test("adds Ready, Reason and Age to the tables of any kind with conditions", async () => {
    await plane.apply(gadgetDefinition);
    await plane.client.kind("tools.dev/v1/Gadget");
    const gadget = (name: string, conditions: readonly object[]): object => ({
      apiVersion: "tools.dev/v1",
      kind: "Gadget",
      metadata: { name },
      status: { conditions },
    });
    const ready = { type: "Ready", status: "True", reason: "Sharp" };
    const blunt = { type: "Ready", status: "False", reason: "Blunt" };
    await plane.apply(gadget("file", [ready]));
    await plane.apply(gadget("saw", [blunt, { type: "Stalled", status: "True", reason: "Blunt" }]));
    const rows = cells(await printed("get", "gadgets"));
    expect(rows.map((row) => row.with(4, "?"))).toEqual([
      ["NAME", "WEIGHT", "READY", "REASON", "?", "STATE"],
      ["file", "3", "True", "Sharp", "?"],
      ["saw", "3", "False", "Blunt", "?", "given up"],
    ]);
    const { terminal, done } = start(["get", "gadgets", "-w"], { colors: true });
    await terminal.shows(/saw .*\[31mFalse.*\[31mgiven up/);
    await plane.client.patch("tools.dev/v1/Gadget", "saw", {
      metadata: { annotations: { "fettle.dev/paused": "true" } },
      status: { conditions: [ready] },
    });
    await terminal.shows(/saw .*\[32mTrue.*Sharp.*\[33mpaused/);
    terminal.interrupt();
    await done;
    expect(await printed("describe", "gadget", "saw")).toMatch(
      /^state: +paused: not reconciled until fettle resume/m,
    );
  });

  test("prints YAML and JSON without managed fields, unless --show-managed-fields is given", async () => {
    const one = parse(await printed("get", "wd", "red", "-o", "yaml"));
    expect(one).toMatchObject({
      kind: "Widget",
      metadata: { name: "red" },
      spec: { color: "red", size: "medium" },
    });
    expect(one.metadata.managedFields).toBeUndefined();
    const list = JSON.parse(await printed("get", "wd", "-o", "json"));
    expect(list).toMatchObject({ apiVersion: "v1", kind: "List" });
    expect(list.items).toHaveLength(3);
    const whole = JSON.parse(await printed("get", "wd", "red", "-o", "json", "--show-managed-fields"));
    expect(whole.metadata.managedFields).not.toHaveLength(0);
  });

  test.each([
    ["jsonpath={.items[*].metadata.name}", "blue green red"],
    ['jsonpath={range .items[*]}{.metadata.name}={.spec.replicas}{"\\n"}{end}', "blue=10\ngreen=2\nred=1\n"],
    ['jsonpath={.items[?(@.spec.color=="red")].metadata.name}!', "red!"],
    ["jsonpath=.items[0].metadata.name", "blue"],
    ["jsonpath={.nothing}", ""],
    [
      "custom-columns=NAME:.metadata.name,OF:spec.color,NONE:.x",
      "NAME    OF      NONE\nblue    blue    <none>\n",
    ],
  ])("-o %s", async (format, text) => {
    expect(await printed("get", "wd", "-o", format)).toContain(text);
  });

  test.each([
    [["get", "widgts"], 1, "did you mean widgets?"],
    [["get", "zebra"], 1, "the server has widgets"],
    [["get", "wd", "red", "-l", "a=b"], 2, "-l"],
    [["get", "wd/red", "blue"], 2, "KIND/NAME"],
    [["get", "wd", "-o", "xml"], 2, "xml"],
    [["get", "wd", "-o", "jsonpath={.a"], 2, "unclosed {"],
    [["get", "wd", "-o", "jsonpath={range .items[*]}x"], 2, "without an {end}"],
    [["get", "wd,ns", "-w"], 2, "one kind"],
    [["get", "wd", "-l", "a in"], 2, 'invalid selector for -l: "a in"'],
  ])("%j exits with %i and prints the reason", async (words, code, text) => {
    const done = await fettle(...words);
    expect(done.code).toBe(code);
    expect(done.err).toContain(text);
  });

  test("-w prints changes until Ctrl-C", async () => {
    const { terminal, done } = start(["get", "wd", "-w"]);
    await terminal.shows(/^red /m);
    await plane.client.patch(Widget, "red", { spec: { replicas: 42 } });
    await terminal.shows(/^red +red +42/m);
    await plane.client.delete(Widget, "red");
    await plane.apply(widget("later", "blue"));
    await terminal.shows(/^later /m);
    terminal.interrupt();
    const { code, out } = await done;
    expect(code).toBe(130);
    expect(out.match(/NAME/g)).toHaveLength(1);
  });

  test("-w -o yaml prints a document for each change of one object", async () => {
    const { terminal, done } = start(["get", "wd", "red", "-o", "yaml", "-w"]);
    await terminal.shows("replicas: 1");
    await plane.client.patch(Widget, "red", { spec: { replicas: 42 } });
    await terminal.shows(/---[^]*replicas: 42/);
    terminal.interrupt();
    expect((await done).code).toBe(130);
  });
});

describe("describe", () => {
  test("shows metadata, spec, status, conditions, children and events", async () => {
    const red = await plane.widget("red");
    await plane.client.patchStatus(Widget, "red", {
      status: {
        replicas: 1,
        conditions: [
          {
            type: "Ready",
            status: "False",
            reason: "NoPaint",
            message: "the paint is out",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
    });
    const { apiVersion, kind } = red;
    const { name = "", uid = "", namespace = "" } = red.metadata;
    const reference = { apiVersion, kind, name, uid };
    await plane.client.create("v1/ConfigMap", {
      metadata: { name: "red-settings", ownerReferences: [{ ...reference, controller: true }] },
    });
    await plane.client.create("v1/Event", {
      metadata: { name: "red.1" },
      involvedObject: { ...reference, namespace },
      type: "Warning",
      reason: "PaintOut",
      message: "there is no paint left",
      count: 3,
      firstTimestamp: new Date(Date.now() - 3_600_000).toISOString(),
      lastTimestamp: new Date().toISOString(),
      source: { component: "painter" },
    });
    const text = await printed("describe", "wd", "red");
    expect(text).toMatch(/^name: +red$/m);
    expect(text).toMatch(/^kind: +Widget \(demo\.dev\/v1\)$/m);
    expect(text).toMatch(/^labels: +color=red$/m);
    expect(text).toMatch(/^spec:\n {2}color: red/m);
    expect(text).toMatch(/^status:\n {2}replicas: 1/m);
    expect(text).toMatch(/^ {2}Ready +False +\S+ +NoPaint +the paint is out$/m);
    expect(text).toMatch(/^owns:\n {2}configmap\/red-settings /m);
    expect(text).toMatch(/\(x3 over 60m\) +Warning +PaintOut +painter +there is no paint left/);
    expect(await printed("describe", "cm", "red-settings")).toMatch(
      /^owned by: +Widget\/red \(controller\)$/m,
    );
    await plane.client.delete("v1/Event", "red.1");
  });

  test("hides the data of Secrets", async () => {
    await plane.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "hidden" },
      data: { password: "c2VjcmV0" },
    });
    const text = await printed("describe", "secret", "hidden");
    expect(text).toContain("password: 6 bytes");
    expect(text).not.toMatch(/c2VjcmV0|: secret/);
  });

  test("reports that no object matches", async () => {
    expect(await fettle("describe", "wd", "nope")).toMatchObject({ code: 1 });
    expect((await fettle("describe", "wd", "-l", "a=b")).err).toContain("No matching objects");
  });
});

describe("explain", () => {
  test("shows the fields of a kind and of a field", async () => {
    const kind = await printed("explain", "wd");
    expect(kind).toMatch(/^GROUP: +demo\.dev\nKIND: +Widget\nVERSION: +v1$/m);
    expect(kind).toMatch(/A thing with a color\.[^]*spec\t<Object> -required-/);
    const spec = await printed("explain", "widgets.demo.dev.spec");
    expect(spec).toMatch(/color\t<string> -required-\n +What it looks like\.\n +one of red, green, blue/);
    expect(spec).toMatch(/replicas\t<integer>\n[^]*at least 0; default 1/);
    expect(await printed("explain", "wd.spec.ports")).toMatch(
      /FIELD: spec\.ports <\[\]Object>[^]*name\t<string> -required-/,
    );
    expect(await printed("explain", "wd.metadata.labels")).toContain("<map[string]string>");
  });

  test("prints nested fields as an outline with --recursive", async () => {
    expect(await printed("explain", "wd.spec", "--recursive")).toMatch(
      /ports\t<\[\]Object>\n {4}name\t<string> -required-\n {4}port\t/,
    );
    expect(await printed("explain", "deploy.spec.template", "--recursive")).toMatch(
      / {4}containers\t<\[\]Container> -required-\n {6}args/,
    );
  });

  test("suggests existing fields for an unknown one", async () => {
    expect((await fettle("explain", "wd.spec.colr")).err).toContain(
      'Widget.spec has no field "colr"; did you mean color?',
    );
    expect((await fettle("explain", "wd.spec.nothing")).err).toContain(
      "its fields are color, size, replicas, ports",
    );
    expect((await fettle("explain", "widgt")).err).toContain("did you mean widget?");
    expect(await fettle("explain")).toMatchObject({ code: 2 });
  });
});

test("reports a server that cannot be reached", async () => {
  const path = file(
    "nowhere",
    JSON.stringify({
      "current-context": "x",
      contexts: [{ name: "x", context: { cluster: "x", user: "x" } }],
      clusters: [{ name: "x", cluster: { server: "http://127.0.0.1:1" } }],
      users: [{ name: "x", user: {} }],
    }),
  );
  const { code, err } = await fettle("get", "wd", "--kubeconfig", path);
  expect(code).toBe(1);
  expect(err).toContain("http://127.0.0.1:1");
});
