import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../../model/time/clock.js";
import { ReferenceQueue } from "./fixtures/reference-queue.js";
import { exponentialBackoff } from "./rate-limiter.js";
import { batched, chooseStrategy, scheduled, type RunWindow } from "./strategy.js";
import { WorkQueue } from "./work-queue.js";
import type { QueueOutcome, QueueItem } from "./queue-item.js";

const ageing = 10;
const key = fc.constantFrom("a/1", "a/2", "a/3", "b/1", "b/2", "c/1", "d");
const priority = fc.constantFrom(-3, -1, 0, 0, 0, 1, 2.5);
const delay = fc.constantFrom(0, 0, 1, 3, 7, 20);
const index = fc.nat(6);

const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant("add"), key, priority, after: delay }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("take") }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("done"), index }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("requeue"), index, after: delay, priority }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("retry"), index, after: fc.option(delay, { nil: undefined }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("dead"), index }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("advance"), by: fc.constantFrom(1, 2, 5, 15, 40) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("pause", "resume", "remove", "revive"), key }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("pause all", "resume all") }) },
) as fc.Arbitrary<Command>;

interface Command {
  readonly type: string;
  readonly key?: string;
  readonly index?: number;
  readonly priority?: number;
  readonly after?: number;
  readonly by?: number;
}

function manualClock(): Clock & { time: number } {
  return {
    time: 1000,
    now() {
      return this.time;
    },
    after: () => ({ cancel: () => {} }),
  };
}

test("behaves like the reference queue", () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 120, size: "max" }), (commands) => {
      const clock = manualClock();
      const options = { ageing, maxRetries: 3, maxReasons: 4 };
      const queue = new WorkQueue<string>({ ...options, clock, limiter: exponentialBackoff(2, 9) });
      const reference = new ReferenceQueue({
        ...options,
        backoff: (failures) => Math.min(9, 2 ** failures),
        fairnessKey: (key) => (key.includes("/") ? key.slice(0, 1) : ""),
      });
      const running: QueueItem<string>[] = [];

      for (const [step, { type, key = "", index = 0, priority = 0, after, by = 0 }] of commands.entries()) {
        const reason = `${type} ${step}`;
        const now = clock.time;
        const [work] = ["done", "requeue", "retry", "dead"].includes(type)
          ? running.splice(index % (running.length || 1), 1)
          : [];
        if (type === "add") {
          queue.add(key, reason, { priority, after });
          reference.add(key, reason, { priority, after }, now);
        } else if (type === "take") {
          const taken = queue.tryTake();
          const expected = reference.take(now);
          expect(taken?.key).toBe(expected?.key);
          if (taken) {
            expect(taken).toMatchObject({ taken: now, failures: expected?.failures, ...expected?.work });
            expect(running.map(({ key }) => key)).not.toContain(taken.key);
            running.push(taken);
          }
        } else if (work) {
          const outcome = { type, reason, after, priority } as QueueOutcome<string>;
          queue.done(work, outcome.type === "requeue" ? { ...outcome, after: after ?? 0 } : outcome);
          reference.done(work.key, outcome, now);
        } else if (type === "advance") clock.time += by;
        else if (type === "pause") {
          queue.pause(key);
          reference.pause(key);
        } else if (type === "resume") {
          queue.resume(key);
          reference.resume(key, now);
        } else if (type === "remove") {
          queue.remove(key);
          reference.remove(key);
        } else if (type === "revive") {
          expect(queue.revive(key, reason)).toBe(reference.dead.has(key) ? 1 : 0);
          if (reference.dead.has(key)) reference.add(key, reason, {}, now);
        } else if (type === "pause all") {
          queue.pause();
          reference.allPaused = true;
        } else if (type === "resume all") {
          queue.resume();
          reference.allPaused = false;
        }
        reference.tick(clock.time);
        expect(queue.depth).toBe(
          [...reference.items.values()].filter(({ ready }) => ready !== undefined).length,
        );
        expect(queue.running).toBe(running.length);
        expect(queue.dead().map(({ key, reasons }) => [key, reasons])).toEqual([...reference.dead]);
      }
    }),
    { numRuns: 400 },
  );
});

