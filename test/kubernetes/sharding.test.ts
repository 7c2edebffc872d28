import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../../src/client/client.js";
import { createClient } from "../../src/client/create-client.js";
import { ConfigMap, Lease } from "../../src/client/kinds/kubernetes.js";
import { loadConnection } from "../../src/client/kubeconfig/load-connection.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import { readMap } from "../../src/runtime/shard/shard-map.js";
import { shardOf } from "../../src/runtime/shard/shard-of.js";
import { fettle, type FettleProcess } from "../cli/fettle-process.js";
import { describeWith, kubernetes } from "../components/index.js";
import { EffectsFile } from "../runtime/faults/controller-process.js";
import { overlaps, type Halt } from "../runtime/faults/overlaps.js";
import { Lamp } from "./shared-lamps.js";
import { manifestsOf, podOf, type Pod } from "./tenant-pod.js";

const module = fileURLToPath(new URL("./shared-lamps.ts", import.meta.url));
const shards = 12;
const names = Array.from({ length: 48 }, (_, index) => `lamp-${index}`);
/** The lease outlasts the renew deadline by some slack for slow machines. */
const settings = {
  leaderElection: { leaseDuration: "4s", renewDeadline: "2500ms", retryPeriod: "200ms" },
};
/** Timeout for something that takes a few seconds on an idle machine. */
const patience = { timeout: 45_000, interval: 50 };

describeWith("several replicas on Kubernetes", kubernetes, (get) => {
  const effects = new EffectsFile();
  const halts: Halt[] = [];
  let admin: Client;
  let pod: Pod;

  beforeAll(async () => {
    const connection = await loadConnection({ kubeconfig: get().kubeconfig });
    admin = createClient({ transport: httpTransport({ connection, rate: false }) });
    const options = { name: "lamps", image: "registry.example.com/lamps:1", shards: String(shards) };
    for (const manifest of await manifestsOf([module], options)) {
      await admin.apply(manifest, { fieldManager: "kubectl", fieldValidation: "Strict" });
    }
    pod = await podOf(get(), "lamps", "lamps");
    writeFileSync(join(effects.folder, "fettle.yaml"), JSON.stringify(settings));
  });
  afterAll(async () => {
    effects[Symbol.dispose]();
    await pod?.[Symbol.asyncDispose]();
    await admin?.[Symbol.asyncDispose]();
  });

  /** Starts a replica with the service account and the permissions of the generated manifests. */
  const start = async (who: string): Promise<FettleProcess> => {
    const options = ["--kubeconfig", pod.kubeconfig, "--shards", String(shards), "--health-port", "0"];
    const env = { WHO: who, EFFECTS: effects.path };
    const replica = fettle(["run", module, ...options, "--log", "json"], { cwd: effects.folder, env });
    await replica.says(/controllers are at work/);
    return replica;
  };

  const leases = async () =>
    (await admin.list(Lease, { namespace: "lamps", labelSelector: "fettle.dev/shards" })).items;

  /** Owners of all shards, in the order of their Leases. */
  const owners = async (): Promise<readonly (string | undefined)[]> => {
    const map = (await leases()).find(({ metadata }) => metadata.annotations?.["fettle.dev/shards"]);
    return map === undefined ? [] : readMap(map).owners;
  };

  /** Numbers of shards by process, sorted. */
  const sizes = async (): Promise<readonly number[]> => {
    const counts = new Map<string, number>();
    for (const owner of await owners()) counts.set(owner ?? "", (counts.get(owner ?? "") ?? 0) + 1);
    return [...counts.values()].toSorted((a, b) => a - b);
  };

  /** Differences: each lamp must be lit by the replica that has its shard, and have its shade. */
  const wrong = async (color: string, replicas: readonly string[]): Promise<readonly string[]> => {
    const [whose, lamps, shades] = [
      await owners(),
      (await admin.list(Lamp)).items,
      (await admin.list(ConfigMap)).items,
    ];
    const problems: string[] = [];
    const replicaOf = new Map<string, string>();
    for (const { metadata, status = {} } of lamps) {
      const { name = "" } = metadata;
      const { by = "nobody" } = status;
      const owner = whose[shardOf(`default/${name}`, shards)] ?? "nobody";
      const other = replicaOf.get(owner) ?? by;
      replicaOf.set(owner, by);
      if (status.color !== color) problems.push(`${name} is ${status.color ?? "dark"}`);
      if (by !== other) problems.push(`${name} is lit by ${by}, others of ${owner} by ${other}`);
      const shade = shades.find((each) => each.metadata.name === `shade-of-${name}`);
      if (shade?.data?.["color"] !== color) problems.push(`the shade of ${name} is not ${color}`);
    }
    const seen = [...new Set(replicaOf.values())].toSorted();
    if (seen.join() !== replicas.join()) problems.push(`they are lit by ${seen.join()}`);
    return problems.slice(0, 5);
  };
  const lit = async (color: string, ...replicas: readonly string[]): Promise<void> => {
    await expect.poll(() => wrong(color, replicas), patience).toEqual([]);
  };

  const paint = (color: string): Promise<unknown> =>
    Promise.all(names.map((name) => admin.patch(Lamp, name, { spec: { color } })));

  test("share the objects, and take over those of a stopped one", { timeout: 180_000 }, async () => {
    const [first, second, third] = await Promise.all(["first", "second", "third"].map(start));
    await expect.poll(sizes, patience).toEqual([4, 4, 4]);
    await Promise.all(
      names.map((name) => admin.create(Lamp, { metadata: { name }, spec: { color: "red" } })),
    );
    await lit("red", "first", "second", "third");

    // One is killed during its work.
    const before = effects.all().length;
    await paint("blue");
    const startedEffects = () =>
      effects
        .all()
        .slice(before)
        .some(({ who }) => who === "first");
    await expect.poll(startedEffects, { ...patience, interval: 5 }).toBe(true);
    first?.process.kill("SIGKILL");
    await first?.ended;
    halts.push({ who: "first", seen: effects.all().length });
    await lit("blue", "second", "third");
    expect(await sizes()).toEqual([6, 6]);

    // One is stopped gracefully, and releases its shards at once.
    second?.process.kill("SIGTERM");
    expect(await second?.ended).toBe(0);
    await lit("blue", "third");
    expect(await sizes()).toEqual([12]);

    // A deleted object is cleaned up by the replica that has its shard.
    await Promise.all(names.slice(0, 6).map((name) => admin.delete(Lamp, name)));
    await expect.poll(async () => (await admin.list(Lamp)).items.length, patience).toBe(names.length - 6);
    third?.process.kill("SIGTERM");
    expect(await third?.ended).toBe(0);
    const ended = effects.all().filter(({ what, phase }) => what === "unpublish" && phase === "end");
    expect(ended.map(({ who }) => who)).toEqual(Array.from({ length: 6 }, () => "third"));

    // No object had two replicas, nothing was forbidden, and stopped replicas left nothing behind.
    expect(overlaps(effects.all(), halts)).toEqual([]);
    for (const replica of [first, second, third]) {
      expect((replica?.out() ?? "") + (replica?.err() ?? "")).not.toMatch(/forbidden|cannot \w+ resource/i);
    }
    expect((await leases()).map(({ metadata }) => metadata.name)).toEqual(["lamps.shared.demo.dev-shards"]);
  });
});
