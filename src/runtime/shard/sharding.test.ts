import { beforeEach, expect, test } from "vitest";
import { failures, VirtualClock } from "../../model/core.js";
import { LeaseServer } from "../lease/fixtures/lease-server.js";
import { Replica } from "./fixtures/replica.js";
import { shardsAnnotation } from "./shard-map.js";
import { shardOf } from "./shard-of.js";
import { sharding, type ShardingOptions } from "./sharding.js";

let world: VirtualClock;
let server: LeaseServer;
beforeEach(() => {
  world = new VirtualClock();
  server = new LeaseServer();
});

const replica = (identity: string, options?: Partial<ShardingOptions>): Replica =>
  new Replica(world, server, identity, options);
const owned = (...replicas: readonly Replica[]): number[] => replicas.map((each) => each.sharding.owned);
const written = (): unknown =>
  JSON.parse(server.leases.get("sites")?.metadata.annotations?.[shardsAnnotation] ?? "null");
const unavailable = { lost: { at: "request" as const, error: failures.serviceUnavailable("no") } };

/** No shard is held by two, and what each believes is what it was told. */
function check(...replicas: readonly Replica[]): void {
  const all = replicas.flatMap((each) => [...each.held]);
  expect(new Set(all).size).toBe(all.length);
  for (const each of replicas) expect(each.sharding.owned).toBe(each.held.size);
}

test("the first process takes all shards, and later ones get their share", async () => {
  const a = replica("a");
  await world.advance(0);
  expect(owned(a)).toEqual([12]);
  const b = replica("b");
  await world.advance(10_000);
  expect(owned(a, b)).toEqual([6, 6]);
  const c = replica("c");
  await world.advance(10_000);
  expect(owned(a, b, c)).toEqual([4, 4, 4]);
  expect([a.sharding.members, a.sharding.shards]).toEqual([3, 12]);
  check(a, b, c);
  // Only what c got has moved.
  expect(a.log).toEqual(["gained 12", "release 6", "release 2"]);
  expect(b.log).toEqual(["gained 6", "release 2"]);
  const key = "default/hello";
  const owner = [a, b, c].find((each) => each.held.has(shardOf(key, 12)));
  for (const each of [a, b, c]) {
    expect(each.sharding.owns(key)).toBe(each === owner);
    if (each === owner) each.sharding.guard(key);
    else
      expect(() => each.sharding.guard(key)).toThrow(/does not own shard \d+ of default\/sites, which has/);
  }
});

test("a process that stops releases each shard as soon as it has no active runs, and deletes its Lease", async () => {
  const [a, b] = [replica("a"), replica("b")];
  await world.advance(10_000);
  const [busy = -1] = a.held;
  a.working.add(busy);
  a.stop();
  await world.advance(5000);
  expect(owned(a, b)).toEqual([0, 11]);
  expect(() => a.sharding.guard(keyIn(busy))).not.toThrow();
  expect(a.sharding.owns(keyIn(busy))).toBe(false);
  a.finish();
  await world.advance(3000);
  await a.done;
  expect(owned(a, b)).toEqual([0, 12]);
  b.stop();
  await world.advance(3000);
  await b.done;
  expect([...server.leases.keys()]).toEqual(["sites"]);
  expect(written()).toMatchObject({ shards: 12, owners: {} });
  expect([...a.errors, ...b.errors]).toEqual([]);
});

test("active runs may end when their shard moves, and are cancelled if they do not in time", async () => {
  const a = replica("a", { handOver: "8s" });
  await world.advance(0);
  for (const shard of a.held) a.working.add(shard);
  const b = replica("b");
  await world.advance(6000);
  expect(owned(a, b)).toEqual([6, 0]);
  expect(a.working.size).toBe(12);
  await world.advance(8000);
  expect(a.log).toContain("cancel 6");
  expect(owned(a, b)).toEqual([6, 6]);
  check(a, b);
});

test("the shards of a dead process go to others when its Lease has expired, and not before", async () => {
  const [a, b, c] = [replica("a"), replica("b"), replica("c")];
  await world.advance(20_000);
  a.machine.freeze(10 ** 9);
  const before = owned(b, c);
  await world.advance(14_000);
  expect(owned(b, c)).toEqual(before);
  await world.advance(2500);
  expect(owned(b, c)).toEqual([6, 6]);
  check(b, c);
  // Its lease is swept away, so that whoever comes later does not wait for it.
  await world.advance(10_000);
  expect(server.leases.size).toBe(3);
});

