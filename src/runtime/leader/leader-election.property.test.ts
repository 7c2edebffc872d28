import fc from "fast-check";
import { expect, test } from "vitest";
import { failures, VirtualClock, type Random } from "../../model/core.js";
import { LeaseServer, type Fate } from "../lease/fixtures/lease-server.js";
import { Machine } from "../lease/fixtures/machine.js";
import { leaderElection } from "./leader-election.js";

/** Something that happens to one of the candidates. */
const mishap = fc.record({
  at: fc.nat(120_000),
  who: fc.nat(2),
  what: fc.oneof(
    fc.record({ type: fc.constant("freeze" as const), for: fc.integer({ min: 100, max: 40_000 }) }),
    fc.record({ type: fc.constant("set" as const), by: fc.integer({ min: -60_000, max: 60_000 }) }),
    fc.record({ type: fc.constant("restart" as const) }),
    fc.record({ type: fc.constant("cut" as const), for: fc.integer({ min: 1000, max: 30_000 }) }),
  ),
});

const scenario = fc.record({
  machines: fc.array(
    fc.record({
      offset: fc.integer({ min: -3_600_000, max: 3_600_000 }),
      rate: fc.double({ min: 0.98, max: 1.02, noNaN: true }),
    }),
    { minLength: 2, maxLength: 3 },
  ),
  chance: fc.nat(),
  mishaps: fc.array(mishap, { maxLength: 12 }),
  /** What becomes of requests, again and again: slow before, slow after, lost. */
  fates: fc.array(
    fc.record({
      before: fc.oneof({ weight: 4, arbitrary: fc.nat(300) }, { weight: 1, arbitrary: fc.nat(12_000) }),
      after: fc.oneof({ weight: 4, arbitrary: fc.nat(300) }, { weight: 1, arbitrary: fc.nat(12_000) }),
      lost: fc.constantFrom(
        undefined,
        undefined,
        undefined,
        undefined,
        "request" as const,
        "answer" as const,
      ),
    }),
    { minLength: 1, maxLength: 30 },
  ),
});

const trouble = 150_000;

/** Chance that can be replayed. */
function numbers(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  return { bytes: (length) => Uint8Array.from({ length }, next) };
}

test("never do two act as the leader, whatever happens; and in the end somebody does", async () => {
  let actions = 0;
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async ({ machines, chance, mishaps, fates }) => {
      const world = new VirtualClock(0);
      const end = world.now() + trouble;
      const server = new LeaseServer();
      const random = numbers(chance);
      let requests = 0;
      let terms = 0;
      let newest = 0;
      let lastAction = -1;

      const candidates = machines.map((shape, index) => {
        const machine = new Machine(world, shape);
        let leading = 0;
        let cut = 0;
        const fate = (): Fate => {
          if (world.now() >= end) return {};
          const { before = 0, after = 0, lost } = fates[requests++ % fates.length] ?? {};
          const error = failures.timeout("lost on the way");
          return {
            before: () => machine.arrival(before),
            after: () => machine.arrival(after),
            ...((lost || cut > 0) && { lost: { at: lost ?? "request", error } }),
          };
        };
        const start = (): AbortController => {
          const stopper = new AbortController();
          const election = leaderElection({
            client: server.client(fate),
            namespace: "default",
            name: "lease",
            identity: `candidate-${index}`,
            clock: machine,
            steady: machine.steady,
            random,
            // As tight as the clocks' rates allow, so that every mistake shows.
            leaseDuration: "11s",
            renewDeadline: "10s",
            retryPeriod: "500ms",
          });
          const lead = async (signal: AbortSignal): Promise<void> => {
            expect(++leading, "two pieces of work at once in one process").toBe(1);
            const term = ++terms;
            changes++;
            while (!signal.aborted) {
              try {
                election.guard();
              } catch {
                expect(signal.aborted, "the signal says so by the time guard() throws").toBe(true);
                break;
              }
              // This is where the world would be changed.
              expect(term, "somebody acts who has been replaced").toBeGreaterThanOrEqual(newest);
              newest = term;
              lastAction = world.now();
              actions++;
              await new Promise<void>((resolve) => machine.after(97, resolve));
            }
            leading--;
          };
          run = run
            .then(() => election.run(lead, { signal: stopper.signal }))
            .catch((error: unknown) => void failed.push(error));
          return stopper;
        };
        let run = Promise.resolve();
        let stopper = start();
        return {
          machine,
          restart: () => {
            stopper.abort();
            stopper = start();
          },
          cutFor: (milliseconds: number) => {
            cut++;
            world.after(milliseconds, () => cut--);
          },
        };
      });

      for (const { at, who, what } of mishaps) {
        const victim = candidates[who % candidates.length];
        world.after(at, () => {
          if (what.type === "freeze") victim?.machine.freeze(what.for);
          else if (what.type === "set") victim?.machine.set(what.by);
          else if (what.type === "restart") victim?.restart();
          else victim?.cutFor(what.for);
        });
      }
      const failed: unknown[] = [];
      await world.advance(trouble + 60_000);
      expect(failed).toEqual([]);
      expect(lastAction, "nobody leads although all is well again").toBeGreaterThan(world.now() - 1000);
    }),
    { numRuns: 60 },
  );
  // Otherwise nothing was shown.
  expect(actions).toBeGreaterThan(10_000);
  expect(changes).toBeGreaterThan(100);
}, 120_000);
