import { describe, expect, test } from "vitest";
import { ConfigMap, Namespace, Secret } from "../../src/client/kinds/kubernetes.js";
import type { KubeObject } from "../../src/model/index.js";
import { controller } from "../../src/runtime/controller/controller.js";
import type { Run } from "../../src/runtime/runs/run.js";
import type { ReconcileContext } from "../../src/runtime/controller/reconcile-context.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Box, Page, Site, Tenant } from "./kinds.js";
import { condition, type TestPlane } from "./test-plane.js";

type Words = ReconcileContext<typeof Site, typeof Page | typeof Box | typeof ConfigMap | typeof Secret>;

describeHomes(({ startTestPlane }) => {
  /** Plane with one controller that calls the current `make` for every site. */
  async function start(first: (words: Words, site: KubeObject) => unknown) {
    let make = first;
    const sites = controller({
      for: Site,
      owns: [Page, Box, ConfigMap, Secret],
      backoff: { base: "1h", max: "1h" },
      reconcile: async (site, words) => (await make(words, site)) as undefined,
    });
    const plane = await startTestPlane([Site, Page, Box], { controllers: [sites] });
    await plane.client.create(Site, { metadata: { name: "hello" }, spec: {} });
    await plane.run();
    return Object.assign(plane, {
      /** Runs the controller with another `make`. */
      async again(now: typeof make = make): Promise<Run> {
        // A run that was handed out before would use the new function as well.
        await plane.controllers.get(Site).idle();
        make = now;
        return enqueueAndRun(plane);
      },
    });
  }

  let enqueued = 0;
  async function enqueueAndRun({ controllers, run }: TestPlane): Promise<Run> {
    const reason = `look ${++enqueued}`;
    controllers.enqueue(Site, "hello", { reason });
    return run(({ triggers }) => triggers.some(({ text }) => text === reason));
  }

  const writes = (run: Run): string[] =>
    run.writes.map(({ verb, kind, name, subresource }) =>
      [verb, kind.kind, name, subresource].filter(Boolean).join(" "),
    );

  describe("writes", () => {
    test("creates children with their owner, and does not write them again", async () => {
      const returned: (string | undefined)[] = [];
      await using plane = await start(({ ensure }) => {
        returned.push(ensure(Page, "hello-1", { html: "x" }, { labels: { site: "hello" } })?.spec.html);
      });
      expect(returned[0]).toBeUndefined();
      const site = await plane.client.get(Site, "hello");
      const page = await plane.client.get(Page, "hello-1");
      expect(page.metadata.labels).toEqual({ site: "hello" });
      expect(page.metadata.ownerReferences).toEqual([
        {
          apiVersion: "demo.dev/v1",
          kind: "Site",
          name: "hello",
          uid: site.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      expect(page.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
        ["fettle/sites.demo.dev", "Apply"],
      ]);
      const { writes: written, outcome } = await plane.again();
      expect(written).toEqual([]);
      expect(outcome).toEqual({ type: "done" });
      expect(returned.at(-1)).toBe("x");
    });

    test("does not write again what the server defaults or encodes differently", async () => {
      await using plane = await start(({ ensure }) => {
        ensure(Box, "box", {
          tags: ["b", "a"],
          ports: [{ port: 53 }, { port: 53, protocol: "UDP", name: "dns" }],
          // Atomic: the server adds its defaults inside of them.
          steps: [{ run: "make" }, { run: "test", shell: "bash" }],
          color: { green: 1 },
          notes: {},
        });
        // Stored as data, in base64.
        ensure(Secret, "key", { stringData: { password: "x" } });
        ensure(ConfigMap, "map", { data: { "index.html": "x" }, binaryData: {} });
      });
      const box = await plane.client.get(Box, "box");
      expect(box.spec).toMatchObject({ size: 3, color: { red: 0, green: 1 }, steps: [{ shell: "sh" }, {}] });
      expect((await plane.client.get(Secret, "key")).data).toEqual({ password: "eA==" });
      expect(writes(await plane.again())).toEqual([]);
    });

    test("keeps what others add to lists and maps of any type", async () => {
      const want = ({ ensure }: Words): void => {
        ensure(Box, "box", { tags: ["a", "b"], ports: [{ port: 80 }], notes: { ours: "1" } });
      };
      await using plane = await start(want);
      await plane.client.apply(
        Box,
        {
          metadata: { name: "box" },
          spec: { size: 5, tags: ["c"], ports: [{ port: 443, name: "tls" }], notes: { theirs: "2" } },
        },
        { fieldManager: "somebody" },
      );
      expect(writes(await plane.again())).toEqual([]);
      const run = await plane.again(({ ensure }) => {
        ensure(Box, "box", { tags: ["b"], notes: { ours: "2" } });
      });
      expect(writes(run)).toEqual(["apply Box box"]);
      expect((await plane.client.get(Box, "box")).spec).toMatchObject({
        size: 5,
        tags: ["b", "c"],
        ports: [{ port: 443, name: "tls" }],
        notes: { ours: "2", theirs: "2" },
      });
      expect(writes(await plane.again())).toEqual([]);
    });

    test("removes fields that are no longer ensured, and keeps fields of others", async () => {
      await using plane = await start(({ ensure }) => {
        ensure(ConfigMap, "web", { data: { ours: "1", old: "2" } });
      });
      await plane.client.patch(ConfigMap, "web", { data: { theirs: "3" } }, { fieldManager: "somebody" });
      const run = await plane.again(({ ensure }) => {
        ensure(ConfigMap, "web", { data: { ours: "1" } });
      });
      expect(writes(run)).toEqual(["apply ConfigMap web"]);
      expect((await plane.client.get(ConfigMap, "web")).data).toEqual({ ours: "1", theirs: "3" });
      expect(writes(await plane.again())).toEqual([]);
    });

    test("reverts changes by others", async () => {
      await using plane = await start(({ ensure }) => {
        ensure(Page, "hello-1", { html: "x" });
      });
      await plane.client.patch(Page, "hello-1", { spec: { html: "drift" } });
      const page = await plane.until(Page, "hello-1", (found) => found?.spec.html === "x");
      // Created, changed by the test, and reverted.
      expect(page?.metadata.generation).toBe(3);
    });

    test("records the object before and after a write", async () => {
      await using plane = await start(({ ensure }) => {
        ensure(Page, "hello-1", { html: "x" });
      });
      const run = await plane.again(({ ensure }) => {
        ensure(Page, "hello-1", { html: "y" });
      });
      expect(run.writes).toMatchObject([
        { verb: "apply", before: { spec: { html: "x" } }, after: { spec: { html: "y" } } },
      ]);
    });

    test("writes in the order of the calls; flush() writes at once", async () => {
      await using plane = await start(async ({ ensure, flush, client }) => {
        ensure(Page, "hello-1", { html: "x" });
        await flush();
        const page = await client.get(Page, "hello-1");
        ensure(ConfigMap, "uid", { data: { uid: page.metadata.uid ?? "" } });
      });
      expect((await plane.client.get(ConfigMap, "uid")).data?.["uid"]).toBe(
        (await plane.client.get(Page, "hello-1")).metadata.uid,
      );
      expect(writes(await plane.again())).toEqual([]);
    });
  });

  describe("pruning", () => {
    const two = ({ ensure }: Words): void => {
      ensure(Page, "a", { html: "x" });
      ensure(Page, "b", { html: "x" });
    };
    const one = ({ ensure }: Words): void => {
      ensure(Page, "a", { html: "x" });
    };
    const names = async ({ client }: TestPlane): Promise<unknown> =>
      (await client.list(Page)).items.map(({ metadata }) => metadata.name);

    test("deletes children that are no longer ensured", async () => {
      await using plane = await start(two);
      expect(writes(await plane.again(one))).toEqual(["delete Page b"]);
      expect(await names(plane)).toEqual(["a"]);
    });

    test("also happens when the run ends with requeue", async () => {
      await using plane = await start(two);
      const run = await plane.again((words) => {
        one(words);
        return words.requeue("1h");
      });
      expect(run.outcome.type).toBe("requeue");
      expect(await names(plane)).toEqual(["a"]);
    });

    test.each([
      ["wait", ({ wait }: Words) => wait("NotYet")],
      ["fail", ({ fail }: Words) => fail("Broken", "it cannot work")],
      [
        "a throw",
        () => {
          throw new Error("no");
        },
      ],
    ] as const)("does not happen after %s", async (_, end) => {
      await using plane = await start(two);
      const run = await plane.again((words) => {
        one(words);
        return end(words);
      });
      expect(writes(run).filter((write) => write.startsWith("delete"))).toEqual([]);
      expect(await names(plane)).toEqual(["a", "b"]);
    });

    test("spares children of another owner, and children of this owner that others created", async () => {
      await using plane = await start(one);
      const { metadata } = await plane.client.get(Page, "a");
      await plane.client.create(Page, { metadata: { name: "stranger" }, spec: { html: "x" } });
      // A child of the same owner that another manager created.
      await plane.client.create(Page, {
        metadata: { name: "others", ownerReferences: metadata.ownerReferences ?? [] },
        spec: { html: "x" },
      });
      await plane.controllers.idle();
      await plane.again(() => {});
      expect(await names(plane)).toEqual(["others", "stranger"]);
    });
  });

  describe("rejected children", () => {
    test("in another namespace", async () => {
      await using plane = await start(({ ensure }) => {
        ensure(Page, "far", { html: "x" }, { namespace: "kube-system" });
      });
      const site = await plane.client.get(Site, "hello");
      expect(condition(site, "Ready")).toMatchObject({
        status: "False",
        reason: "CrossNamespaceOwner",
        message: expect.stringMatching(
          /Site default\/hello cannot own Page far in namespace kube-system.*write the object with the client/,
        ),
      });
      expect((await plane.client.list(Page)).items).toEqual([]);
    });

    test("with the name of an existing object", async () => {
      await using plane = await start(() => {});
      await plane.client.create(ConfigMap, { metadata: { name: "taken" }, data: { theirs: "1" } });
      await plane.seen(ConfigMap, "default/taken");
      const { outcome } = await plane.again(({ ensure }) => {
        ensure(ConfigMap, "taken", { data: { ours: "1" } });
      });
      expect(outcome).toMatchObject({
        type: "error",
        message: expect.stringMatching(
          /ConfigMap default\/taken already exists and belongs to nobody, not to Site hello: .*adopt/,
        ),
      });
      expect((await plane.client.get(ConfigMap, "taken")).data).toEqual({ theirs: "1" });
      const { outcome: adopted } = await plane.again(({ ensure }) => {
        ensure(ConfigMap, "taken", { data: { ours: "1" } }, { adopt: true });
      });
      expect(adopted).toEqual({ type: "done" });
      const map = await plane.client.get(ConfigMap, "taken");
      expect(map.data).toEqual({ theirs: "1", ours: "1" });
      expect(map.metadata.ownerReferences).toMatchObject([{ name: "hello" }]);
    });

    test("of another owner, also with adopt", async () => {
      await using plane = await start(() => {});
      const other = await plane.client.create(ConfigMap, { metadata: { name: "x" } });
      const { uid = "" } = other.metadata;
      await plane.client.create(Page, {
        metadata: {
          name: "taken",
          ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x", uid, controller: true }],
        },
        spec: { html: "theirs" },
      });
      const { outcome } = await plane.again(({ ensure }) => {
        ensure(Page, "taken", { html: "ours" }, { adopt: true });
      });
      expect(outcome).toMatchObject({ message: expect.stringContaining("belongs to ConfigMap x") });
      expect((await plane.client.get(Page, "taken")).spec.html).toBe("theirs");
    });

    test("ensured twice with different contents", async () => {
      await using plane = await start(({ ensure }) => {
        ensure(Page, "a", { html: "x" });
        ensure(Page, "a", { html: "y" });
      });
      expect(condition(await plane.client.get(Site, "hello"), "Ready")).toMatchObject({
        reason: "ChildTwice",
      });
    });
  });

  test("reads what the client wrote in the same run, also after deleteAll", async () => {
    const seen: unknown[] = [];
    await using plane = await start(async ({ client, read, readAll, ready }) => {
      const finalizers = ["demo.dev/hold"];
      await client.create(ConfigMap, { metadata: { name: "a", labels: { of: "run" } } });
      await client.create(ConfigMap, { metadata: { name: "held", labels: { of: "run" }, finalizers } });
      const ours = (): string[] =>
        readAll(ConfigMap)
          .filter(({ metadata }) => metadata.labels?.of === "run")
          .map(({ metadata }) => metadata.name ?? "")
          .sort();
      seen.push(ours());
      await client.deleteAll(ConfigMap, { labelSelector: "of=run" });
      seen.push(ours(), read(ConfigMap, "held")?.metadata.deletionTimestamp !== undefined);
      await client.patch(ConfigMap, "held", { metadata: { finalizers: null } });
      seen.push(ours());
      ready();
    });
    await plane.controllers.idle();
    expect(seen.slice(0, 4)).toEqual([["a", "held"], ["held"], true, []]);
  });

  test("a cluster-scoped owner can create a namespace and objects in it", async () => {
    const tenants = controller({
      for: Tenant,
      owns: [Namespace, ConfigMap],
      reconcile(tenant, { ensure, children }) {
        expect(tenant.namespace).toBe("");
        ensure(Namespace, `tenant-${tenant.name}`, {}, { labels: { tenant: tenant.name } });
        ensure(
          ConfigMap,
          "settings",
          { data: { plan: tenant.spec.plan } },
          { namespace: `tenant-${tenant.name}` },
        );
        expect(children(ConfigMap).length).toBeLessThan(2);
      },
    });
    await using plane = await startTestPlane([Tenant], { controllers: [tenants] });
    await plane.client.create(Tenant, { metadata: { name: "acme" }, spec: {} });
    expect(writes(await plane.run())).toEqual(["apply Namespace tenant-acme", "apply ConfigMap settings"]);
    plane.controllers.enqueue(Tenant, "acme", { reason: "again" });
    const again = await plane.run(({ triggers }) => triggers.some(({ text }) => text === "again"));
    expect(again).toMatchObject({ key: "acme", writes: [], outcome: { type: "done" } });
    const settings = await plane.client.get(ConfigMap, { name: "settings", namespace: "tenant-acme" });
    expect(settings.metadata.ownerReferences).toMatchObject([{ kind: "Tenant", name: "acme" }]);
    // A change of a namespaced child triggers its cluster-scoped owner.
    await plane.client.patch(ConfigMap, settings, { data: { plan: "drift" } });
    expect(await plane.run(({ writes: made }) => made.length > 0)).toMatchObject({
      key: "acme",
      triggers: [{ type: "child", by: "ConfigMap tenant-acme/settings" }],
    });
  });
});