test("a process that was suspended past its Lease owns nothing when it continues, and joins again", async () => {
  const [a, b] = [replica("a"), replica("b")];
  await world.advance(10_000);
  const [shard = -1] = a.held;
  a.working.add(shard);
  a.machine.freeze(40_000);
  await world.advance(39_000);
  expect(owned(b)).toEqual([12]);
  // Asked before any of its timers has fired, it says no.
  expect(a.sharding.owns(keyIn(shard))).toBe(false);
  expect(() => a.sharding.guard(keyIn(shard))).toThrow("does not own shard");
  expect(a.working.size).toBe(0);
  await world.advance(12_000);
  expect(owned(a, b)).toEqual([6, 6]);
  check(a, b);
});

test("a process that cannot renew its Lease stops before it expires", async () => {
  const [a, b] = [replica("a"), replica("b")];
  await world.advance(10_000);
  a.fate = () => unavailable;
  await world.advance(10_500);
  expect([a.sharding.isMember, a.held.size]).toEqual([false, 0]);
  expect(owned(b)).toEqual([6]);
  await world.advance(10_000);
  expect(owned(b)).toEqual([12]);
  a.fate = () => ({});
  await world.advance(10_000);
  expect(owned(a, b)).toEqual([6, 6]);
});

test("a slow response does not make other members count as gone", async () => {
  const [a, b] = [replica("a"), replica("b")];
  await world.advance(10_000);
  const shares = owned(a, b);
  // From now on b sees everything late, while a goes on renewing.
  b.fate = (verb) => (verb === "list" ? { after: () => b.machine.arrival(4900) } : {});
  await world.advance(60_000);
  expect(owned(a, b)).toEqual(shares);
  check(a, b);
});

test("a shard whose release got no response is not worked on before it is gained again", async () => {
  const a = replica("a");
  await world.advance(0);
  let lost = 0;
  a.fate = (verb) =>
    verb === "update" && a.held.size === 6 && lost++ === 0
      ? { lost: { at: "answer", error: failures.timeout("lost") } }
      : {};
  const b = replica("b");
  await world.advance(15_000);
  expect(lost).toBeGreaterThan(0);
  expect(owned(a, b)).toEqual([6, 6]);
  check(a, b);
});

test("when a Lease or the map is deleted, no shard has two owners, and all shards get an owner again", async () => {
  const [a, b] = [replica("a"), replica("b")];
  await world.advance(10_000);
  server.leases.delete("sites");
  await world.advance(10_000);
  expect(owned(a, b)).toEqual([6, 6]);
  check(a, b);
  const member = [...server.leases.keys()].find((name) => name !== "sites");
  server.leases.delete(member ?? "");
  await world.advance(30_000);
  expect(owned(a, b)).toEqual([6, 6]);
  check(a, b);
});

test("the number of shards is that of the processes at work", async () => {
  const a = replica("a");
  await world.advance(0);
  const b = replica("b", { shards: 5 });
  await world.advance(10_000);
  expect(owned(a, b)).toEqual([6, 6]);
  expect(b.sharding.shards).toBe(12);
  for (const each of [a, b]) each.stop();
  await world.advance(10_000);
  const c = replica("c", { shards: 5 });
  await world.advance(0);
  expect(owned(c)).toEqual([5]);
  expect(c.sharding.shards).toBe(5);
});

test("with more processes than shards, some own none", async () => {
  const all = ["a", "b", "c"].map((each) => replica(each, { shards: 2 }));
  await world.advance(10_000);
  expect(owned(...all).toSorted((a, b) => a - b)).toEqual([0, 1, 1]);
  for (const each of all) await each.sharding.ready();
});

test("rejects invalid options", () => {
  const options = { client: server.client(), namespace: "default", name: "sites" };
  expect(() => sharding({ ...options, shards: 0 })).toThrow("there cannot be 0 shards");
  expect(() => sharding({ ...options, renewDeadline: "20s" })).toThrow("make leaseDuration longer");
});

test("a Lease of that name that belongs to an election is not changed", async () => {
  await server.client().create("coordination.k8s.io/v1/Lease", { metadata: { name: "sites" } });
  // It is not among those with the label.
  const a = new Replica(world, hiding(server), "a");
  await world.advance(1000);
  expect(String(a.errors[0])).toContain("choose another name for the sharding");
  expect(owned(a)).toEqual([0]);
});

function hiding(from: LeaseServer): LeaseServer {
  const hidden = Object.create(from) as LeaseServer;
  hidden.client = (fate) => {
    const client = from.client(fate);
    const list = async (...args: Parameters<typeof client.list>) => {
      const page = await client.list(...args);
      return { ...page, items: page.items.filter(({ metadata }) => metadata.name !== "sites") };
    };
    return { ...client, list } as typeof client;
  };
  return hidden;
}

/** A key that falls into a shard. */
function keyIn(shard: number): string {
  for (let index = 0; ; index++) if (shardOf(`default/${index}`, 12) === shard) return `default/${index}`;
}
