import { describe, expect, test } from "vitest";
import { plainController, type Controller } from "fettle";
import { ConfigMap, Secret } from "fettle/kubernetes";
import { perturb, type Scenario } from "fettle/testing";
import { Page, Site } from "./sites.js";

const workload: Scenario<never>["workload"] = async ({ client, settled }) => {
  await client.create(Site, { metadata: { name: "a" }, spec: { title: "A" } });
  await settled();
};

type Reconcile = Parameters<typeof plainController<typeof Site>>[0]["reconcile"];

/** Controller for existing sites. */
const whileThere = (reconcile: Reconcile): Controller =>
  plainController({
    for: Site,
    async reconcile(which, tools) {
      if ((await tools.client.find(Site, which)) !== undefined) return reconcile(which, tools);
    },
  });

const schedulesOf = ({ failures }: Awaited<ReturnType<typeof perturb>>) =>
  failures.map(({ schedule }) => schedule);

describe("the outside world", () => {
  class Shop {
    readonly pages = new Map<string, string>();
    readonly charged = new Set<string>();
    async publish(name: string): Promise<void> {
      this.pages.set(name, "shown");
    }
    async charge(name: string): Promise<void> {
      this.charged.add(name);
    }
  }
  /** Bug: does not charge for what it published before a crash. */
  const shop = (world: Shop) =>
    whileThere(async ({ name }) => {
      if (world.pages.has(name)) return;
      await world.publish(name);
      await world.charge(name);
    });

  test("can be compared as Maps and Sets", async () => {
    const report = await perturb(
      {
        controllers: (world: Shop) => [shop(world)],
        world: { create: () => new Shop(), snapshot: ({ pages, charged }: Shop) => ({ pages, charged }) },
        workload,
      },
      { faults: ["crash", "down"] },
    );
    // Effect 1 checks whether there is a page, and changes nothing.
    expect(report.tried).toEqual(["crash@1", "crash@2", "crash@3", "down@2", "down@3"]);
    expect(schedulesOf(report), report.text()).toEqual(["crash@2", "down@2"]);
    expect(report.failures[0]?.difference).toContain("the outside world");
  });

  test("is rejected when it cannot be compared or is a promise", async () => {
    const tried = (snapshot: () => unknown) =>
      perturb({
        controllers: (world: Shop) => [shop(world)],
        world: { create: () => new Shop(), snapshot: snapshot as () => null },
        workload,
      });
    await expect(tried(async () => ({}))).rejects.toThrow(
      "the workload fails without any fault: the end cannot be compared: a promise cannot be compared",
    );
    await expect(tried(() => Promise.reject(new Error("no")))).rejects.toThrow("a promise");
    await expect(tried(() => ({ n: 1n }))).rejects.toThrow("a bigint cannot be compared");
    await expect(tried(() => () => 1)).rejects.toThrow("a function cannot be compared");
    const promised = { create: async () => new Shop(), snapshot: () => null };
    await expect(perturb({ controllers: () => [], world: promised, workload })).rejects.toThrow(
      "world.create returned a promise",
    );
  });

  /** Outside world whose snapshot does not show the addresses it has given out. */
  class Addresses {
    #last = 0;
    readonly #taken = new Set<string>();
    async reserve(name: string): Promise<string> {
      if (this.#taken.has(name)) throw new Error(`${name} has an address`);
      this.#taken.add(name);
      return `10.0.0.${++this.#last}`;
    }
  }

  test("has faults at calls whose effect the snapshot does not show", async () => {
    const report = await perturb(
      {
        controllers: (world: Addresses) => [
          whileThere(async ({ name, namespace }, { client }) => {
            const metadata = { name, namespace };
            if ((await client.find(ConfigMap, metadata)) !== undefined) return;
            await client.create(ConfigMap, { metadata, data: { ip: await world.reserve(name) } });
          }),
        ],
        world: { create: () => new Addresses(), snapshot: () => null },
        workload,
      },
      { faults: ["crash", "lost"] },
    );
    expect(schedulesOf(report)).toEqual(["crash@1", "lost@1"]);
  });
});

describe("fields with the names of version fields are compared", () => {
  /** Counts its starts. */
  const counting = (world: { generation: number }) => {
    world.generation++;
    return whileThere(async ({ name, namespace }, { client }) => {
      const metadata = { name, namespace };
      const uid = `start ${world.generation}`;
      await client.apply(ConfigMap, { metadata, data: { uid } }, { fieldManager: "test", force: true });
    });
  };

  test("in data and in the outside world", async () => {
    const report = await perturb(
      {
        controllers: (world: { generation: number }) => [counting(world)],
        world: { create: () => ({ generation: 0 }), snapshot: ({ generation }) => ({ generation }) },
        workload,
      },
      { only: ["crash@1"] },
    );
    expect(report.failures[0]?.difference).toContain("uid: start 2");
    expect(report.failures[0]?.difference).toContain("the outside world");
  });

  test("but not when the server writes them", async () => {
    /** Writes once after each start, so that generations and versions differ. */
    const restless = () => {
      let first = true;
      return whileThere(async (which, { client }) => {
        if (!first) return;
        await client.patch(Site, which, { spec: { title: "B" } });
        const site = await client.patch(Site, which, { spec: { title: "C" } });
        const { uid = "", generation } = site.metadata;
        const owner = { apiVersion: site.apiVersion, kind: site.kind, name: which.name, uid };
        const page = { metadata: { ...which, ownerReferences: [owner] }, spec: { html: uid } };
        await client.apply(Page, page, { fieldManager: "test", force: true });
        const status = { published: 1, observedGeneration: generation };
        await client.patchStatus(Site, which, { status });
        first = false;
      });
    };
    const scenario: Scenario<unknown> = { kinds: [Page], controllers: () => [restless()], workload };
    const report = await perturb(scenario, { faults: ["crash", "error"] });
    expect(report.failures, report.text()).toEqual([]);
  });
});

describe("generated names", () => {
  /** Creates one part of each kind, with generated names. */
  const parts = whileThere(async ({ name, namespace }, { client }) => {
    const { items } = await client.list(ConfigMap, { namespace, labelSelector: `site=${name}` });
    for (const part of ["x", "y"]) {
      if (items.some(({ data }) => data?.["part"] === part)) continue;
      const metadata = { namespace, generateName: `${name}-`, labels: { site: name } };
      await client.create(ConfigMap, { metadata, data: { part } });
    }
    const all = await client.list(ConfigMap, { namespace, labelSelector: `site=${name}` });
    const first = all.items.find(({ data }) => data?.["part"] === "x")?.metadata;
    const html = `${first?.name}`;
    await client.apply(Page, { metadata: { name, namespace }, spec: { html } }, { fieldManager: "test" });
  });

  test.each([1, 2, 3, 4])("cause no difference (seed %i)", async (seed) => {
    const faults = ["crash", "error", "repeated", "missed"] as const;
    const report = await perturb({ kinds: [Page], controllers: () => [parts], workload }, { seed, faults });
    expect(report.failures, report.text()).toEqual([]);
  });

  test("cause no difference in uids of deleted objects", async () => {
    /** Records the uid of the secret that it creates, or of the one that it replaces. */
    const replacing = (noted: "new" | "old") =>
      whileThere(async (which, { client }) => {
        if ((await client.find(ConfigMap, which)) !== undefined) return;
        const old = (await client.find(Secret, which)) ?? (await client.create(Secret, { metadata: which }));
        await client.delete(Secret, which);
        const next = await client.create(Secret, { metadata: which });
        const { uid = "" } = (noted === "new" ? next : old).metadata;
        await client.create(ConfigMap, { metadata: which, data: { of: uid } });
      });
    for (const noted of ["new", "old"] as const) {
      const report = await perturb(
        { controllers: () => [replacing(noted)], workload },
        { faults: ["crash"] },
      );
      expect(report.failures, report.text()).toEqual([]);
    }
  });
});

describe("errors after a fault are reported for its schedule", () => {
  test("controllers that cannot be restarted", async () => {
    const once = (world: { bound: boolean }) => {
      if (world.bound) throw new Error("address in use");
      world.bound = true;
      return whileThere(async ({ name, namespace }, { client }) => {
        await client.apply(ConfigMap, { metadata: { name, namespace } }, { fieldManager: "test" });
      });
    };
    const report = await perturb(
      {
        controllers: (world: { bound: boolean }) => [once(world)],
        world: { create: () => ({ bound: false }), snapshot: () => null },
        workload,
      },
      { faults: ["crash", "error"] },
    );
    expect(schedulesOf(report)).toEqual(["crash@1"]);
    expect(report.failures[0]?.difference).toBe("the controllers could not be restarted: address in use");
  });

  test("a snapshot that cannot be taken", async () => {
    const report = await perturb(
      {
        controllers: (world: { starts: number }) => {
          world.starts++;
          return [
            whileThere(async ({ name, namespace }, { client }) => {
              await client.apply(ConfigMap, { metadata: { name, namespace } }, { fieldManager: "test" });
            }),
          ];
        },
        world: {
          create: () => ({ starts: 0 }),
          snapshot: ({ starts }: { starts: number }) => {
            if (starts > 1) throw new Error("two of them");
            return starts;
          },
        },
        workload,
      },
      { faults: ["crash", "error"] },
    );
    expect(schedulesOf(report)).toEqual(["crash@1"]);
    expect(report.failures[0]?.difference).toBe("the end cannot be compared: two of them");
  });
});
