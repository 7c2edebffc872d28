import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { silent as silentLog } from "../../src/runtime/log/log.js";
import { resource } from "../../src/model/index.js";
import { controlPlane, type ControlPlane, type ControlPlaneOptions } from "../../src/plane/control-plane.js";
import { registerDefinitions } from "../../src/plane/definitions/register-definitions.js";
import type { PeerConflict } from "../../src/plane/peers/conflicts.js";
import type { PeerOptions, PeersOptions } from "../../src/plane/peers/peer-options.js";
import { until } from "./until.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({
    title: z.string().optional(),
    pages: z.int().optional(),
    links: z.record(z.string(), z.string()).optional(),
  }),
  status: z.object({ published: z.int().optional() }),
});

interface Options extends Omit<ControlPlaneOptions, "peers"> {
  readonly peers?: Omit<PeersOptions, "peers"> & { readonly peers?: readonly PeerOptions[] };
}

async function plane(
  options: Options = {},
  ...peers: readonly (ControlPlane | PeerOptions)[]
): Promise<ControlPlane> {
  const all = peers.map((peer) => ("client" in peer ? { kubeconfig: peer.kubeconfig } : peer));
  const started = await controlPlane({
    store: "memory",
    listen: { port: 0 },
    kinds: [Site],
    ...options,
    peers: all.length === 0 ? undefined : { kinds: [Site], syncInterval: "1s", ...options.peers, peers: all },
  });
  onTestFinished(() => started.stop());
  return started;
}

const title = async ({ client }: ControlPlane, name: string): Promise<string | undefined> =>
  (await client.find(Site, name))?.spec.title;

test("creates, updates and deletes copies, without what belongs to the other plane", async () => {
  const a = await plane();
  const b = await plane({}, a);
  const owner = await a.client.create(ConfigMap, { metadata: { name: "owner" } });
  const created = await a.client.create(Site, {
    metadata: {
      name: "hello",
      labels: { tier: "web" },
      annotations: { note: "kept", "fettle.dev/paused": "true" },
      finalizers: ["demo.dev/hold"],
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "" },
      ],
    },
    spec: { title: "Hello" },
  });
  const copy = await until(() => b.client.find(Site, "hello"));
  expect(copy.spec).toEqual({ title: "Hello" });
  const { annotations, ...metadata } = copy.metadata;
  expect(metadata).toMatchObject({ labels: { tier: "web" } });
  expect(metadata).not.toHaveProperty("finalizers");
  expect(metadata).not.toHaveProperty("ownerReferences");
  expect(metadata.uid).not.toBe(created.metadata.uid);
  expect(annotations).toMatchObject({ note: "kept", "fettle.dev/origin-uid": created.metadata.uid });
  expect(annotations).not.toHaveProperty("fettle.dev/paused");
  expect(metadata.managedFields?.map(({ manager }) => manager)).toEqual(["fettle-peer-peer-1"]);

  await a.client.patch(Site, "hello", {
    metadata: { labels: { tier: null } },
    spec: { title: "Hello again" },
  });
  await until(async () => (await title(b, "hello")) === "Hello again");
  expect((await b.client.get(Site, "hello")).metadata.labels ?? {}).toEqual({});

  await a.client.delete(Site, "hello");
  await until(async () => (await b.client.find(Site, "hello")) === undefined);
  // The original still waits for its finalizer.
  expect((await a.client.get(Site, "hello")).metadata.deletionTimestamp).toBeDefined();
});

test("pulls only selected namespaces and labels, and creates missing namespaces", async () => {
  const a = await plane();
  const b = await plane({}, { kubeconfig: a.kubeconfig, namespaces: ["blue", "red"], selector: "sync=yes" });
  for (const name of ["blue", "red", "green"]) {
    await a.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (const sync of ["yes", "no"]) {
      await a.client.create(Site, {
        metadata: { name: `${name}-${sync}`, namespace: name, labels: { sync } },
        spec: {},
      });
    }
  }
  await until(async () => (await b.client.list(Site)).items.length === 2);
  await until(async () => b.peers?.states()[0]?.state === "synced");
  const names = (await b.client.list(Site)).items.map(({ metadata }) => metadata.name);
  expect(names.toSorted((one = "", other = "") => one.localeCompare(other))).toEqual(["blue-yes", "red-yes"]);
  // An object that is no longer selected is deleted, like one that does not exist.
  await a.client.patch(
    Site,
    { name: "blue-yes", namespace: "blue" },
    { metadata: { labels: { sync: "no" } } },
  );
  await until(async () => (await b.client.list(Site)).items.length === 1);
});

