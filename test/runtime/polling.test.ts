import { expect, test } from "vitest";
import type { InformerScope } from "../../src/client/informer/informers.js";
import { poll } from "../../src/client/polling/poll.js";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import type { ResourceObject, VirtualClock } from "../../src/model/index.js";
import { controller } from "../../src/runtime/controller/controller.js";
import { plainController } from "../../src/runtime/controller/plain.js";
import { toIndexed, watch } from "../../src/runtime/controller/watch.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Page, Site } from "./kinds.js";
import { condition } from "./test-plane.js";

type SiteObject = ResourceObject<typeof Site>;

/** Table of rows outside of the API. */
function table(clock: VirtualClock) {
  const rows = new Map<string, { id: string; title: string; theme?: string }>();
  const source = poll({
    name: "sites",
    interval: "10s",
    jitter: 0,
    clock,
    list: () => [...rows.values()],
    toObject: ({ id, title, theme }): SiteObject => ({
      apiVersion: "demo.dev/v1",
      kind: "Site",
      metadata: { name: id },
      spec: { title, pages: 1, ...(theme !== undefined && { theme }) },
    }),
  });
  return { rows, source };
}

describeHomes(({ newClock, startTestPlane }) => {
  test("a poller triggers a controller like an informer does", async () => {
    const clock = newClock();
    const { rows, source } = table(clock);
    const seen: string[] = [];
    rows.set("a", { id: "a", title: "A" });
    const sites = controller({
      for: Site,
      from: source,
      indexes: { theme: ({ spec }) => (spec.theme === undefined ? [] : [spec.theme]) },
      watches: [watch(ConfigMap, { to: toIndexed("theme") })],
      resync: false,
      async reconcile(site, { step, read, readAll, report }) {
        await step("look", () => seen.push(`${site.name}=${site.spec.title}`));
        expect(read(Site, site.name)?.spec.title).toBe(site.spec.title);
        expect(readAll(Site).length).toBe(rows.size);
        report({ published: 1 });
      },
    });
    await using plane = await startTestPlane([], { controllers: [sites], clock });
    const { run, client, controllers } = plane;
    expect(await run()).toMatchObject({
      key: "a",
      triggers: [{ type: "found" }],
      // There is no object in the API whose status could be written.
      writes: [],
      outcome: { type: "done" },
    });
    rows.set("b", { id: "b", title: "B", theme: "dark" });
    rows.set("a", { id: "a", title: "A2" });
    await clock.advance(10_000);
    const [first, second] = [await run(), await run()];
    expect([first.key, second.key].sort()).toEqual(["a", "b"]);
    await client.create(ConfigMap, { metadata: { name: "dark" }, data: {} });
    expect(await run()).toMatchObject({ key: "b", triggers: [{ type: "watched" }] });
    controllers.enqueue(Site, "a", { reason: "by hand" });
    expect(await run()).toMatchObject({ key: "a", triggers: [{ text: "by hand" }] });
    rows.delete("a");
    await clock.advance(10_000);
    expect(await run()).toMatchObject({
      key: "a",
      triggers: [{ type: "deleted" }],
      outcome: { type: "gone" },
    });
    expect(seen.toSorted()).toEqual(["a=A", "a=A2", "a=A2", "b=B", "b=B"]);
    await source.stop();
  });

  test("a change triggers a run also when the generation is unchanged", async () => {
    const clock = newClock();
    let row = { title: "A", published: 0 };
    const source = poll<SiteObject>({
      name: "sites",
      interval: "10s",
      jitter: 0,
      clock,
      list: () => [
        {
          apiVersion: "demo.dev/v1",
          kind: "Site",
          metadata: { name: "a", generation: 1 },
          spec: { title: row.title, pages: 1 },
          status: { published: row.published },
        },
      ],
    });
    const seen: string[] = [];
    const sites = controller({
      for: Site,
      from: source,
      resync: false,
      reconcile: ({ spec }) => void seen.push(spec.title),
    });
    await using plane = await startTestPlane([], { controllers: [sites], clock });
    await plane.run();
    row = { title: "A", published: 1 };
    await clock.advance(10_000);
    row = { title: "B", published: 2 };
    await clock.advance(10_000);
    expect(await plane.run()).toMatchObject({ triggers: [{ type: "updated" }] });
    expect(seen).toEqual(["A", "B"]);
    await source.stop();
  });

  test("controllers that share a poller have their own scopes and index names", async () => {
    const clock = newClock();
    const row = (namespace: string, name: string, theme: string): SiteObject => ({
      apiVersion: "demo.dev/v1",
      kind: "Site",
      metadata: { name, namespace, labels: { theme } },
      spec: { title: name, pages: 1, theme },
    });
    let rows = [row("a", "in", "dark"), row("b", "namespace", "dark"), row("a", "label", "light")];
    const source = poll<SiteObject>({ name: "sites", interval: "10s", jitter: 0, clock, list: () => rows });
    const found: Record<string, string[]> = {};
    const sites = (name: string, scope: InformerScope, by: (site: SiteObject) => string) =>
      controller({
        for: Site,
        name,
        from: source,
        scope,
        indexes: { by: (site) => [by(site)] },
        watches: [watch(ConfigMap, { to: toIndexed("by") })],
        resync: false,
        reconcile: (site) => void (found[name] ??= []).push(site.name),
      });
    const dark = { namespace: "a", labelSelector: "theme=dark", fieldSelector: "spec.theme=dark" };
    const scoped = sites("scoped", dark, ({ spec }) => spec.theme ?? "");
    const all = sites("all", {}, ({ metadata }) => metadata.name ?? "");
    await using plane = await startTestPlane([], { controllers: [scoped, all], clock });
    for (let run = 0; run < 4; run++) await plane.run();
    expect(found["scoped"]).toEqual(["in"]);
    expect(found["all"]?.toSorted()).toEqual(["in", "label", "namespace"]);
    await plane.client.create(ConfigMap, { metadata: { name: "dark" }, data: {} });
    expect(await plane.run()).toMatchObject({ controller: "scoped", key: "a/in" });
    rows = [row("a", "in", "light"), ...rows.slice(1)];
    await clock.advance(10_000);
    const runs = [await plane.run(), await plane.run()];
    expect(runs.find((run) => run.controller === "scoped")).toMatchObject({
      key: "a/in",
      triggers: [{ type: "deleted" }],
      outcome: { type: "gone" },
    });
    await source.stop();
  });

  test("rejects a scope that pollers do not support", async () => {
    const clock = newClock();
    const { source } = table(clock);
    const sites = controller({ for: Site, from: source, scope: { metadataOnly: true }, reconcile() {} });
    await expect(startTestPlane([], { controllers: [sites], clock })).rejects.toThrow(
      /sites has "metadataOnly".*remove it/,
    );
    await source.stop();
  });

  test("functions that need an object in the API throw", async () => {
    const clock = newClock();
    const { rows, source } = table(clock);
    rows.set("a", { id: "a", title: "A" });
    const owning = controller({
      for: Site,
      name: "owning",
      from: source,
      owns: [Page],
      reconcile: (_, { ensure }) => void ensure(Page, "p", { html: "x" }),
    });
    const cleaning = controller({ for: Site, name: "cleaning", from: source, reconcile() {}, cleanup() {} });
    await using plane = await startTestPlane([Page], { controllers: [owning, cleaning], clock });
    const runs = [await plane.run(), await plane.run()].toSorted((a, b) =>
      a.controller < b.controller ? -1 : 1,
    );
    expect(runs.map(({ outcome }) => outcome)).toMatchObject([
      { type: "fail", reason: "NoFinalizer", message: expect.stringContaining("remove cleanup") },
      { type: "fail", reason: "OwnerNotInApi", message: expect.stringContaining("with the client") },
    ]);
    await source.stop();
  });

  test("a poller can list the API itself", async () => {
    const clock = newClock();
    const seen: string[] = [];
    let list = async (): Promise<readonly SiteObject[]> => [];
    const source = poll<SiteObject>({ name: "sites", interval: "10s", clock, list: () => list() });
    const sites = controller({
      for: Site,
      from: source,
      resync: false,
      reconcile: (site, { ready }) => {
        seen.push(site.name);
        ready("Polled");
      },
      cleanup() {},
    });
    await using plane = await startTestPlane([Site], { controllers: [sites], clock });
    await plane.client.create(Site, { metadata: { name: "hello" }, spec: {} });
    list = async () => (await plane.client.list(Site)).items;
    await source.refresh();
    await plane.run();
    expect(seen).toEqual(["hello"]);
    const site = await plane.client.get(Site, "hello");
    expect(condition(site, "Ready")).toMatchObject({ reason: "Polled" });
    expect(site.metadata.finalizers).toHaveLength(1);
    await source.stop();
  });

  test("a plain controller gets the key and a client, and returns what to do next", async () => {
    const clock = newClock();
    const seen: unknown[] = [];
    let next: { requeue?: boolean; requeueAfter?: "1m" } | undefined = { requeueAfter: "1m" };
    const sites = plainController({
      for: Site,
      owns: [Page],
      resync: false,
      async reconcile(request, { client, read, runId, recordEvent }) {
        seen.push(request);
        expect(runId).not.toBe("");
        const site = await client.find(Site, request);
        if (site === undefined) return;
        expect(read(Site, site.metadata.name ?? "")).toBeDefined();
        await client.patchStatus(Site, request, { status: { published: 1 } });
        recordEvent("Seen", "it was seen");
        return next;
      },
    });
    await using plane = await startTestPlane([Site, Page], { controllers: [sites], clock });
    const { client, run } = plane;
    await client.create(Site, { metadata: { name: "hello" }, spec: {} });
    expect(await run()).toMatchObject({
      outcome: { type: "requeue", after: 60_000 },
      writes: [{ verb: "patch", subresource: "status", after: { status: { published: 1 } } }],
    });
    next = { requeue: true };
    await clock.advance(60_000);
    expect((await run()).outcome).toMatchObject({ type: "error", reason: "Requeue" });
    next = undefined;
    await clock.advance(5);
    expect((await run()).outcome).toEqual({ type: "done" });
    await client.delete(Site, "hello");
    expect((await run()).outcome).toEqual({ type: "gone" });
    expect(seen).toHaveLength(4);
    for (const request of seen) expect(request).toEqual({ name: "hello", namespace: "default" });
  });
});
