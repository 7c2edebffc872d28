import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { loadConnection } from "../../src/client/kubeconfig/load-connection.js";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { fettle } from "../cli/fettle-process.js";
import { peerSetting, planeProcess, type PlaneProcess } from "./plane-process.js";
import { until } from "./until.js";

const create = (plane: PlaneProcess, name: string, data: Record<string, string>): Promise<unknown> =>
  plane.client.create(ConfigMap, { metadata: { name }, data });

const edit = (plane: PlaneProcess, name: string, data: Record<string, string | null>): Promise<unknown> =>
  plane.client.patch(ConfigMap, name, { data } as never, { fieldManager: "editor" });

const has = (plane: PlaneProcess, name: string, data: Record<string, string> | undefined): Promise<true> =>
  until(async () => isDeepStrictEqual(await plane.data(name), data));

/** Two planes that have each other as peers. */
async function pair(
  further: Readonly<Record<string, unknown>> = {},
): Promise<readonly [PlaneProcess, PlaneProcess]> {
  const [a, b] = [await planeProcess(), await planeProcess()];
  await a.configure([peerSetting("b", b, further)]);
  await b.configure([peerSetting("a", a, further)]);
  return [a, b];
}

/** Each plane pulls from the one before it. */
async function ring(): Promise<readonly [PlaneProcess, PlaneProcess, PlaneProcess]> {
  const [a, b, c] = [await planeProcess(), await planeProcess(), await planeProcess()];
  await a.configure([peerSetting("c", c)]);
  await b.configure([peerSetting("a", a)]);
  await c.configure([peerSetting("b", b)]);
  await Promise.all([a.start(), b.start(), c.start()]);
  return [a, b, c];
}

const revisions = async (planes: readonly PlaneProcess[]): Promise<readonly string[][]> =>
  Promise.all(
    planes.map(async ({ client }) => {
      const { items } = await client.list(ConfigMap, { namespace: "default" });
      return items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
    }),
  );

test("two planes have the same objects, and stop cleanly with and without each other", async () => {
  const [a, b] = await pair();
  // A starts although B has never run.
  await a.start();
  await a.reached("unreachable");
  await create(a, "of-a", { color: "red" });
  await b.start();
  await has(b, "of-a", { color: "red" });
  await create(b, "of-b", { size: "1" });
  await has(a, "of-b", { size: "1" });
  await edit(a, "of-a", { color: "blue", shape: "round" });
  await has(b, "of-a", { color: "blue", shape: "round" });
  // Also an edit of a copy is taken.
  await edit(a, "of-b", { size: "2" });
  await has(b, "of-b", { size: "2" });
  await a.client.delete(ConfigMap, "of-a");
  await has(b, "of-a", undefined);
  await a.reached("synced");
  const table = fettle(["peers"], { cwd: a.folder });
  await table.ended;
  expect(table.out()).toMatch(/^PEER +STATE +LAST SYNC .*\nb +synced +\d+s ago +2 +0 +0s +0/);
  expect(await b.stop("SIGINT")).toBe(0);
  await a.reached("unreachable");
  expect(await a.stop("SIGINT")).toBe(0);
  expect(a.running.err() + b.running.err()).not.toMatch(/conflict|error/i);
}, 120_000);

test("three planes in a ring write each change once, and become quiet", async () => {
  const planes = await ring();
  const [a, b, c] = planes;
  await create(a, "x", { value: "1" });
  await has(c, "x", { value: "1" });
  await edit(c, "x", { value: "2" });
  await has(b, "x", { value: "2" });
  await Promise.all(planes.map((plane) => plane.compared(2)));
  const watching = new AbortController();
  const events: string[] = [];
  const watches = planes.map(async ({ client }, index) => {
    const { resourceVersion } = await client.list(ConfigMap, { namespace: "default" });
    const where = { namespace: "default", resourceVersion, signal: watching.signal };
    for await (const { type, object } of client.watch(ConfigMap, where)) {
      events.push(`${"abc"[index]} ${type} ${object.metadata.name}`);
    }
  });
  await edit(b, "x", { value: "3" });
  await has(a, "x", { value: "3" });
  await create(a, "y", {});
  await has(c, "y", undefined);
  await until(() => c.client.find(ConfigMap, "y"));
  await b.client.delete(ConfigMap, "y");
  // A copy that was deleted by mistake comes back, and its own copy with it.
  await until(() => b.client.find(ConfigMap, "y"));
  await until(() => c.client.find(ConfigMap, "y"));
  await a.client.delete(ConfigMap, "x");
  await has(c, "x", undefined);
  await Promise.all(planes.map((plane) => plane.compared(2)));
  const before = await revisions(planes);
  const count = events.length;
  await Promise.all(planes.map((plane) => plane.compared(3)));
  expect(await revisions(planes)).toEqual(before);
  expect(events).toHaveLength(count);
  watching.abort();
  await Promise.all(watches);
  expect(events.filter((each) => each.endsWith("x")).sort()).toEqual([
    "a DELETED x",
    "a MODIFIED x",
    "b DELETED x",
    "b MODIFIED x",
    "c DELETED x",
    "c MODIFIED x",
  ]);
  expect(events.filter((each) => each.startsWith("a") && each.endsWith("y"))).toEqual(["a ADDED y"]);
}, 120_000);

