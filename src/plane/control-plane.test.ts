import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { resource } from "../model/index.js";
import { controller } from "../runtime/index.js";
import { silent } from "../runtime/log/log.js";
import { MemoryStore } from "../store/index.js";
import { controlPlane } from "./control-plane.js";
import { DefinitionKind } from "./definitions/definition.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string() }),
  status: z.object({ url: z.string() }),
});
const site = (name: string) => ({
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name },
  spec: { title: name },
});
/** Informers of a missing kind retry after a while. */
const patience = { timeout: 20_000 };

test("starts while a definition is being deleted, cleans up its objects, and registers it again", async () => {
  const store = new MemoryStore();
  const sites = (cleanup: () => void) =>
    controller({ for: Site, reconcile: (_, { ready }) => ready("Published"), cleanup });

  const before = await controlPlane({
    store,
    listen: false,
    controllers: [
      sites(() => {
        throw new Error("cannot yet");
      }),
    ],
  });
  await before.apply(site("old"));
  // With its finalizer, since that is written first.
  await expect.poll(async () => (await before.client.get(Site, "old")).status?.conditions).toHaveLength(1);
  const { uid } = (await before.client.get(DefinitionKind, "sites.demo.dev")).metadata;
  await before.client.delete(DefinitionKind, "sites.demo.dev");
  await expect
    .poll(async () => (await before.client.get(Site, "old")).metadata.deletionTimestamp)
    .toBeDefined();
  await before.stop();

  const cleaned: string[] = [];
  await using after = await controlPlane({
    store,
    listen: false,
    controllers: [sites(() => void cleaned.push("old"))],
  });
  await expect
    .poll(async () => (await after.client.find(DefinitionKind, "sites.demo.dev"))?.metadata.uid ?? uid, {
      timeout: 20_000,
    })
    .not.toBe(uid);
  expect(cleaned).toEqual(["old"]);

  await expect.poll(() => after.apply(site("new")).catch(() => undefined), patience).toHaveLength(1);
  await expect
    .poll(async () => (await after.client.get(Site, "new")).status?.conditions, patience)
    .toHaveLength(1);
}, 60_000);

test("every controller acts under its own identity, which its runs record", async () => {
  const writers = new Set<string>();
  await using plane = await controlPlane({
    store: "memory",
    listen: false,
    controllers: [controller({ for: Site, reconcile: (_, { ready }) => ready("Published") })],
    audit: ({ user, verb, resource }) => {
      if (resource?.resource === "sites" && verb === "patch") writers.add(user.name);
    },
  });
  await plane.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
  await expect.poll(async () => (await plane.client.get(Site, "hello")).status?.conditions).toHaveLength(1);
  expect([...writers]).toEqual(["system:fettle:controller:sites.demo.dev"]);
  await plane.controllers.idle();
  const [run] = await plane.controllers.runs.find({ key: "default/hello" });
  expect(run?.user).toBe("system:fettle:controller:sites.demo.dev");
});

test("refuses a data folder that everybody may change, and warns of one that others may read", async () => {
  const data = await mkdtemp(join(tmpdir(), "fettle-plane-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const warnings: string[] = [];
  const log = { ...silent, warn: (_: object, text: string) => void warnings.push(text) };
  const startWith = async (mode: number): Promise<void> => {
    await chmod(data, mode);
    await (await controlPlane({ data, listen: false, log })).stop();
  };
  await expect(startWith(0o777)).rejects.toThrow(
    `${data} can be changed by every user of this machine; run: chmod 700 ${data}`,
  );
  await startWith(0o700);
  expect(warnings).toEqual([]);
  await startWith(0o750);
  expect(warnings).toEqual([`${data} can be read by other users of this machine; run: chmod 700 ${data}`]);
});

describe("an in-memory control plane", () => {
  test("keeps its kubeconfig in a temporary folder, which it removes when it stops", async () => {
    const plane = await controlPlane({ store: "memory", listen: { port: 0 } });
    const { kubeconfig = "" } = plane;
    expect(kubeconfig.startsWith(join(tmpdir(), "fettle-"))).toBe(true);
    expect(existsSync(kubeconfig)).toBe(true);
    await plane.stop();
    expect(existsSync(dirname(kubeconfig))).toBe(false);
  });

  test("refuses the data folder of a durable one", async () => {
    const data = await mkdtemp(join(tmpdir(), "fettle-plane-"));
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    await (await controlPlane({ data, listen: false })).stop();
    await expect(controlPlane({ data, store: "memory", listen: { port: 0 } })).rejects.toThrow(
      `${data} has the data of a control plane, whose kubeconfig an in-memory control plane would replace`,
    );
  });
});