test("a user's object is never deleted, even with the annotations of a copy", async () => {
  const a = await plane();
  const b = await plane({}, a);
  await a.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
  const { metadata } = await until(() => b.client.find(Site, "hello"));
  await b.client.create(Site, {
    metadata: { name: "mine", annotations: metadata.annotations ?? {} },
    spec: {},
  });
  await a.client.delete(Site, "hello");
  await until(async () => (await b.client.find(Site, "hello")) === undefined);
  await b.client.get(Site, "mine");
});

test("a copy that was deleted here comes back, and a replaced original replaces its copy", async () => {
  const a = await plane();
  const b = await plane({}, a);
  await a.client.create(Site, { metadata: { name: "hello" }, spec: { title: "one" } });
  const first = await until(() => b.client.find(Site, "hello"));
  await b.client.delete(Site, "hello");
  const second = await until(() => b.client.find(Site, "hello"));
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
  await a.client.delete(Site, "hello");
  await a.client.create(Site, { metadata: { name: "hello" }, spec: { title: "two" } });
  await until(async () => (await title(b, "hello")) === "two");
  expect((await b.client.get(Site, "hello")).metadata.uid).not.toBe(second.metadata.uid);
});

test("source-wins undoes edits of copies, and reports them", async () => {
  const conflicts: PeerConflict[] = [];
  const a = await plane();
  const b = await plane({ peers: { merge: "source-wins", onConflict: (each) => conflicts.push(each) } }, a);
  const emitted = new Promise<unknown>((resolve) => {
    b.events.subscribe("peer.conflict", async ({ data }) => resolve(data));
  });
  await a.client.create(Site, { metadata: { name: "hello" }, spec: { title: "source" } });
  await until(() => b.client.find(Site, "hello"));
  await b.client.patch(Site, "hello", { spec: { title: "edited" } });
  await until(async () => (await title(b, "hello")) === "source" && conflicts.length > 0);
  expect(conflicts).toMatchObject([{ peer: "peer-1", name: "hello", reason: "Edited", kept: "theirs" }]);
  expect(await emitted).toMatchObject({ name: "hello", reason: "Edited" });
  expect(b.peers?.states()[0]).toMatchObject({ conflicts: 1, recentConflicts: [{ reason: "Edited" }] });
  // An object that was made here is not overwritten, either.
  await b.client.create(Site, { metadata: { name: "both" }, spec: { title: "here" } });
  await a.client.create(Site, { metadata: { name: "both" }, spec: { title: "there" } });
  await until(() => conflicts.length > 1);
  expect(conflicts[1]).toMatchObject({ name: "both", reason: "NameTaken", kept: "ours" });
  expect(await title(b, "both")).toBe("here");
});

test("newest-wins takes the later of two concurrent edits on both planes", async () => {
  const conflicts: PeerConflict[] = [];
  const peers = { onConflict: (each: PeerConflict) => void conflicts.push(each) };
  const a = await plane({ peers }, { name: "later", server: "https://127.0.0.1:1" });
  const b = await plane({ peers }, a);
  const site = { metadata: { name: "hello" }, spec: { title: "first" } };
  await a.client.create(Site, site);
  await until(() => b.client.find(Site, "hello"));
  // B follows A, and A does not follow B: an edit at B is later than the version that it is based on.
  await b.client.patch(Site, "hello", { spec: { title: "second" } });
  await until(async () => b.peers?.states()[0]?.state === "synced");
  expect(await title(b, "hello")).toBe("second");
  expect(await title(a, "hello")).toBe("first");
  expect(conflicts).toEqual([]);
  await a.client.patch(Site, "hello", { spec: { title: "third" } });
  await until(() => conflicts.length > 0);
  expect(conflicts[0]).toMatchObject({ reason: "Edited", name: "hello" });
});

