import { VirtualClock } from "fettle/model";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTestPlane, type TestPlane } from "../test-plane.js";
import { clusters } from "./clusters.js";
import { Cluster, Node } from "./kinds.js";
import { MemoryMachines } from "./machines.js";
import { nodes } from "./nodes.js";

let machines: MemoryMachines;
let plane: TestPlane;

beforeEach(async () => {
  machines = new MemoryMachines();
  plane = await startTestPlane({
    kinds: [Cluster, Node],
    controllers: [clusters, nodes(machines)],
    clock: new VirtualClock(),
  });
});
afterEach(() => plane[Symbol.asyncDispose]());

const nodeNames = async () => (await plane.client.list(Node)).items.map((node) => node.metadata.name);

const startCluster = async () => {
  const spec = { version: "1.0", nodes: ["a", "b", "c"] };
  await plane.client.create(Cluster, { metadata: { name: "prod" }, spec });
  await plane.pass("11s");
};

test("a cluster gets its nodes, and is ready when all of them are up", async () => {
  const spec = { version: "1.0", nodes: ["a", "b", "c"] };
  await plane.client.create(Cluster, { metadata: { name: "prod" }, spec });
  await plane.untilAll(Node, (nodes) => nodes.length === 3);
  const booting = await plane.until(Cluster, "prod", (cluster) => cluster?.status?.up === 0);
  expect(booting?.status?.conditions).toMatchObject([
    { type: "Ready", status: "False", reason: "NodesBooting", message: "0 of 3 nodes run 1.0" },
  ]);

  await plane.pass("11s");
  const { status, metadata } = await plane.client.get(Cluster, "prod");
  expect(status).toMatchObject({ up: 3, conditions: [{ type: "Ready", status: "True", reason: "NodesUp" }] });
  const node = await plane.client.get(Node, "prod-a");
  expect(node.metadata.ownerReferences).toMatchObject([
    { kind: "Cluster", name: "prod", uid: metadata.uid, controller: true },
  ]);
});

test("a node that vanishes comes back", async () => {
  await startCluster();
  const { metadata } = await plane.client.get(Node, "prod-b");
  await plane.client.delete(Node, "prod-b");
  await plane.until(Node, "prod-b", (node) => node !== undefined && node.metadata.uid !== metadata.uid);
  await plane.pass("11s");
  expect((await plane.client.get(Node, "prod-b")).status?.version).toBe("1.0");
});

test("a node that is no longer named goes, with its machine", async () => {
  await startCluster();
  await plane.client.patch(Cluster, "prod", { spec: { nodes: ["a", "c"] } });
  await plane.untilAll(Node, (nodes) => nodes.length === 2);
  await plane.pass("1s");
  expect(await nodeNames()).toEqual(["prod-a", "prod-c"]);
  expect([...machines.versions.keys()]).toEqual(["default/prod-a", "default/prod-c"]);
});

test("a new version of the cluster reaches its nodes through the index", async () => {
  await startCluster();
  await plane.client.patch(Cluster, "prod", { spec: { version: "2.0" } });
  await plane.pass("11s");
  expect(new Set(machines.versions.values())).toEqual(new Set(["2.0"]));
  expect((await plane.client.get(Cluster, "prod")).status?.up).toBe(3);
  const reasons = (await plane.controllers.runs.find({ kind: "Node", key: "default/prod-a" })).flatMap(
    (run) => run.triggers,
  );
  expect(reasons).toContainEqual(
    expect.objectContaining({ type: "watched", by: "Cluster default/prod", text: "updated" }),
  );
});

test("a node can be looked at for a reason that no watch tells of", async () => {
  await startCluster();
  machines.versions.clear();
  plane.controllers.enqueue(Node, "prod-a", { reason: "Cluster update" });
  plane.controllers.enqueue(Node, "prod-b", { reason: "Cluster update", after: "30s" });
  await plane.pass("11s");
  expect([...machines.versions]).toEqual([["default/prod-a", "1.0"]]);
  await plane.pass("20s");
  expect(machines.versions.get("default/prod-b")).toBe("1.0");
  const runs = await plane.controllers.runs.find({ kind: "Node", key: "default/prod-b" });
  expect(runs.flatMap((run) => run.triggers)).toContainEqual(
    expect.objectContaining({ type: "manual", text: "Cluster update" }),
  );
});

test("a node goes only when its machine has been given back", async () => {
  await startCluster();
  vi.spyOn(machines, "release").mockRejectedValueOnce(new Error("no answer"));
  await plane.client.patch(Cluster, "prod", { spec: { nodes: ["a", "c"] } });
  await plane.until(Node, "prod-b", (node) => node?.metadata.deletionTimestamp !== undefined);
  expect([...machines.versions.keys()]).toContain("default/prod-b");
  await plane.pass("1m");
  expect(await nodeNames()).toEqual(["prod-a", "prod-c"]);
  expect([...machines.versions.keys()]).toEqual(["default/prod-a", "default/prod-c"]);
});

test("deleting a cluster removes its nodes and gives the machines back", async () => {
  await startCluster();
  await plane.client.delete(Cluster, "prod");
  await plane.untilAll(Node, (nodes) => nodes.length === 0);
  await plane.pass("1s");
  expect([...machines.versions]).toEqual([]);
  expect(await nodeNames()).toEqual([]);
});
