import fc from "fast-check";
import { expect, test } from "vitest";
import { isAlreadyExists, VirtualClock } from "../../model/core.js";
import { PacedStore } from "./fixtures/paced-store.js";
import { StoreCallOrder } from "./fixtures/schedule.js";
import { definition, World } from "./fixtures/world.js";

const key = "/apiextensions.k8s.io/customresourcedefinitions/widgets.demo.dev";

/** Durations of the consecutive lists of a deletion. */
const delays = fc.array(fc.oneof(fc.constant(0), fc.nat(200)), { maxLength: 6 });

/** A create: its start, and its duration between admission and commit. */
const creation = fc.record({ start: fc.nat(30), pause: fc.nat(60) });

for (const servers of [1, 2]) {
  test(`a kind recreated under the same name has none of the old objects and all of its own (servers: ${servers})`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(creation, { maxLength: 4 }),
        fc.nat(40),
        delays,
        async (creations, recreation, pauses) => {
          const clock = new VirtualClock();
          const store = new PacedStore({ clock });
          const worlds: World[] = [];
          for (let index = 0; index < servers; index++) worlds.push(await World.start({ store, clock }));
          const [first, last] = [worlds[0], worlds.at(-1)];
          if (!first || !last) throw new Error("no server");
          await first.define(definition("widgets", "Widget"));
          for (let index = 0; index < 3; index++) await first.create("widgets", `old-${index}`);
          for (const world of worlds) await world.idle();

          const schedule = new StoreCallOrder();
          let lists = 0;
          store.pace = async (moment) => {
            schedule.step();
            if (moment === "range /demo.dev/widgets/")
              await schedule.after(pauses[lists++ % pauses.length] ?? 0);
            const index = /^commit .*\/n-(\d)$/.exec(moment)?.[1];
            if (index !== undefined) await schedule.after(creations[Number(index)]?.pause ?? 0);
          };
          const everything = async (): Promise<void> => {
            await Promise.all([
              first.delete("customresourcedefinitions", "widgets.demo.dev"),
              ...creations.map(async ({ start }, index) => {
                await schedule.after(start);
                if (!last.serves("widgets")) return;
                // Rejected or not, depending on the time.
                await last.create("widgets", `n-${index}`).catch(() => undefined);
              }),
              recreate(last, schedule, recreation),
            ]);
            for (const world of [...worlds, ...worlds]) await world.idle();
          };
          await schedule.runUntil(everything());
          store.pace = () => {};

          const { created = 0 } = (await store.get(key)) ?? {};
          const { entries } = await store.range({ prefix: "/demo.dev/widgets/" });
          expect(entries.filter((entry) => entry.created < created)).toEqual([]);
          for (const world of worlds) {
            expect((await world.names("widgets")).filter((name) => !name.startsWith("n-"))).toEqual(["kept"]);
            expect(world.errors).toEqual([]);
          }
          for (const world of worlds) await world.api.close();
        },
      ),
      { numRuns: 80 },
    ));
}

async function recreate(world: World, schedule: StoreCallOrder, start: number): Promise<void> {
  await schedule.after(start);
  for (;;) {
    try {
      await world.define(definition("widgets", "Widget"));
      break;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await schedule.after(2);
    }
  }
  await world.create("widgets", "kept");
}