test("field-managers keep the fields of others, in both directions", async () => {
  const conflicts: PeerConflict[] = [];
  const merge = "field-managers" as const;
  const a = await plane();
  const b = await plane(
    { peers: { merge, onConflict: (each) => conflicts.push(each) } },
    { name: "a", kubeconfig: a.kubeconfig },
  );
  const c = await plane({ peers: { merge } }, { name: "b", kubeconfig: b.kubeconfig });
  await a.client.apply(Site, {
    metadata: { name: "hello" },
    spec: { title: "A", links: { a: "1", b: "2" } },
  });
  await until(() => b.client.find(Site, "hello"));
  await b.client.apply(
    Site,
    { metadata: { name: "hello" }, spec: { pages: 7, links: { c: "3" } } },
    { fieldManager: "local" },
  );
  // C has the fields of A through B, and those of B.
  await until(async () => (await c.client.find(Site, "hello"))?.spec.pages === 7);
  expect((await c.client.get(Site, "hello")).spec).toEqual({
    title: "A",
    pages: 7,
    links: { a: "1", b: "2", c: "3" },
  });
  // A field that A removes is removed everywhere, and those of B stay.
  await a.client.apply(Site, { metadata: { name: "hello" }, spec: { title: "A2", links: { a: "1" } } });
  await until(async () => (await title(c, "hello")) === "A2");
  expect((await c.client.get(Site, "hello")).spec).toEqual({
    title: "A2",
    pages: 7,
    links: { a: "1", c: "3" },
  });
  expect(conflicts).toEqual([]);
  // A field that B takes over is kept, and reported.
  await b.client.patch(Site, "hello", { spec: { title: "B" } }, { fieldManager: "local" });
  await until(() => conflicts.length > 0);
  expect(conflicts[0]).toMatchObject({ reason: "FieldOwned", kept: "ours", fields: [".spec.title"] });
  await until(async () => (await title(c, "hello")) === "B");
  await a.client.delete(Site, "hello");
  await until(async () => (await c.client.find(Site, "hello")) === undefined);
});

test("the status is pulled only on request", async () => {
  const a = await plane();
  const b = await plane({}, a);
  const c = await plane({ peers: { status: true } }, a);
  const site = await a.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
  await a.client.updateStatus(Site, { ...site, status: { published: 3 } });
  await until(async () => (await c.client.find(Site, "hello"))?.status?.published === 3);
  await until(() => b.client.find(Site, "hello"));
  expect((await b.client.get(Site, "hello")).status?.published).toBeUndefined();
  const { resourceVersion } = (await b.client.get(Site, "hello")).metadata;
  await a.client.patchStatus(Site, "hello", { status: { published: 4 } });
  await until(async () => (await c.client.find(Site, "hello"))?.status?.published === 4);
  expect((await b.client.get(Site, "hello")).metadata.resourceVersion).toBe(resourceVersion);
});

test("reports missing kinds and other schemas, and pulls the rest", async () => {
  const Strict = resource("demo.dev/v1", "Site", {
    spec: z.object({ title: z.string().max(5), pages: z.int().default(1) }),
    status: z.object({}),
  });
  const conflicts: PeerConflict[] = [];
  const a = await plane();
  const b = await plane(
    {
      kinds: [Strict],
      peers: { kinds: [Site, ConfigMap, "other.dev/v1/Thing"], onConflict: (each) => conflicts.push(each) },
    },
    a,
  );
  await a.client.create(ConfigMap, { metadata: { name: "settings" }, data: { color: "red" } });
  await a.client.create(Site, { metadata: { name: "short" }, spec: { title: "Hi" } });
  await a.client.create(Site, { metadata: { name: "long" }, spec: { title: "A long title" } });
  await until(() => b.client.find(ConfigMap, "settings"));
  await until(() => conflicts.length >= 2);
  expect(conflicts).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        name: "short",
        reason: "SchemaDiffers",
        kept: "theirs",
        fields: [".spec.pages"],
      }),
      expect.objectContaining({ name: "long", reason: "SchemaDiffers", kept: "ours" }),
    ]),
  );
  expect(b.peers?.states()[0]).toMatchObject({ state: "degraded" });
  const kinds = b.peers?.states()[0]?.kinds ?? [];
  expect(kinds.find(({ kind }) => kind === "Thing")).toMatchObject({
    state: "failing",
    error: "other.dev/v1/Thing does not exist here; register its definition",
  });
  // The changed object counts as pulled.
  const { resourceVersion } = (await b.client.get(Strict, "short")).metadata;
  for (let comparisons = 0; comparisons < 2; comparisons++) {
    const last = b.peers?.states()[0]?.lastSync ?? 0;
    await until(() => (b.peers?.states()[0]?.lastSync ?? 0) > last);
  }
  expect((await b.client.get(Strict, "short")).metadata.resourceVersion).toBe(resourceVersion);
});

