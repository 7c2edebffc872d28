import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { connect } from "../../src/cli/server/connect.js";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { httpTransport } from "../../src/client/index.js";
import { configureControllers } from "../../src/plane/config/configure-controllers.js";
import type { ControlPlane } from "../../src/plane/control-plane.js";
import { startServer, type Server } from "../../src/server/index.js";
import { MemoryStore } from "../../src/store/index.js";
import {
  Page,
  Site,
  siteManifest,
  startSitePlane,
  type Options,
  type Outcome,
  type SitePlane,
} from "./site-plane.js";

let world: SitePlane;
let plane: ControlPlane;
const fettle: SitePlane["fettle"] = (...line) => world.fettle(...line);
const follow: SitePlane["follow"] = (...line) => world.follow(...line);
const site: SitePlane["site"] = (name, spec) => world.site(name, spec);

beforeAll(async () => {
  world = await startSitePlane();
  ({ plane } = world);
});

afterAll(() => world[Symbol.asyncDispose]());

describe("pause, resume, enqueue, retry, dead", () => {
  test("pauses and resumes an object", async () => {
    await site("held", { title: "Held" });
    expect((await fettle("pause site/held")).out).toContain("paused Site default/held");
    await plane.apply(siteManifest("held", { title: "Held still" }));
    await plane.controllers.idle();
    expect((await plane.client.get(Page, "held-1")).spec.html).toBe("<h1>Held 1</h1>");
    expect((await fettle("enqueue site/held", { reason: "curious" })).out).toContain("it is paused");
    expect((await fettle("top", { once: true })).out).toContain("1 paused");
    expect((await plane.client.get(Site, "held")).metadata.annotations).toEqual({
      "fettle.dev/paused": "true",
    });
    expect((await fettle("get site held")).out).toMatch(/STATE\nheld .* paused\n$/);
    expect((await fettle("describe site held")).out).toMatch(
      /^state: +paused: not reconciled until fettle resume$/m,
    );
    expect((await fettle("resume site/held")).out).toContain("resumed Site default/held");
    await world.ran("held");
    expect((await plane.client.get(Page, "held-1")).spec.html).toBe("<h1>Held still 1</h1>");
    expect((await fettle("resume site/held")).out).toContain("was not paused");
  });

  test("pauses and resumes a kind", async () => {
    expect((await fettle("pause sites")).out).toContain("objects) in controller sites.demo.dev");
    expect((await fettle("top")).out).toMatch(/sites\.demo\.dev +paused/);
    expect((await fettle("get sites")).out).toMatch(/^held .* paused$/m);
    expect((await plane.client.get("v1/ConfigMap", "fettle-paused"))["data"]).toEqual({
      "sites.demo.dev": "*",
    });
    expect((await fettle("resume sites.demo.dev")).out).toBe("resumed Site\n");
  });

  test("enqueues an object with a reason", async () => {
    await site("curious", { title: "Curious" });
    expect((await fettle("enqueue site/curious", { reason: "the moon is full" })).out).toContain(
      "now by controller",
    );
    await plane.controllers.idle();
    expect((await fettle("why site/curious")).out).toContain("it was requested: the moon is full");
    const later = await fettle("enqueue site/curious", { reason: "later", after: "30s" });
    expect(later.out).toContain("in 30s");
  });

  test("retries failed objects and dead letters", async () => {
    await site("given-up", { title: "" });
    await site("failing", { title: "broken" });
    expect((await fettle("get site given-up failing")).out).toMatch(
      /^given-up .* given up\nfailing .*[0-9]s\n$/m,
    );
    expect((await fettle("describe site given-up")).out).toMatch(/^state: +given up: .*fettle retry$/m);
    const { out } = await fettle("dead", {}, recordingTerminal({ colors: true }));
    expect(out).toMatch(/\[31mNoTitle: a site needs a title/);
    expect(out).toMatch(/ \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +\d+s /);
    expect(out).toContain("Site default/given-up");
    expect(out).toContain("NoTitle: a site needs a title");
    expect(out).not.toContain("default/failing");
    const runs = async (name: string): Promise<number> =>
      (await plane.controllers.runs.find({ kind: "Site", key: `default/${name}` })).length;
    const before = { up: await runs("given-up"), failing: await runs("failing") };
    expect((await fettle("dead retry site/given-up")).out).toContain("will be retried");
    expect((await fettle("retry site/failing", { reason: "new ink" })).out).toContain("retried now");
    await plane.controllers.idle();
    expect({ up: await runs("given-up"), failing: await runs("failing") }).toEqual({
      up: before.up + 1,
      failing: before.failing + 1,
    });
    expect((await fettle("dead retry", { all: true })).out).toContain("objects of controller sites.demo.dev");
    await plane.controllers.idle();
    expect(JSON.parse((await fettle("dead list", { output: "json" })).out).letters).toHaveLength(1);
    await plane.client.delete(Site, "given-up");
    await plane.client.delete(Site, "failing");
  });

  test("reports invalid arguments and missing objects", async () => {
    expect((await fettle("pause page/x")).err).toContain(
      "no controller of this control plane reconciles Page",
    );
    expect((await fettle("pause sitee")).err).toContain("did you mean");
    expect((await fettle("pause site/nope")).err).toContain("sees no Site default/nope");
    expect((await fettle("resume site/nope")).err).toContain("sees no Site default/nope");
    expect((await fettle("enqueue site/nope", { reason: "x" })).err).toContain("sees no Site default/nope");
    expect((await fettle("retry site/nope")).err).toContain("sees no Site default/nope");
    expect(await fettle("enqueue site/x")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--reason"),
    });
    expect(await fettle("enqueue site/x", { reason: "x", after: "soon" })).toMatchObject({ code: 2 });
    expect((await fettle("dead retry site/tree")).err).toContain("is not a dead letter");
    expect(await fettle("dead retry")).toMatchObject({ code: 2 });
    expect(await fettle("dead bury")).toMatchObject({ code: 2 });
    expect(await fettle("pause")).toMatchObject({ code: 2 });
  });
});

