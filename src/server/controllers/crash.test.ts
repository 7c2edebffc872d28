import { describe, expect, test } from "vitest";
import { isNotFound, VirtualClock, type KubeObject } from "../../model/core.js";
import { StoreClosed } from "../../store/index.js";
import { PacedStore } from "./fixtures/paced-store.js";
import { blocking, definition, held, ownedBy, World } from "./fixtures/world.js";

interface Scenario {
  /** Creates the initial objects, without crashes. */
  readonly prepare: (world: World) => Promise<void>;
  /** Request of a client, repeated when its response was lost. */
  readonly act: (world: World) => Promise<unknown>;
}

const definitions = "customresourcedefinitions";

async function tree(world: World): Promise<void> {
  const root = await world.create("configmaps", "root");
  const other = await world.create("configmaps", "other");
  const a = await world.create("configmaps", "a", { owners: [blocking(root)] });
  await world.create("configmaps", "b", { owners: [blocking(root)] });
  await world.create("configmaps", "loose", { owners: [ownedBy(root)] });
  await world.create("configmaps", "shared", { owners: [blocking(other), blocking(root)] });
  const a1 = await world.create("secrets", "a1", { owners: [blocking(a)] });
  await world.create("secrets", "a2", { owners: [blocking(a)] });
  await world.create("secrets", "deep", { owners: [blocking(a1)] });
}

const scenarios: Record<string, Scenario> = {
  "a tree in the foreground": {
    prepare: tree,
    act: (world) => world.delete("configmaps", "root", "Foreground"),
  },
  "a tree in the background": {
    prepare: tree,
    act: (world) => world.delete("configmaps", "root", "Background"),
  },
  "a tree whose first branches stay": {
    prepare: tree,
    act: (world) => world.delete("configmaps", "root", "Orphan"),
  },
  "a tree with a finalizer": {
    prepare: async (world) => {
      await tree(world);
      const a1 = await world.get("secrets", "a1");
      if (a1) await world.create("configmaps", "held", { owners: [blocking(a1)], ...held });
    },
    act: (world) => world.delete("configmaps", "root", "Foreground"),
  },
  "a circle in the foreground": {
    prepare: async (world) => {
      const a = await world.create("configmaps", "a");
      const b = await world.create("configmaps", "b", { owners: [blocking(a)] });
      const c = await world.create("configmaps", "c", { owners: [blocking(b)] });
      await world.create("configmaps", "tail", { owners: [blocking(c)] });
      await world.patch("configmaps", "a", { metadata: { ownerReferences: [blocking(c)] } });
    },
    act: (world) => world.delete("configmaps", "b", "Foreground"),
  },
  "a namespace with content": {
    prepare: async (world) => {
      await world.define(definition("widgets", "Widget"));
      await world.create("namespaces", "team");
      const root = await world.create("widgets", "w", { namespace: "team" });
      await world.create("configmaps", "a", { namespace: "team", owners: [blocking(root)] });
      await world.create("configmaps", "b", { namespace: "team" });
      await world.create("configmaps", "b");
    },
    act: (world) => world.delete("namespaces", "team"),
  },
  "a namespace with content that has a finalizer": {
    prepare: async (world) => {
      await world.create("namespaces", "team");
      await world.create("configmaps", "a", { namespace: "team", ...held });
      await world.create("configmaps", "b", { namespace: "team" });
    },
    act: (world) => world.delete("namespaces", "team"),
  },
  "a namespace": {
    prepare: async () => {},
    act: (world) => world.create("namespaces", "team"),
  },
  "a namespace that is always there": {
    prepare: async () => {},
    act: (world) => world.delete("namespaces", "kube-node-lease"),
  },
  "a definition": {
    prepare: async () => {},
    act: (world) => world.define(definition("widgets", "Widget")),
  },
  "the deletion of a definition with objects, and what they own": {
    prepare: async (world) => {
      await world.define(definition("widgets", "Widget"));
      for (const name of ["a", "b", "c"]) {
        const widget = await world.create("widgets", name);
        const child = await world.create("configmaps", name, { owners: [ownedBy(widget)] });
        await world.create("secrets", name, { owners: [blocking(child)] });
      }
    },
    act: (world) => world.delete(definitions, "widgets.demo.dev"),
  },
  "the deletion of a definition with objects that have finalizers": {
    prepare: async (world) => {
      await world.define(definition("widgets", "Widget"));
      await world.create("widgets", "a", held);
      await world.create("widgets", "b");
    },
    act: (world) => world.delete(definitions, "widgets.demo.dev"),
  },
  "the deletion of a definition whose names others wait for": {
    prepare: async (world) => {
      await world.define(definition("widgets", "Widget", { names: { shortNames: ["w"] } }));
      await world.define(definition("wodgets", "Wodget", { names: { shortNames: ["w"] } }));
      await world.define(definition("wadgets", "Widget"));
    },
    act: (world) => world.delete(definitions, "widgets.demo.dev"),
  },
};