test("keeps its copies when another plane takes the address of a peer, and takes over those that it has", async () => {
  const first = await plane();
  const port = Number(new URL(first.url ?? "").port);
  const data = await mkdtemp(join(tmpdir(), "fettle-peers-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  // The certificate and the token stay the same, only the objects are lost.
  const keys = join(data, "keys");
  await first.stop();
  const listen = { port, tls: false };
  const served = { listen, data: keys };
  const a = await plane(served);
  const token = (await readFile(join(keys, "kubeconfig"), "utf8")).match(/token: "?([^\s"]+)/)?.[1] ?? "";
  const b = await plane({}, { name: "a", server: `http://127.0.0.1:${port}`, token });
  for (const name of ["lost", "again"])
    await a.client.create(Site, { metadata: { name }, spec: { title: "old" } });
  await until(() => b.client.find(Site, "lost"));
  await until(() => b.client.find(Site, "again"));
  const { id } = b.peers?.states()[0] ?? {};
  await a.stop();
  const replacement = await plane(served);
  await replacement.client.create(Site, { metadata: { name: "again" }, spec: { title: "new" } });
  await until(() => b.peers?.states()[0]?.id !== id);
  await until(async () => (await title(b, "again")) === "new");
  expect(await title(b, "lost")).toBe("old");
  await replacement.client.delete(Site, "again");
  await until(async () => (await b.client.find(Site, "again")) === undefined);
  expect(await title(b, "lost")).toBe("old");
});

test("pulls a kind as soon as it exists on both planes", async () => {
  const Later = resource("demo.dev/v1", "Later", { spec: z.object({}) });
  const a = await plane();
  const b = await plane({ peers: { kinds: [Later] } }, a);
  await until(() => b.peers?.states()[0]?.state === "degraded");
  await registerDefinitions(a.client, [Later], { log: silentLog });
  await a.client.create(Later, { metadata: { name: "x" }, spec: {} });
  await registerDefinitions(b.client, [Later], { log: silentLog });
  await until(() => b.client.find(Later, "x"));
  await until(() => b.peers?.states()[0]?.state === "synced");
});

test("a peer that accepts connections and never responds holds up neither others nor the stop", async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const a = await plane();
  const b = await plane({}, a, { name: "silent", server: `http://127.0.0.1:${port}` });
  await a.client.create(Site, { metadata: { name: "x" }, spec: {} });
  await until(() => b.client.find(Site, "x"));
  await until(() => sockets.size > 0);
  await until(() => b.peers?.states()[0]?.state === "synced");
  expect(b.peers?.states()[1]?.state).toBe("connecting");
  await b.stop();
  for (const socket of sockets) socket.destroy();
});

test("leaves the objects alone that each plane has for itself", async () => {
  const a = await plane();
  const b = await plane({ peers: { kinds: [ConfigMap] } }, a);
  const authority = { name: "kube-root-ca.crt", namespace: "default" };
  const before = await until(() => b.client.find(ConfigMap, authority));
  await a.client.create(ConfigMap, { metadata: { name: "x" } });
  await until(() => b.client.find(ConfigMap, "x"));
  await until(() => b.peers?.states()[0]?.state === "synced");
  expect((await b.client.get(ConfigMap, authority)).metadata.resourceVersion).toBe(
    before.metadata.resourceVersion,
  );
  expect(b.peers?.states()[0]?.conflicts).toBe(0);
});

test("refuses options that make no sense when it starts, and itself when it reaches it", async () => {
  const bad = (peer: PeerOptions): Promise<unknown> =>
    controlPlane({ store: "memory", listen: false, peers: { peers: [peer] } }).catch((error: unknown) =>
      String(error),
    );
  const kinds = ["v1/ConfigMap"] as const;
  const server = "https://127.0.0.1:7700";
  expect(await bad({ kinds })).toContain('peer "peer-1": kubeconfig or server is missing');
  expect(await bad({ server })).toContain("kinds is missing");
  expect(await bad({ server, kinds: ["Site" as "v1/Site"] })).toContain('kind "Site" must be like');
  expect(await bad({ server, kinds: ["v1/Namespace"] })).toContain("v1/Namespace cannot be pulled");
  expect(await bad({ server, kinds, name: "Berlin" })).toContain('peer "Berlin": its name must have');
  expect(await bad({ server, kinds, selector: "a=b=c" })).toContain('selector "a=b=c"');
  expect(await bad({ server: "127.0.0.1", kinds })).toContain("must be a URL");
  expect(await bad({ server, kinds, kubeconfig: "x" })).toContain("contradict each other");
  expect(await bad({ server, kinds, merge: "oldest" as "newest-wins" })).toContain(
    "merge must be newest-wins",
  );
  expect(await bad({ server, kinds, direction: "push" as "pull" })).toContain(
    "make this plane a peer of the other",
  );
  const data = await mkdtemp(join(tmpdir(), "fettle-peers-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const self = await plane({ data }, { kubeconfig: join(data, "kubeconfig") });
  await until(() => self.peers?.states()[0]?.error !== undefined);
  expect(self.peers?.states()[0]).toMatchObject({
    state: "unreachable",
    error: "this peer is the control plane itself; remove it from the peers",
  });
});