describe("strategies", () => {
  test("why and top tell which strategy holds an object, and until when", async () => {
    const annotated = (name: string, priority: string): object => ({
      ...siteManifest(name, { title: "Held" }),
      metadata: { name, annotations: { "fettle.dev/priority": priority } },
    });
    const config = {
      controllers: {},
      reconciliation: {
        strategies: [
          { name: "rollout", type: "batched", batch_timeout: "1h", conditions: [{ priority: "high" }] },
          { name: "scheduled", schedule: "0 2 29 2 *", conditions: [{ priority: "low" }] },
        ],
      },
    } as const;
    await using held = await startSitePlane({ configure: (all) => configureControllers(all, config) });
    await held.plane.apply(annotated("a", "high"), annotated("b", "low"));
    await vi.waitUntil(() => held.plane.controllers.get(Site).loop?.queue.delayed === 2);
    const { out: batched } = await held.fettle("why site/a");
    expect(batched).toContain("No runs of Site default/a");
    expect(batched).toMatch(
      /^sites\.demo\.dev: its next run \(it was created\) is held back: rollout: 1 of 10, released in \d+m$/m,
    );
    const { out: window } = await held.fettle("why site/b");
    expect(window).toMatch(/waits for the window (?:\d{4}-02-29 )?02:00–03:00 UTC \(scheduled\), in \d+/);
    const { out: queue } = await held.fettle("queue");
    expect(queue).toMatch(/^Site default\/a +sites\.demo\.dev +rollout, 1 of 10 /m);
    expect(queue).toMatch(/^Site default\/b +sites\.demo\.dev +held by scheduled /m);
    const { out: top } = await held.fettle("top");
    expect(top).toMatch(/^CONTROLLER +STRATEGY +HELD +RELEASED +LATEST$/m);
    expect(top).toMatch(/^sites\.demo\.dev +rollout +1 of 10 +when the batch is full +in \d+m$/m);
    expect(top).toMatch(/^sites\.demo\.dev +scheduled +1 +(?:\d{4}-02-29 )?02:00–03:00 UTC +in \d+/m);
    await held.fettle("enqueue site/b", { reason: "now" });
    await held.ran("b");
    expect((await held.fettle("why site/b")).out).toContain("now");
  });
});