test("with strategies, every reason is taken once, by one worker at a time, neither too early nor too late", () => {
  const kinds = ["security", "configuration", "optimization", "report", undefined];
  const windows = new Map([
    ["optimization", everyFifty(0, 10)],
    ["report", everyFifty(30, 5)],
  ]);
  const strategy = chooseStrategy([
    { types: ["configuration"], strategy: batched({ size: 3, timeout: 20 }) },
    ...[...windows].map(([type, window]) => ({ types: [type], strategy: scheduled(window) })),
  ]);
  const change = fc.record({
    key,
    type: fc.constantFrom(...kinds),
    priority,
    after: delay,
    taken: fc.nat(2),
    finished: fc.nat(2),
    paused: fc.boolean(),
    by: fc.nat(12),
    outcome: fc.constantFrom("done", "done", "requeue", "retry"),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80, size: "max" }), (changes) => {
      const clock = manualClock();
      const queue = new WorkQueue<string>({ clock, strategy, ageing, maxReasons: 1000 });
      const running: QueueItem<string>[] = [];
      const missing = new Map<string, Added>();
      const addedOf = new Map<string, readonly Added[]>();

      const mayRun = ({ earliest, types }: Added): boolean =>
        earliest <= clock.time &&
        types.some((type) => windows.get(type ?? "")?.isOpen(clock.time) ?? !windows.has(type ?? ""));
      const take = (): boolean => {
        const work = queue.tryTake();
        if (!work) return false;
        expect(running.map(({ key }) => key)).not.toContain(work.key);
        const added = work.reasons.map(
          (reason) => missing.get(reason) ?? expect.fail(`${reason} came twice`),
        );
        expect(added.some(mayRun)).toBe(true);
        for (const reason of work.reasons) missing.delete(reason);
        addedOf.set(work.key, added);
        running.push(work);
        return true;
      };
      const expectReason = (reason: string, key: string, types: Added["types"], after: number): string => {
        missing.set(reason, { key, types, earliest: clock.time + after });
        return reason;
      };
      const finish = (work: QueueItem<string>, type: string, after: number, step: number): void => {
        const reason = `${type} ${step} ${work.key}`;
        // A retry may run whenever the failed run might have.
        const types = (addedOf.get(work.key) ?? []).flatMap((added) => added.types);
        if (type === "done") queue.done(work, { type });
        else if (type === "requeue")
          queue.done(work, { type, after, reason: expectReason(reason, work.key, [undefined], after) });
        else queue.done(work, { type: "retry", after, reason: expectReason(reason, work.key, types, after) });
      };
      const tooLate = (): Added[] => {
        const waiting = new Map(queue.snapshot().map(({ key, state }) => [key, state]));
        return [...missing.values()].filter(
          (added) =>
            !added.types.includes("configuration") &&
            mayRun(added) &&
            !["waiting", "paused", "dirty"].includes(waiting.get(added.key) ?? ""),
        );
      };

      for (const [
        step,
        { key, type, priority, after, taken, finished, paused, by, outcome },
      ] of changes.entries()) {
        queue.add(key, expectReason(`${step}`, key, [type], after), { priority, after, type });
        if (paused) queue.pause(key);
        else queue.resume(key);
        for (let left = taken; left > 0; left--) take();
        for (const work of running.splice(0, finished)) finish(work, outcome, after, step);
        expect(tooLate()).toEqual([]);
        clock.time += by;
        expect(tooLate()).toEqual([]);
      }

      // Once all keys are resumed and two windows have passed, every reason has been taken.
      for (const { key } of changes) queue.resume(key);
      for (let round = 0; round < 200; round++) {
        while (take());
        for (const work of running.splice(0)) queue.done(work, { type: "done" });
        clock.time += 1;
      }
      expect([...missing.keys()]).toEqual([]);
      expect(queue.snapshot()).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** A reason that was added: its key, the types of change that it stands for, and the earliest time to run. */
interface Added {
  readonly key: string;
  readonly types: readonly (string | undefined)[];
  readonly earliest: number;
}

function everyFifty(opens: number, length: number): RunWindow {
  const sinceOpening = (at: number): number => (at + 50 - opens) % 50;
  const isOpen = (at: number): boolean => sinceOpening(at) < length;
  return { isOpen, nextOpening: (at) => (isOpen(at) ? at : at - sinceOpening(at) + 50) };
}
