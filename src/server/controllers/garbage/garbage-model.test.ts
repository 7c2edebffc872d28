import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNotFound, VirtualClock, type KubeObject, type OwnerReference } from "../../../model/core.js";
import { MemoryStore } from "../../../store/index.js";
import { blocking, ownedBy, World } from "../fixtures/world.js";

/** Expected objects, each with the names of its owners. */
type Model = Map<string, Set<string>>;

interface Plan {
  /** Objects by number, each with the numbers of its owners and whether it blocks their deletion. */
  readonly objects: readonly { owners: readonly { index: number; block: boolean }[] }[];
  readonly deletions: readonly {
    index: number;
    policy: "Background" | "Foreground" | "Orphan";
    server: number;
  }[];
}

function planOf(...policies: ("Background" | "Foreground" | "Orphan")[]): fc.Arbitrary<Plan> {
  return fc.integer({ min: 1, max: 8 }).chain((size) => {
    const index = fc.nat(size - 1);
    const owner = fc.record({ index, block: fc.boolean() });
    const owners = fc.uniqueArray(owner, { maxLength: 3, selector: (each) => each.index });
    return fc.record({
      objects: fc.array(fc.record({ owners }), { minLength: size, maxLength: size }),
      deletions: fc.array(fc.record({ index, policy: fc.constantFrom(...policies), server: fc.nat(1) }), {
        minLength: 1,
        maxLength: 4,
      }),
    });
  });
}

const nameOf = (index: number): string => `n-${index}`;

function modelOf({ objects }: Plan): Model {
  return new Map(
    objects.map(({ owners }, index) => [nameOf(index), new Set(owners.map((owner) => nameOf(owner.index)))]),
  );
}

function remove(model: Model, name: string, orphan: boolean): void {
  if (!model.delete(name)) return;
  if (orphan) for (const owners of model.values()) owners.delete(name);
  for (let changed = true; changed;) {
    changed = false;
    for (const [each, owners] of model) {
      const left = [...owners].filter((owner) => model.has(owner));
      if (owners.size === 0 || left.length === owners.size) continue;
      changed = true;
      if (left.length === 0) model.delete(each);
      else model.set(each, new Set(left));
    }
  }
}

/** Creates the objects, then the references between them, since these may form cycles. */
async function build(world: World, { objects }: Plan): Promise<void> {
  const made: KubeObject[] = [];
  for (const index of objects.keys()) made.push(await world.create("configmaps", nameOf(index)));
  for (const [index, { owners }] of objects.entries()) {
    const references = owners.flatMap(({ index: owner, block }): OwnerReference[] => {
      const object = made[owner];
      return object ? [block ? blocking(object) : ownedBy(object)] : [];
    });
    if (references.length > 0) {
      await world.patch("configmaps", nameOf(index), { metadata: { ownerReferences: references } });
    }
  }
}

async function stateOf(world: World): Promise<Model> {
  const { items } = await world.caller.list(world.type("configmaps"), { namespace: "default" });
  return new Map(
    items.map(({ object: { metadata } }) => [
      metadata.name ?? "",
      new Set((metadata.ownerReferences ?? []).map(({ name }) => name)),
    ]),
  );
}

async function withServers(count: number, work: (worlds: World[]) => Promise<void>): Promise<void> {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  const worlds: World[] = [];
  for (let index = 0; index < count; index++) worlds.push(await World.start({ store, clock }));
  await work(worlds);
  await settled(worlds);
  // All controllers are idle.
  const { revision } = await store.status();
  await clock.advance(600_000);
  await settled(worlds);
  expect((await store.status()).revision).toBe(revision);
  for (const world of worlds) expect(world.errors).toEqual([]);
  for (const world of worlds) await world.api.close();
}

async function settled(worlds: readonly World[]): Promise<void> {
  for (const world of [...worlds, ...worlds]) await world.idle();
}

async function deleteFrom(
  world: World | undefined,
  name: string,
  policy: "Background" | "Foreground" | "Orphan",
): Promise<void> {
  try {
    await world?.delete("configmaps", name, policy);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

describe.each([1, 2])("any objects that own each other, on %i servers", (servers) => {
  test("are collected when deleted one after the other", () =>
    fc.assert(
      fc.asyncProperty(planOf("Background", "Foreground", "Orphan"), (plan) =>
        withServers(servers, async (worlds) => {
          const [first] = worlds;
          if (!first) throw new Error("no server");
          const model = modelOf(plan);
          await build(first, plan);
          await settled(worlds);
          expect(await stateOf(first)).toEqual(model);
          for (const { index, policy, server } of plan.deletions) {
            await deleteFrom(worlds[server % servers], nameOf(index), policy);
            await settled(worlds);
            remove(model, nameOf(index), policy === "Orphan");
            expect(await stateOf(first)).toEqual(model);
          }
        }),
      ),
      { numRuns: 60 },
    ));

  test("deleted all at once, before any server has received the events", () =>
    fc.assert(
      fc.asyncProperty(planOf("Background", "Foreground"), (plan) =>
        withServers(servers, async (worlds) => {
          const [first] = worlds;
          if (!first) throw new Error("no server");
          const model = modelOf(plan);
          await build(first, plan);
          await Promise.all(
            plan.deletions.map(({ index, policy, server }) =>
              deleteFrom(worlds[server % servers], nameOf(index), policy),
            ),
          );
          await settled(worlds);
          for (const { index } of plan.deletions) remove(model, nameOf(index), false);
          expect(await stateOf(first)).toEqual(model);
        }),
      ),
      { numRuns: 60 },
    ));
});