describe("top", () => {
  test("prints once, as text and as JSON", async () => {
    await site("busy", { title: "Busy" });
    const { out } = await fettle("top");
    expect(out).toMatch(/up \d+s · CPU \d+ % · memory \d+ MiB/);
    expect(out).toMatch(/sites\.demo\.dev +active +0\/4 /);
    expect(out).toMatch(/Page +\d+ +yes +\d/);
    const figures = JSON.parse((await fettle("top", { output: "json" })).out);
    const [sites] = figures.controllers;
    expect(sites.runsPerSecond).toBeGreaterThan(0);
    expect(sites.duration.p99).toBeGreaterThanOrEqual(sites.duration.p50);
    expect(figures.cpu).toBeGreaterThanOrEqual(0);
  });

  test("refreshes in place on a terminal", async () => {
    const live = follow("top", { every: "100ms" }, recordingTerminal({ tty: true }));
    await live.shows("A\r");
    expect((await live.stop()).code).toBe(0);
    expect(await fettle("top", { once: true, watch: true })).toMatchObject({ code: 2 });
  });
});

describe("debug", () => {
  test("events: prints the last changes and follows new ones", async () => {
    await site("told", { title: "Told" });
    await site("told", { title: "Told twice" });
    const { out } = await fettle("debug events", { tail: "3", kind: "site" });
    expect(out).toMatch(
      /\d+ {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}MODIFIED {2}Site default\/told {2}by \S+ as fettle\n {4}~ spec.title: Told → Told twice/,
    );
    expect(out).toContain("by system:fettle:controller:sites.demo.dev as fettle/sites.demo.dev\n");
    const { changes } = JSON.parse((await fettle("debug events", { tail: "3", output: "json" })).out);
    expect(changes).toHaveLength(3);
    const live = follow("debug events", { follow: true, tail: "0", kind: "secrets" });
    // There is no output before the first change, so keep writing until one is printed.
    const write = async (value: string): Promise<void> =>
      void (await plane.apply({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "seen" },
        stringData: { value },
      }));
    for (let turn = 0; !live.terminal.out().includes("Secret default/seen"); turn++) {
      await write(`hush-${turn}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await plane.client.delete("v1/Secret", "seen");
    await live.shows("DELETED   Secret default/seen");
    const { out: told } = await live.stop();
    expect(told).not.toContain(Buffer.from("hush-0").toString("base64"));
    expect(told).not.toContain("Site");
  });

  test("state: prints keys by pattern, and their values", async () => {
    await site("stored", { title: "Stored" });
    expect((await fettle("debug state", { key: "site/*" })).out).toContain("/demo.dev/sites/default/stored");
    expect((await fettle("debug state", { key: "pages/default/stored-?" })).out).toMatch(
      /^KEY +REVISION +BYTES\n\/demo\.dev\/pages\/default\/stored-1 +\d+ +\d+\n$/,
    );
    expect((await fettle("debug state", { key: "*/stored" })).out).toContain(
      "/demo.dev/sites/default/stored",
    );
    await plane.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "kept" },
      stringData: { value: "quiet" },
    });
    const hidden = await fettle("debug state", { key: "secret/default/kept", output: "json" });
    expect(JSON.parse(hidden.out).entries[0].value).toMatchObject({
      kind: "Secret",
      data: { value: "[hidden]" },
    });
    const revealed = await fettle("debug state", {
      key: "secret/default/kept",
      output: "json",
      reveal: true,
    });
    expect(JSON.parse(revealed.out).entries[0].value.data.value).toBe(
      Buffer.from("quiet").toString("base64"),
    );
    expect((await fettle("debug state", { key: "nothing/*" })).err).toContain("No keys match");
    expect((await fettle("debug state", { limit: "1" })).err).toContain("more than 1");
  });

  test("trace: prints runs as they end", async () => {
    const live = follow("debug trace", { component: "sites.demo.dev", follow: true, tail: "1" });
    await live.shows("outcome");
    await site("traced", { title: "Traced" });
    await live.shows(/Site default\/traced[\s\S]*✓ publish/);
    await live.stop();
    expect((await fettle("debug trace", { tail: "2" })).out).toContain("Site default/traced");
    expect(await fettle("debug trace", { component: "reconsiler" })).toMatchObject({
      code: 2,
      err: expect.stringContaining("did you mean reconciler?"),
    });
  });

  test("profile: writes a .cpuprofile, one at a time", async () => {
    const profile = (output: string): Promise<Outcome> =>
      fettle("debug profile", { duration: "1", output }, recordingTerminal({ cwd: world.data }));
    const outcomes = await Promise.all([profile("plane.cpuprofile"), profile("other.cpuprofile")]);
    // Whichever came first got it.
    expect(outcomes.map(({ code }) => code).sort((a, b) => a - b)).toEqual([0, 1]);
    expect(outcomes.find(({ code }) => code === 1)?.err).toContain("one at a time");
    const { nodes, samples, timeDeltas } = JSON.parse(
      await readFile(
        join(world.data, outcomes[0]?.code === 0 ? "plane.cpuprofile" : "other.cpuprofile"),
        "utf8",
      ),
    );
    expect(nodes[0].callFrame.functionName).toBe("(root)");
    expect(samples.length).toBe(timeDeltas.length);
    expect(await fettle("debug profile", { duration: "3h" })).toMatchObject({ code: 2 });
  });
});

test("backs up a running control plane", async () => {
  await site("saved", { title: "Saved" });
  const file = join(world.data, "saved.backup.gz");
  const { code, out } = await fettle("backup", { output: file }, recordingTerminal({ cwd: world.data }));
  expect(out).toMatch(/saved \d+ entries of revision \d+/);
  expect(code).toBe(0);
  const bytes = await readFile(file);
  expect(gunzipSync(bytes).toString()).toContain("/demo.dev/sites/default/saved");

  const again = await fettle("backup", { output: file });
  expect(again).toMatchObject({
    code: 1,
    err: expect.stringMatching(/already exists; replace it with --force/),
  });
  expect(await readFile(file)).toEqual(bytes);
  await site("later", { title: "Later" });
  expect(await fettle("backup", { output: file, force: true })).toMatchObject({ code: 0 });
  expect(gunzipSync(await readFile(file)).toString()).toContain("/demo.dev/sites/default/later");
  expect((await readdir(world.data)).filter((name) => name.endsWith(".part"))).toEqual([]);

  expect(await fettle("backup", { output: world.data })).toMatchObject({ code: 2 });
  expect((await fettle("backup", { output: join(world.data, "no", "x") })).err).toMatch(
    /the folder .* does not exist/,
  );
  const named = join(world.data, "named.gz");
  expect(await fettle(`backup ${named}`)).toMatchObject({ code: 0, out: expect.stringContaining(named) });
  expect(await fettle("backup a.gz", { output: "b.gz" })).toMatchObject({ code: 2 });
});

describe("over the wire", () => {
  const ask = async (
    path: string,
    options: { method?: string; content?: unknown } = {},
  ): Promise<unknown> => {
    await using server = await connect({ kubeconfig: plane.kubeconfig }, recordingTerminal());
    return await server.transport
      .document(`/fettle/v1/${path}`, options as never)
      .catch(({ code, message }: { code: number; message: string }) => ({ code, message }));
  };

  test("rejects invalid requests", async () => {
    expect(await ask("nothing")).toMatchObject({ code: 404 });
    expect(await ask("controllers/nobody/pause", { content: {} })).toMatchObject({
      code: 404,
      message: 'there is no controller "nobody"; the controllers are: sites.demo.dev, notes.demo.dev',
    });
    expect(await ask("controllers/sites.demo.dev/pause")).toMatchObject({ code: 405 });
    expect(await ask("controllers/sites.demo.dev/enqueue", { content: {} })).toMatchObject({ code: 400 });
    expect(await ask("controllers/sites.demo.dev/enqueue", { content: { kee: "x" } })).toMatchObject({
      code: 400,
    });
    expect(await ask("controllers/sites.demo.dev/enqueue", { content: [] })).toMatchObject({ code: 400 });
    expect(await ask("plan", { content: { manifests: [{ kind: "Site" }] } })).toMatchObject({ code: 400 });
    expect(await ask("runs?limit=lots")).toMatchObject({ code: 400 });
    expect(await ask("runs?controller=nobody")).toMatchObject({ code: 404 });
    expect(await ask("history?kind=Site")).toMatchObject({ code: 400 });
    expect(await ask("history?apiVersion=demo.dev/v1&kind=Sight&name=x")).toMatchObject({ code: 404 });
    expect(await ask("profile")).toMatchObject({ code: 400 });
    expect(await ask("state?limit=0")).toMatchObject({ code: 400 });
  });

  test("rejects requests without credentials", async () => {
    const { connection } = await connect({ kubeconfig: plane.kubeconfig }, recordingTerminal());
    const { server, namespace, tls } = connection;
    await using anonymous = httpTransport({ connection: { server, namespace, tls } });
    for (const path of ["state", "controllers", "runs"]) {
      await expect(anonymous.document(`/fettle/v1/${path}`)).rejects.toMatchObject({ code: 403 });
    }
  });
});

describe("a server without the management API", () => {
  const store = new MemoryStore();
  /** A Kubernetes API, and nothing more. */
  let plain: Server;

  beforeAll(async () => {
    plain = await startServer({ store, data: join(world.data, "plain"), port: 0 });
  });

  afterAll(async () => {
    await plain.close();
    await store.close();
  });

  const lines: readonly (readonly [string, Options])[] = [
    ["why namespace/default", {}],
    ["history namespace/default", {}],
    ["rollback namespace/default", {}],
    ["pause namespace", {}],
    ["resume namespace", {}],
    ["enqueue namespace/default", { reason: "x" }],
    ["retry namespace/default", {}],
    ["dead", {}],
    ["top", {}],
    ["debug events", {}],
    ["debug events", { follow: true }],
    ["debug state", {}],
    ["debug trace", {}],
    ["debug profile", { duration: "1" }],
  ];

  test.each(lines)("%s reports that the management API is missing", async (words, options) => {
    const { err, code } = await fettle(words, { ...options, kubeconfig: plain.kubeconfig });
    expect(err).toContain("serves no Fettle management API");
    expect(code).toBe(1);
  });

  test("pause and resume use the annotation of an object", async () => {
    const { kubeconfig } = plain;
    expect(await fettle("pause namespace/default", { kubeconfig })).toMatchObject({
      code: 0,
      out: "paused namespace/default by its annotation fettle.dev/paused\n",
    });
    expect((await fettle("describe namespace default", { kubeconfig })).out).toContain(
      "fettle.dev/paused=true",
    );
    expect((await fettle("resume namespace/default", { kubeconfig })).out).toBe(
      "resumed namespace/default\n",
    );
    expect((await fettle("describe namespace default", { kubeconfig })).out).not.toContain(
      "fettle.dev/paused",
    );
    expect((await fettle("pause namespace/nope", { kubeconfig })).code).toBe(1);
  });

  test("tree and diff work without it; plan reports that it is missing", async () => {
    const kubeconfig = plain.kubeconfig;
    expect((await fettle("tree namespace/default", { kubeconfig })).out).toMatch(
      /Namespace\/default +Active/,
    );
    const file = await world.manifest("plain.yaml", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "plain" },
      data: { a: "b" },
    });
    expect(await fettle("diff", { kubeconfig, filename: [file] })).toMatchObject({
      code: 2,
      out: expect.stringContaining("a: b"),
    });
    expect((await fettle("plan", { kubeconfig, filename: [file] })).err).toContain(
      "serves no Fettle management API",
    );
  });
});
