import fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { LeaseServer } from "../lease/fixtures/lease-server.js";
import { Machine } from "../lease/fixtures/machine.js";
import { Network, numbers, plot, taking, trouble } from "../lease/fixtures/mishaps.js";
import { shardOf } from "./shard-of.js";
import { sharding, type ShardWork } from "./sharding.js";

const shards = 4;

const scenario = fc.record({
  ...trouble,
  /** Durations of runs. */
  runs: fc.array(fc.integer({ min: 50, max: 6000 }), { minLength: 1, maxLength: 10 }),
});

interface Change {
  /** Whether nobody does it any more, or nobody could keep the process from it. */
  isOver(): boolean;
}

/** Milliseconds after which requests are neither slow nor lost any more. */
const troubled = 130_000;
const keys = Array.from({ length: shards }, (_, shard) => {
  for (let index = 0; ; index++) if (shardOf(`default/${index}`, shards) === shard) return `default/${index}`;
});

test("two processes never work on one shard, whatever happens, and in the end each shard has an owner", async () => {
  let actions = 0;
  let moves = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async ({ machines, seed, mishaps, fates, runs }) => {
      const world = new VirtualClock(0);
      const nextFate = taking(fates);
      const server = new LeaseServer();
      const random = numbers(seed);
      const failed: unknown[] = [];
      let began = 0;
      let starts = 0;
      /** For each shard the newest run that has acted, and when. */
      const newest = keys.map(() => 0);
      const lastAction = keys.map(() => -1);
      /** For each shard what is being changed in the world. */
      const open = keys.map((): Change | undefined => undefined);

      const processes = machines.map((shape, index) => {
        const machine = new Machine(world, shape);
        const network = new Network(world, machine, troubled, nextFate);
        let freezes = 0;
        /** One process from its start to its end. One that crashes does nothing from one moment to the next. */
        const start = (): { stop(): void; crash(): void } => {
          const stopper = new AbortController();
          let crashed = false;
          const held = new Set<number>();
          const working = new Map<number, AbortController>();
          const sharing = sharding({
            client: server.client(() => (crashed ? { before: () => new Promise(() => {}) } : network.fate())),
            namespace: "default",
            name: "sites",
            identity: `process-${index}-${starts++}`,
            shards,
            clock: machine,
            steady: machine.steady,
            random,
            // As tight as the clocks' rates allow, so that every mistake shows.
            leaseDuration: "11s",
            renewDeadline: "10s",
            retryPeriod: "500ms",
            handOver: "3s",
          });
          const run = async (shard: number): Promise<void> => {
            const key = keys[shard] ?? "";
            if (working.has(shard)) return;
            const controller = new AbortController();
            working.set(shard, controller);
            const id = ++began;
            const until = world.now() + (runs[id % runs.length] ?? 0);
            while (!crashed && !controller.signal.aborted && world.now() < until) {
              try {
                sharing.guard(key);
              } catch {
                expect(controller.signal.aborted, "the run was cancelled by the time guard() throws").toBe(
                  true,
                );
                break;
              }
              // This is where the world would be changed.
              expect(id, "somebody acts who has been replaced").toBeGreaterThanOrEqual(newest[shard] ?? 0);
              newest[shard] = id;
              lastAction[shard] = world.now();
              actions++;
              // It takes a while, during which nobody can take it back; but what is begun by a process that is then frozen.
              const other = open[shard];
              expect(other !== undefined && !other.isOver(), "two act at once").toBe(false);
              const before = freezes;
              const change = { isOver: () => crashed || freezes > before };
              open[shard] = change;
              await new Promise<void>((resolve) => machine.after(311, resolve));
              if (open[shard] === change) open[shard] = undefined;
            }
            working.delete(shard);
            if (crashed) return;
            sharing.workEnded();
            if (held.has(shard) && sharing.owns(key)) void guarded(run(shard));
          };
          const work: ShardWork = {
            gained(gained) {
              for (const shard of gained) {
                moves++;
                held.add(shard);
                void guarded(run(shard));
              }
            },
            release(left) {
              for (const shard of left) held.delete(shard);
            },
            cancel(left) {
              for (const shard of left) working.get(shard)?.abort();
            },
            busy: () => new Set(working.keys()),
          };
          void guarded(sharing.run(work, { signal: stopper.signal, grace: 5000 }));
          return {
            stop: () => stopper.abort(),
            crash: () => {
              crashed = true;
            },
          };
        };
        const guarded = (work: Promise<void>): Promise<void> =>
          work.catch((error: unknown) => void failed.push(error));
        let process = start();
        return {
          machine,
          network,
          freeze: (milliseconds: number) => {
            freezes++;
            machine.freeze(milliseconds);
          },
          restart: () => {
            process.stop();
            process = start();
          },
          crash: () => {
            process.crash();
            process = start();
          },
        };
      });
      plot(world, mishaps, processes);
      await world.advance(troubled + 60_000);
      if (failed[0] !== undefined) throw failed[0];
      for (const at of lastAction) {
        expect(at, "a shard is nobody's although all is well again").toBeGreaterThan(world.now() - 1000);
      }
    }),
    { numRuns: 40, endOnFailure: true },
  );
  // Otherwise nothing was shown.
  expect(actions).toBeGreaterThan(10_000);
  expect(moves).toBeGreaterThan(100);
}, 120_000);
