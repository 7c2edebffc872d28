import fc from "fast-check";
import { expect, test } from "vitest";
import { isAlreadyExists, isForbidden, isNotFound, VirtualClock } from "../../model/core.js";
import { PacedStore } from "./fixtures/paced-store.js";
import { StoreCallOrder } from "./fixtures/schedule.js";
import { definition, World } from "./fixtures/world.js";

/** A create: its start, and its duration between admission and commit. */
const creation = fc.record({
  plural: fc.constantFrom("configmaps", "widgets", "serviceaccounts"),
  start: fc.nat(40),
  pause: fc.nat(80),
});

for (const servers of [1, 2]) {
  test(`nothing that is created while a namespace is deleted outlives it (servers: ${servers})`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(creation, { minLength: 1, maxLength: 4 }),
        fc.option(fc.nat(60)),
        async (creations, recreation) => {
          const clock = new VirtualClock();
          const store = new PacedStore({ clock });
          const worlds: World[] = [];
          for (let index = 0; index < servers; index++) worlds.push(await World.start({ store, clock }));
          const [first, last] = [worlds[0], worlds.at(-1)];
          if (!first || !last) throw new Error("no server");
          await first.define(definition("widgets", "Widget"));
          await first.create("namespaces", "team");
          for (const world of worlds) await world.idle();

          const schedule = new StoreCallOrder();
          store.pace = async (moment) => {
            schedule.step();
            const index = /^commit .*\/team\/n-(\d)$/.exec(moment)?.[1];
            if (index !== undefined) await schedule.after(creations[Number(index)]?.pause ?? 0);
          };
          const work = [
            first.delete("namespaces", "team"),
            ...creations.map(async ({ plural, start }, index) => {
              await schedule.after(start);
              await lenient(last.create(plural, `n-${index}`, { namespace: "team" }));
            }),
          ];
          if (recreation !== null) work.push(recreate(last, schedule, recreation));
          const everything = async (): Promise<void> => {
            await Promise.all(work);
            for (const world of [...worlds, ...worlds]) await world.idle();
          };
          await schedule.runUntil(everything());
          store.pace = () => {};

          if (recreation === null) {
            expect(await first.get("namespaces", "team")).toBeUndefined();
            for (const plural of ["configmaps", "widgets", "serviceaccounts"]) {
              expect(await first.names(plural, "team"), plural).toEqual([]);
            }
          } else {
            expect(await first.names("secrets", "team")).toEqual(["kept"]);
            expect(await first.names("serviceaccounts", "team")).toContain("default");
          }
          for (const world of worlds) expect(world.errors).toEqual([]);
          for (const world of worlds) await world.api.close();
        },
      ),
      { numRuns: 80 },
    ));
}

/** Creates the namespace anew as soon as it is gone, and something in it that has to stay. */
async function recreate(world: World, schedule: StoreCallOrder, start: number): Promise<void> {
  await schedule.after(start);
  for (;;) {
    try {
      await world.create("namespaces", "team");
      break;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await schedule.after(2);
    }
  }
  await world.create("secrets", "kept", { namespace: "team" });
}

/** Expected errors while a namespace is deleted. */
async function lenient(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isForbidden(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
  }
}