/** Point of a crash: after so many commits, before or after the last response arrives. */
interface Death {
  readonly commits: number;
  readonly heard: boolean;
}

/** Runs a scenario in processes that crash, one after the other, until one completes it. */
async function run(
  { prepare, act }: Scenario,
  deaths: (process: number) => Death | undefined,
): Promise<{ state: unknown; commits: number }> {
  const clock = new VirtualClock();
  const store = new PacedStore({ clock });
  const first = await World.start({ store, clock });
  await prepare(first);
  await first.idle();
  await first.api.close();

  let accepted = false;
  for (let process = 0; ; process++) {
    const death = deaths(process);
    let commits = 0;
    let dead = false;
    store.pace = (moment) => {
      const [what] = moment.split(" ");
      if (what === "commit" && death && commits >= death.commits) dead = true;
      if (what === "committed" && ++commits === death?.commits && !death.heard) dead = true;
      if (dead && what !== "deliver") throw new StoreClosed();
    };
    let world: World | undefined;
    try {
      world = await World.start({ store, clock });
      if (!accepted) await act(world);
      accepted = true;
      await world.idle();
    } catch (error) {
      // A repeated request may find its object created or deleted already.
      if (!dead) accepted = true;
      if (!dead && !isNotFound(error) && !String(error).includes("already exists")) throw error;
      if (!dead) await world?.idle();
    }
    store.pace = () => {};
    await world?.api.close();
    if (!dead) {
      expect(world?.errors).toEqual([]);
      return { state: await stateOf(store), commits };
    }
  }
}

/** Content of the store without what differs between runs. */
async function stateOf(store: PacedStore): Promise<unknown> {
  const { entries } = await store.range({ prefix: "/" });
  return entries.map(({ key, value }) => {
    const { metadata, ...rest } = JSON.parse(Buffer.from(value).toString()) as KubeObject;
    const { finalizers, deletionTimestamp, generation, ownerReferences = [] } = metadata;
    return [key, rest, finalizers, deletionTimestamp, generation, ownerReferences.map(({ name }) => name)];
  });
}

describe.each(Object.entries(scenarios))("%s", (_, scenario) => {
  test("reaches the same state wherever the process crashes", async () => {
    const { state, commits } = await run(scenario, () => undefined);
    expect(commits).toBeGreaterThan(0);
    for (let after = 0; after < commits; after++) {
      for (const heard of [true, false]) {
        const death = { commits: after, heard };
        const crashed = await run(scenario, (process) => (process === 0 ? death : undefined));
        expect(crashed.state, `after ${after} commits, the last one ${heard ? "" : "not "}heard of`).toEqual(
          state,
        );
      }
    }
  });

  test("reaches the same state when every process crashes after a few commits", async () => {
    const { state } = await run(scenario, () => undefined);
    for (const commits of [1, 2, 3]) {
      for (const heard of [true, false]) {
        const crashed = await run(scenario, () => ({ commits, heard }));
        expect(crashed.state, `${commits} commits each, the last one ${heard ? "" : "not "}heard of`).toEqual(
          state,
        );
      }
    }
  });
});