test("a plane that was killed gets what it missed, also deletions, and keeps its own", async () => {
  const planes = await ring();
  const [a, b, c] = planes;
  await create(a, "deleted", { of: "a" });
  await create(a, "edited", { of: "a" });
  await create(b, "own", { of: "b" });
  await Promise.all(
    planes.flatMap((plane) => [has(plane, "deleted", { of: "a" }), has(plane, "own", { of: "b" })]),
  );
  await Promise.all(planes.map((plane) => has(plane, "edited", { of: "a" })));
  await b.stop("SIGKILL");
  await a.client.delete(ConfigMap, "deleted");
  await edit(a, "edited", { of: "a", more: "1" });
  await create(a, "new", { of: "a" });
  await c.reached("unreachable");
  // C has no other way to the objects of A than B, so it keeps what it has.
  expect(await c.data("deleted")).toEqual({ of: "a" });
  await b.start();
  for (const plane of [b, c]) {
    await has(plane, "deleted", undefined);
    await has(plane, "edited", { of: "a", more: "1" });
    await has(plane, "new", { of: "a" });
    await has(plane, "own", { of: "b" });
  }
  expect(await a.data("own")).toEqual({ of: "b" });
}, 120_000);

/** Edits the object x on both planes while they cannot reach each other, B last, and brings them together again. */
async function editApart([a, b]: readonly [PlaneProcess, PlaneProcess]): Promise<void> {
  await a.start();
  await b.start();
  await create(a, "x", { value: "0", kept: "yes" });
  await has(b, "x", { value: "0", kept: "yes" });
  await Promise.all([a.compared(1), b.compared(1)]);
  await b.stop();
  await edit(a, "x", { value: "of a" });
  await a.stop("SIGKILL");
  await b.start();
  // Edits have times in whole seconds; within one second, the order of the planes decides.
  const second = Math.floor(Date.now() / 1000);
  await until(() => Math.floor(Date.now() / 1000) > second);
  await edit(b, "x", { value: "of b", added: "b" });
  await a.start();
}

const conflictsOf = async (plane: PlaneProcess): Promise<readonly string[]> =>
  (await plane.peers()).flatMap(({ recentConflicts }) =>
    recentConflicts.map(({ name, reason, kept }) => `${name} ${reason} ${kept}`),
  );

test("newest-wins: the later edit wins on both planes, and both report the conflict", async () => {
  const planes = await pair();
  const [a, b] = planes;
  await editApart(planes);
  const winner = { added: "b", kept: "yes", value: "of b" };
  await has(a, "x", winner);
  await Promise.all([a.compared(2), b.compared(2)]);
  expect(await b.data("x")).toEqual(winner);
  expect(await conflictsOf(a)).toEqual(["x Edited theirs"]);
  expect(a.running.out() + a.running.err()).toContain(
    "conflict with b: ConfigMap default/x was edited here and on another plane; that of b is taken",
  );
}, 120_000);

test("source-wins: the edit of the copy is undone and reported", async () => {
  const planes = await pair({ merge: "source-wins" });
  const [a, b] = planes;
  await editApart(planes);
  await has(b, "x", { kept: "yes", value: "of a" });
  await Promise.all([a.compared(2), b.compared(2)]);
  expect(await a.data("x")).toEqual({ kept: "yes", value: "of a" });
  expect(await conflictsOf(b)).toContain("x Edited theirs");
  expect(await conflictsOf(a)).toEqual([]);
}, 120_000);

test("field-managers: fields of both planes are kept, and those that differ are reported", async () => {
  const planes = await pair({ merge: "field-managers" });
  const [a, b] = planes;
  await editApart(planes);
  await until(async () => (await a.data("x"))?.["added"] === "b");
  await Promise.all([a.compared(2), b.compared(2)]);
  expect(await a.data("x")).toEqual({ kept: "yes", value: "of a", added: "b" });
  expect(await b.data("x")).toEqual({ kept: "yes", value: "of b", added: "b" });
  expect(await conflictsOf(a)).toEqual(["x FieldOwned ours"]);
  expect(await conflictsOf(b)).toEqual(["x FieldOwned ours"]);
}, 120_000);

test("a wrong token, a wrong certificate and a dead address are reported, and other peers are pulled from", async () => {
  const [a, other, b] = [await planeProcess(), await planeProcess(), await planeProcess()];
  await a.configure([]);
  await other.configure([]);
  await Promise.all([a.start(), other.start()]);
  const { server, tls } = await loadConnection({ kubeconfig: a.kubeconfig });
  const foreign = await loadConnection({ kubeconfig: other.kubeconfig });
  await writeFile(join(b.folder, "a.crt"), tls?.ca ?? "");
  await writeFile(join(b.folder, "other.crt"), foreign.tls?.ca ?? "");
  const kinds = ["v1/ConfigMap"];
  await b.configure([
    { name: "wrong-token", server, token: "nonsense", ca_file: "a.crt", kinds },
    { name: "wrong-certificate", server, token: "nonsense", ca_file: "other.crt", kinds },
    { name: "dead", server: "https://127.0.0.1:1", kinds },
    peerSetting("good", other),
  ]);
  await b.start();
  await create(other, "x", { value: "1" });
  await has(b, "x", { value: "1" });
  await b.reached("refused", "wrong-token");
  await b.reached("unreachable", "wrong-certificate");
  await b.reached("unreachable", "dead");
  await b.reached("synced", "good");
  const errors = new Map((await b.peers()).map(({ name, error = "" }) => [name, error]));
  expect(errors.get("wrong-token")).toMatch(/Unauthorized/i);
  expect(errors.get("wrong-certificate")).toMatch(/signed by an unknown authority/);
  expect(errors.get("dead")).toMatch(/refused/);
  expect(await b.stop("SIGINT")).toBe(0);
}, 120_000);
