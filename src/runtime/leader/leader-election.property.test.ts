import fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { LeaseServer } from "../lease/fixtures/lease-server.js";
import { Machine } from "../lease/fixtures/machine.js";
import { Network, numbers, plot, taking, trouble } from "../lease/fixtures/mishaps.js";
import { leaderElection } from "./leader-election.js";

/** Milliseconds after which requests are neither slow nor lost any more. */
const troubled = 150_000;

test("there are never two leaders, whatever happens, and in the end there is one", async () => {
  let actions = 0;
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(fc.record(trouble), async ({ machines, seed, mishaps, fates }) => {
      const world = new VirtualClock(0);
      const nextFate = taking(fates);
      const server = new LeaseServer();
      const random = numbers(seed);
      let terms = 0;
      let newest = 0;
      let lastAction = -1;

      const candidates = machines.map((shape, index) => {
        const machine = new Machine(world, shape);
        let leading = 0;
        const network = new Network(world, machine, troubled, nextFate);
        const start = (): AbortController => {
          const stopper = new AbortController();
          const election = leaderElection({
            client: server.client(() => network.fate()),
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
        const restart = (): void => {
          stopper.abort();
          stopper = start();
        };
        const freeze = (milliseconds: number): void => machine.freeze(milliseconds);
        // A crash looks like a freeze that never ends; here the candidate restarts.
        return { machine, network, freeze, restart, crash: restart };
      });
      plot(world, mishaps, candidates);
      const failed: unknown[] = [];
      await world.advance(troubled + 60_000);
      expect(failed).toEqual([]);
      expect(lastAction, "nobody leads although all is well again").toBeGreaterThan(world.now() - 1000);
    }),
    { numRuns: 60 },
  );
  // Otherwise nothing was shown.
  expect(actions).toBeGreaterThan(10_000);
  expect(changes).toBeGreaterThan(100);
}, 120_000);
