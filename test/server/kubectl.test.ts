import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith, kubectl, type Kubectl } from "../components/index.js";
import { KubectlRunner } from "./kubectl-runner.js";
import { startTestServer, type TestServer } from "./test-server.js";
import { widget, widgetDefinition } from "./widgets.js";

/** Common uses of kubectl, with its oldest and newest supported version. */
describeWith("kubectl", kubectl, async () => {
  const all = await kubectl.versions();
  // Debian's version is older than supported, but better than none.
  const promised = all.filter(({ version }) => minorOf(version) >= 27);
  const known = promised.length > 0 ? promised : all;
  const chosen = process.env["FETTLE_KUBECTL"] === "all" ? known : [...new Set([known[0], known.at(-1)])];
  for (const each of chosen) {
    if (each === undefined) continue;
    describe(each.version, () => {
      day(each);
    });
  }
});

function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}

function day(version: Kubectl): void {
  /** Skips tests of features that an old kubectl lacks. */
  const since = (minor: number) => (minorOf(version.version) >= minor ? test : test.skip);
  let server: TestServer;
  let k: KubectlRunner;
  const run = (...args: string[]): Promise<string> => k.run(args);
  const apply = (text: string, ...args: string[]): Promise<string> =>
    k.run(["apply", "-f", "-", ...args], { input: text });

  beforeAll(async () => {
    server = await startTestServer();
    k = new KubectlRunner(version, server.kubeconfig);
    await k.run(["create", "-f", "-"], { input: widgetDefinition });
    await run("wait", "--for=condition=Established", "crd/widgets.demo.dev", "--timeout=10s");
  });
  afterAll(async () => {
    k?.dispose();
    await server?.close();
  });

  describe("discovery", () => {
    test("version", async () => {
      expect(await run("version", "-o", "json")).toContain("serverVersion");
    });

    test("api-resources", async () => {
      const out = await run("api-resources");
      expect(out).toMatch(/^widgets +wd +demo\.dev\/v1 +true +Widget$/m);
      expect(out).toMatch(/^configmaps +cm +v1 +true +ConfigMap$/m);
      expect(out).toMatch(
        /^customresourcedefinitions +crd,crds +apiextensions\.k8s\.io\/v1 +false +CustomResourceDefinition$/m,
      );
      expect(await run("api-resources", "-o", "wide", "--api-group=demo.dev")).toMatch(
        /(create,)?delete,deletecollection,get,list,patch,(create,)?update,watch/,
      );
    });

    since(21)("api-resources by category", async () => {
      expect(await run("api-resources", "--categories=demo", "-o", "name")).toBe("widgets.demo.dev\n");
    });

    test("api-versions", async () => {
      const out = await run("api-versions");
      for (const each of ["v1", "demo.dev/v1", "events.k8s.io/v1", "coordination.k8s.io/v1"]) {
        expect(out.split("\n")).toContain(each);
      }
    });

    test("explain", async () => {
      expect(await run("explain", "widgets")).toMatch(/A thing with a color\./);
      const out = await run("explain", "wd.spec", "--recursive");
      expect(out).toMatch(/color/);
      expect(out).toMatch(/ports/);
      expect(await run("explain", "configmaps.data")).toMatch(/KIND: +ConfigMap/);
    });

    test("cluster-info and get --raw", async () => {
      expect(await run("get", "--raw", "/readyz")).toBe("ok");
      expect(JSON.parse(await run("get", "--raw", "/apis/demo.dev/v1"))).toMatchObject({
        kind: "APIResourceList",
      });
      expect(JSON.parse(await run("get", "--raw", "/api/v1/namespaces/default"))).toMatchObject({
        kind: "Namespace",
      });
    });
  });

  describe("gets", () => {
    beforeAll(async () => {
      await run("create", "namespace", "gets");
      for (const [name, color] of [
        ["one", "red"],
        ["two", "green"],
        ["three", "blue"],
      ] as const) {
        await k.run(["create", "-n", "gets", "-f", "-"], {
          input: widget(name, color, `replicas: ${name.length}`),
        });
      }
    });
    const get = (...args: string[]): Promise<string> => run("get", "-n", "gets", ...args);

    test("a table", async () => {
      const lines = (await get("widgets")).trim().split("\n");
      expect(lines[0]).toMatch(/^NAME +COLOR +REPLICAS +READY +AGE$/);
      expect(lines[1]).toMatch(/^one +red +3 +\d+m?s$/);
      expect(lines).toHaveLength(4);
    });

    test("a wide table, by short name and by category", async () => {
      expect(await get("wd", "-o", "wide")).toMatch(/^NAME +COLOR +REPLICAS +SIZE +READY +AGE$/m);
      expect(await get("demo")).toMatch(/widget\.demo\.dev\/one|^one /m);
      expect(await get("widget", "two", "--no-headers")).toMatch(/^two +green/);
    });

    test("yaml, json, name, jsonpath, custom-columns, go-template", async () => {
      expect(await get("widget", "one", "-o", "yaml")).toMatch(/^apiVersion: demo\.dev\/v1$/m);
      expect(JSON.parse(await get("widget", "one", "-o", "json"))).toMatchObject({
        kind: "Widget",
        metadata: { name: "one", namespace: "gets", generation: 1 },
        spec: { color: "red", size: "medium", replicas: 3 },
      });
      expect(await get("widgets", "-o", "name")).toBe(
        "widget.demo.dev/one\nwidget.demo.dev/three\nwidget.demo.dev/two\n",
      );
      expect(await get("widgets", "-o", "jsonpath={.items[*].spec.color}")).toBe("red blue green");
      expect(await get("widgets", "-o", "custom-columns=N:.metadata.name,C:.spec.color")).toMatch(
        /^one +red$/m,
      );
      expect(
        await get("widgets", "-o", 'go-template={{range .items}}{{.metadata.name}}{{"\\n"}}{{end}}'),
      ).toBe("one\nthree\ntwo\n");
    });

    test("by label and by field", async () => {
      expect(await get("widgets", "-l", "color in (red, blue)", "-o", "name")).toBe(
        "widget.demo.dev/one\nwidget.demo.dev/three\n",
      );
      expect(await get("widgets", "--field-selector", "metadata.name=two", "-o", "name")).toBe(
        "widget.demo.dev/two\n",
      );
      expect(await get("widgets", "--field-selector", "spec.color=blue", "-o", "name")).toBe(
        "widget.demo.dev/three\n",
      );
      const { err } = await k.attempt([
        "get",
        "-n",
        "gets",
        "widgets",
        "--field-selector",
        "spec.size=small",
      ]);
      expect(err).toMatch(/field label not supported: spec\.size/);
    });

    test("all namespaces, in chunks, sorted", async () => {
      expect(await run("get", "widgets", "-A", "--chunk-size=1", "-o", "name")).toContain(
        "widget.demo.dev/two",
      );
      expect(await get("widgets", "--sort-by=.spec.replicas", "-o", "name")).toMatch(
        /one[^]*three|two[^]*three/,
      );
      expect(await run("get", "namespaces")).toMatch(/^gets +Active +\d+m?s$/m);
    });

    test("reports missing objects and kinds", async () => {
      const { code, err } = await k.attempt(["get", "-n", "gets", "widget", "nobody"]);
      expect(code).toBe(1);
      expect(err.trim()).toBe('Error from server (NotFound): widgets.demo.dev "nobody" not found');
      expect((await k.attempt(["get", "gadgets"])).err).toContain(
        `the server doesn't have a resource type "gadgets"`,
      );
      expect((await k.attempt(["get", "-n", "nowhere", "widgets"])).err).toContain(
        "No resources found in nowhere namespace.",
      );
    });

    test("describe", async () => {
      const out = await run("describe", "-n", "gets", "widget", "one");
      expect(out).toMatch(/^Name: +one$/m);
      expect(out).toMatch(/Color: +red/);
      expect(out).toMatch(/^Events: +<none>$/m);
      expect(await run("describe", "namespace", "gets")).toMatch(/^Status: +Active$/m);
    });

    test("watches", async () => {
      const watching = k.start(["get", "-n", "gets", "widgets", "-w", "-o", "name"]);
      await watching.until(/two/);
      await apply(widget("four", "red"), "-n", "gets");
      await watching.until(/four/);
      await run("delete", "-n", "gets", "widget", "four");
      await watching.stop();
      const table = k.start(["get", "-n", "gets", "widget", "one", "-w"]);
      await table.until(/one +red/);
      await run("label", "-n", "gets", "widget", "one", "seen=yes");
      await table.until(/one +red[^]*one +red/);
      await table.stop();
    });
  });

  describe("changes", () => {
    beforeAll(async () => {
      await run("create", "namespace", "changes");
    });
    const spec = async (name: string): Promise<string> =>
      run("get", "-n", "changes", "widget", name, "-o", "jsonpath={.spec}");

    test("apply creates, changes, keeps and removes fields", async () => {
      expect(await apply(widget("site", "red", "size: big, replicas: 2"), "-n", "changes")).toMatch(
        /site created/,
      );
      expect(await apply(widget("site", "red", "size: big, replicas: 2"), "-n", "changes")).toMatch(
        /site unchanged/,
      );
      expect(await apply(widget("site", "blue", "replicas: 2"), "-n", "changes")).toMatch(/site configured/);
      expect(JSON.parse(await spec("site"))).toEqual({ color: "blue", size: "medium", replicas: 2 });
      expect(
        await run("get", "-n", "changes", "widget", "site", "-o", "jsonpath={.metadata.generation}"),
      ).toBe("2");
    });

    test("apply of a built-in kind, which is a strategic merge patch", async () => {
      const config = (data: string): string =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: ${data}\n`;
      expect(await apply(config("{ a: '1', b: '2' }"), "-n", "changes")).toMatch(/settings created/);
      expect(await apply(config("{ a: '1', c: '3' }"), "-n", "changes")).toMatch(/settings configured/);
      const data = await run("get", "-n", "changes", "cm", "settings", "-o", "jsonpath={.data}");
      expect(JSON.parse(data)).toEqual({ a: "1", c: "3" });
    });

    since(27)("diff", async () => {
      const { code, out } = await k.attempt(["diff", "-n", "changes", "-f", "-"], {
        input: widget("site", "green", "replicas: 2"),
      });
      expect(code).toBe(1);
      expect(out).toMatch(/^- +color: blue$/m);
      expect(out).toMatch(/^\+ +color: green$/m);
      const same = await k.attempt(["diff", "-n", "changes", "-f", "-"], {
        input: widget("site", "blue", "replicas: 2"),
      });
      expect(same.code).toBe(0);
    });

    test("edit", async () => {
      const editor = k.file("#!/bin/sh\nsed -i 's/color: blue/color: green/' \"$1\"\n", "sh");
      await k.run(["edit", "-n", "changes", "widget", "site"], { env: { KUBE_EDITOR: `sh ${editor}` } });
      expect(JSON.parse(await spec("site"))).toMatchObject({ color: "green" });
      const change = k.file('#!/bin/sh\nsed -i \'s/c: "3"/c: "4"/\' "$1"\n', "sh");
      await k.run(["edit", "-n", "changes", "cm", "settings"], { env: { KUBE_EDITOR: `sh ${change}` } });
      expect(await run("get", "-n", "changes", "cm", "settings", "-o", "jsonpath={.data.c}")).toBe("4");
    });

    test("patch: merge, json and strategic", async () => {
      const patch = (type: string, kind: string, name: string, text: string): Promise<string> =>
        run("patch", "-n", "changes", kind, name, `--type=${type}`, "-p", text);
      await patch("merge", "widget", "site", '{"spec":{"size":"huge"}}');
      await patch("json", "widget", "site", '[{"op":"replace","path":"/spec/replicas","value":7}]');
      expect(JSON.parse(await spec("site"))).toEqual({ color: "green", size: "huge", replicas: 7 });
      await patch("strategic", "cm", "settings", '{"data":{"d":"5"}}');
      expect(await run("get", "-n", "changes", "cm", "settings", "-o", "jsonpath={.data.d}")).toBe("5");
      const { err } = await k.attempt([
        "patch",
        "-n",
        "changes",
        "widget",
        "site",
        "--type=strategic",
        "-p",
        "{}",
      ]);
      expect(err).toMatch(/UnsupportedMediaType|unknown format/i);
    });

    since(24)("patch the status", async () => {
      const status = [
        "patch",
        "-n",
        "changes",
        "widget",
        "site",
        "--subresource=status",
        "--type=merge",
        "-p",
      ];
      await run(...status, '{"status":{"replicas":7,"conditions":[{"type":"Ready","status":"True"}]}}');
      expect(
        await run(
          "get",
          "-n",
          "changes",
          "widget",
          "site",
          "-o",
          "jsonpath={.status.replicas} {.metadata.generation}",
        ),
      ).toMatch(/^7 \d+$/);
    });

    test("a patch whose test fails changes nothing", async () => {
      const patch =
        '[{"op":"replace","path":"/spec/replicas","value":1},{"op":"test","path":"/spec/color","value":"red"}]';
      const { code } = await k.attempt([
        "patch",
        "-n",
        "changes",
        "widget",
        "site",
        "--type=json",
        "-p",
        patch,
      ]);
      expect(code).toBe(1);
      expect(JSON.parse(await spec("site"))).toMatchObject({ replicas: 7 });
    });

    test("replace, and a conflict when the resourceVersion is stale", async () => {
      const text = await run("get", "-n", "changes", "widget", "site", "-o", "json");
      const file = k.file(text.replace('"huge"', '"tiny"'), "json");
      expect(await run("replace", "-f", file)).toMatch(/site replaced/);
      const { err } = await k.attempt(["replace", "-f", file]);
      expect(err).toContain(
        "the object has been modified; please apply your changes to the latest version and try again",
      );
    });

    test("label and annotate", async () => {
      await run("label", "-n", "changes", "widget", "site", "tier=front");
      await run("annotate", "-n", "changes", "widget", "site", "note=hello there");
      expect(await run("get", "-n", "changes", "widget", "site", "--show-labels", "--no-headers")).toMatch(
        /tier=front/,
      );
      await run("label", "-n", "changes", "widget", "site", "tier-");
      expect(await run("get", "-n", "changes", "widgets", "-l", "tier", "-o", "name")).toBe("");
    });

    test("scale", async () => {
      expect(await run("scale", "-n", "changes", "widget", "site", "--replicas=4")).toMatch(/site scaled/);
      expect(JSON.parse(await spec("site"))).toMatchObject({ replicas: 4 });
      await run("scale", "-n", "changes", "widget", "site", "--replicas=5", "--current-replicas=4");
      expect(JSON.parse(await spec("site"))).toMatchObject({ replicas: 5 });
      const timedOut = await k.attempt([
        "scale",
        "-n",
        "changes",
        "widget",
        "site",
        "--replicas=6",
        "--current-replicas=4",
      ]);
      expect(timedOut.code).toBe(1);
    });

    since(25)("refuses schema violations with Kubernetes' messages", async () => {
      const bad = await k.attempt(["apply", "-n", "changes", "-f", "-"], { input: widget("bad", "pink") });
      expect(bad.err).toContain(
        'The Widget "bad" is invalid: spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"',
      );
      const strict = await k.attempt(["apply", "-n", "changes", "--validate=strict", "-f", "-"], {
        input: widget("bad", "red", "colour: red"),
      });
      expect(strict.err).toContain('strict decoding error: unknown field "spec.colour"');
      const warned = await k.attempt(["apply", "-n", "changes", "--validate=warn", "-f", "-"], {
        input: widget("warned", "red", "colour: red"),
      });
      expect(warned.err).toContain('Warning: unknown field "spec.colour"');
      expect(warned.code).toBe(0);
    });

    since(27)("--dry-run=server changes nothing", async () => {
      expect(await apply(widget("ghost", "red"), "-n", "changes", "--dry-run=server")).toMatch(
        /created \(server dry run\)/,
      );
      expect((await k.attempt(["get", "-n", "changes", "widget", "ghost"])).code).toBe(1);
      expect(await run("delete", "-n", "changes", "widget", "site", "--dry-run=server")).toMatch(
        /deleted \(server dry run\)/,
      );
      expect(await spec("site")).not.toBe("");
    });

    test("kustomize", async () => {
      const folder = k.folder({
        "kustomization.yaml":
          "namespace: changes\nnamePrefix: k-\nresources: [widget.yaml]\nconfigMapGenerator: [{ name: made, literals: [a=b] }]\n",
        "widget.yaml": widget("thing", "red"),
      });
      expect(await run("apply", "-k", folder)).toMatch(/widget\.demo\.dev\/k-thing created/);
      expect(await run("get", "-n", "changes", "cm", "-o", "name")).toMatch(/configmap\/k-made-/);
    });
  });

  describe("creates built-in kinds", () => {
    beforeAll(async () => {
      await run("create", "namespace", "kinds");
    });

    test("configmap, secret, serviceaccount", async () => {
      await run("create", "-n", "kinds", "configmap", "c", "--from-literal=a=b");
      await run("create", "-n", "kinds", "secret", "generic", "s", "--from-literal=p=geheim");
      await run("create", "-n", "kinds", "serviceaccount", "robot");
      expect(await run("get", "-n", "kinds", "cm")).toMatch(/^NAME +DATA +AGE\nc +1 +\d/m);
      expect(await run("get", "-n", "kinds", "secrets")).toMatch(/^s +Opaque +1 +\d/m);
      expect(await run("get", "-n", "kinds", "sa", "-o", "name")).toBe(
        "serviceaccount/default\nserviceaccount/robot\n",
      );
      expect(await run("get", "-n", "kinds", "secret", "s", "-o", "jsonpath={.data.p}")).toBe(btoa("geheim"));
      const again = await k.attempt(["create", "-n", "kinds", "configmap", "c"]);
      expect(again.err).toContain('configmaps "c" already exists');
    });

    since(26)("events", async () => {
      await run("create", "-n", "kinds", "configmap", "noisy");
      const uid = await run("get", "-n", "kinds", "cm", "noisy", "-o", "jsonpath={.metadata.uid}");
      const now = new Date().toISOString().replace(/\.\d+Z/, "Z");
      await k.run(["create", "-f", "-"], {
        input: `
apiVersion: v1
kind: Event
metadata: { name: noisy.1, namespace: kinds }
involvedObject: { apiVersion: v1, kind: ConfigMap, name: noisy, namespace: kinds, uid: "${uid}" }
reason: Rang
message: it rang
type: Normal
count: 1
firstTimestamp: "${now}"
lastTimestamp: "${now}"
source: { component: bell }
`,
      });
      expect(await run("get", "-n", "kinds", "events")).toMatch(/Normal +Rang +configmap\/noisy +it rang/);
      expect(await run("events", "-n", "kinds", "--for", "configmap/noisy")).toMatch(/Rang/);
      expect(await run("describe", "-n", "kinds", "cm", "noisy")).toMatch(/Normal +Rang .*bell +it rang/);
      expect(await run("get", "-n", "kinds", "events.events.k8s.io", "-o", "jsonpath={.items[0].note}")).toBe(
        "it rang",
      );
    });
  });

  describe("waits and deletes", () => {
    beforeAll(async () => {
      await run("create", "namespace", "ends");
    });
    const exists = async (kind: string, name: string): Promise<boolean> =>
      (await k.attempt(["get", "-n", "ends", kind, name])).code === 0;

    since(24)("wait for a condition, a field, a deletion, a creation", async () => {
      await apply(widget("slow", "red"), "-n", "ends");
      const ready = k.run(["wait", "-n", "ends", "--for=condition=Ready", "widget/slow", "--timeout=20s"]);
      const red = k.run([
        "wait",
        "-n",
        "ends",
        "--for=jsonpath={.spec.color}=blue",
        "widget/slow",
        "--timeout=20s",
      ]);
      await run(
        "patch",
        "-n",
        "ends",
        "widget",
        "slow",
        "--subresource=status",
        "--type=merge",
        "-p",
        '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
      );
      await apply(widget("slow", "blue"), "-n", "ends");
      expect(await ready).toMatch(/condition met/);
      expect(await red).toMatch(/condition met/);
      const gone = k.run(["wait", "-n", "ends", "--for=delete", "widget/slow", "--timeout=20s"]);
      await run("delete", "-n", "ends", "widget", "slow", "--wait=false");
      await gone;
      if (k.minor >= 31) {
        const there = k.run(["wait", "-n", "ends", "--for=create", "widget/new", "--timeout=20s"]);
        await apply(widget("new", "red"), "-n", "ends");
        expect(await there).toMatch(/condition met/);
      }
    });

    const family = async (name: string): Promise<void> => {
      await apply(widget(name, "red"), "-n", "ends");
      const uid = await run("get", "-n", "ends", "widget", name, "-o", "jsonpath={.metadata.uid}");
      await k.run(["create", "-n", "ends", "-f", "-"], {
        input: `
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}-child
  ownerReferences: [{ apiVersion: demo.dev/v1, kind: Widget, name: ${name}, uid: "${uid}", blockOwnerDeletion: true }]
`,
      });
    };

    test("delete handles dependents: background, foreground, orphan", async () => {
      await family("back");
      await run("delete", "-n", "ends", "widget", "back");
      await k.attempt(["wait", "-n", "ends", "--for=delete", "cm/back-child", "--timeout=20s"]);
      expect(await exists("cm", "back-child")).toBe(false);
      await family("fore");
      await run("delete", "-n", "ends", "widget", "fore", "--cascade=foreground");
      expect(await exists("cm", "fore-child")).toBe(false);
      await family("lone");
      await run("delete", "-n", "ends", "widget", "lone", "--cascade=orphan");
      expect(await exists("widget", "lone")).toBe(false);
      expect(
        await run("get", "-n", "ends", "cm", "lone-child", "-o", "jsonpath={.metadata.ownerReferences}"),
      ).toBe("");
    });

    test("finalizers keep an object until they are removed", async () => {
      await apply(widget("held", "red"), "-n", "ends");
      await run(
        "patch",
        "-n",
        "ends",
        "widget",
        "held",
        "--type=merge",
        "-p",
        '{"metadata":{"finalizers":["demo.dev/hold"]}}',
      );
      await run("delete", "-n", "ends", "widget", "held", "--wait=false");
      expect(
        await run("get", "-n", "ends", "widget", "held", "-o", "jsonpath={.metadata.deletionTimestamp}"),
      ).toMatch(/^\d{4}-/);
      await run(
        "patch",
        "-n",
        "ends",
        "widget",
        "held",
        "--type=merge",
        "-p",
        '{"metadata":{"finalizers":null}}',
      );
      expect(await exists("widget", "held")).toBe(false);
    });

    test("delete --all, by label, by file", async () => {
      await apply(widget("a", "red"), "-n", "ends");
      await apply(widget("b", "blue"), "-n", "ends");
      await run("delete", "-n", "ends", "widgets", "-l", "color=blue");
      expect(await exists("widget", "b")).toBe(false);
      await k.run(["delete", "-n", "ends", "-f", "-"], { input: widget("a", "red") });
      await apply(widget("c", "red"), "-n", "ends");
      await run("delete", "-n", "ends", "widgets", "--all");
      expect(await run("get", "-n", "ends", "widgets", "-o", "name")).toBe("");
    });

    test("deleting a namespace deletes its content", async () => {
      await run("create", "namespace", "doomed");
      await apply(widget("inside", "red"), "-n", "doomed");
      await run("delete", "namespace", "doomed");
      expect((await k.attempt(["get", "ns", "doomed"])).code).toBe(1);
      const { err } = await k.attempt(["create", "-n", "doomed", "configmap", "late"]);
      expect(err).toContain('namespaces "doomed" not found');
      expect((await k.attempt(["delete", "namespace", "default"])).err).toContain(
        "this namespace may not be deleted",
      );
    });

    test("deleting a definition deletes its objects", async () => {
      const text = widgetDefinition
        .replaceAll("widget", "gadget")
        .replaceAll("Widget", "Gadget")
        .replace("[wd]", "[gd]");
      await k.run(["create", "-f", "-"], { input: text });
      await apply(widget("g", "red").replace("Widget", "Gadget"), "-n", "ends");
      await run("delete", "crd", "gadgets.demo.dev");
      const { err } = await k.attempt(["get", "gadgets", "-A"]);
      expect(err).toMatch(/could not find the requested resource|doesn't have a resource type/);
    });
  });
}
