import { expect, test } from "vitest";
import fc from "fast-check";
import { FairQueue, type QueuedRequest } from "./fair-queue.js";

/** A queue that resumes when the test calls `resume`, and the users of started requests in order. */
function queueOf(concurrency: number, queuedPerUser = 100) {
  let callback: (() => void) | undefined;
  const queue = new FairQueue({ concurrency, queuedPerUser }, (given) => (callback = given));
  const started: string[] = [];
  const add = (user: string, cost = 1): QueuedRequest => {
    const request = queue.add(user, cost);
    if (request.state === "running") started.push(user);
    else request.onStart = () => started.push(user);
    return request;
  };
  const resume = (): boolean => {
    const pending = callback;
    callback = undefined;
    pending?.();
    return pending !== undefined;
  };
  return { queue, started, add, resume };
}

test("starts requests up to the concurrency and queues the next", () => {
  const { queue, add, started } = queueOf(1);
  const first = add("a");
  const second = add("a");
  expect([first.state, second.state]).toEqual(["running", "queued"]);
  expect([queue.running, queue.queued]).toEqual([1, 1]);
  first.release();
  expect([first.state, second.state]).toEqual(["done", "running"]);
  second.release();
  second.release();
  expect([queue.running, queue.queued]).toEqual([0, 0]);
  expect(started).toEqual(["a", "a"]);
});

test("starts requests of users in turn, however many each has queued", () => {
  const { add, started } = queueOf(1);
  const requests = ["a", "a", "a", "a", "b", "c", "b"].map((user) => add(user));
  while (started.length < requests.length) requests.find(({ state }) => state === "running")?.release();
  expect(started.join("")).toBe("aabcaba");
});

test("rejects requests of a user whose queue is full, and of no other", () => {
  const { queue, add } = queueOf(1, 2);
  const states = ["a", "a", "a", "a", "b"].map((user) => add(user).state);
  expect(states).toEqual(["running", "queued", "queued", "done", "queued"]);
  expect(queue.queued).toBe(3);
});

test("limits one user to three quarters of the concurrency", () => {
  const { add } = queueOf(8);
  const mine = Array.from({ length: 8 }, () => add("a"));
  expect(mine.filter(({ state }) => state === "running")).toHaveLength(6);
  // Requests queued because of their user's share do not block those of other users.
  expect(add("b").state).toBe("running");
});

test("skips requests released while queued", () => {
  const { add, started, queue } = queueOf(1);
  const [first, second] = [add("a"), add("b")];
  add("c");
  second.release();
  first.release();
  expect(started).toEqual(["a", "c"]);
  expect(queue.queued).toBe(0);
});

test("counts requests by cost, and does not let cheap requests starve an expensive one", () => {
  const { add, queue } = queueOf(4);
  const [one, two] = [add("a"), add("a")];
  const expensive = add("b", 3);
  const cheap = add("c");
  expect([expensive.state, cheap.state]).toEqual(["queued", "queued"]);
  one.release();
  expect([expensive.state, cheap.state]).toEqual(["running", "queued"]);
  expect(queue.running).toBe(4);
  two.release();
  expect(cheap.state).toBe("running");
});

test("starts a request whose cost exceeds the concurrency", () => {
  const { add } = queueOf(2);
  expect(add("a", 25).state).toBe("running");
});

test("yields to newly received requests after 64 starts, even below the concurrency", () => {
  const { add, started, resume } = queueOf(1000);
  // Each ends before the next one starts, as cheap requests do.
  for (let index = 0; index < 100; index++) {
    const request = add("a");
    if (request.state === "running") request.release();
  }
  expect(started).toHaveLength(64);
  add("b");
  resume();
  // After one queued request of the other user, not after all of them.
  expect(started.indexOf("b")).toBe(65);
  while (resume());
  expect(started).toHaveLength(101);
});

test("keeps within its limits and starts every queued request, in any sequence of calls", () => {
  const step = fc.oneof(
    fc.record({ user: fc.constantFrom("a", "b", "c"), cost: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ release: fc.nat() }),
    fc.constant("resume" as const),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.nat(4),
      fc.array(step),
      (concurrency, queuedPerUser, steps) => {
        const { queue, add, resume } = queueOf(concurrency, queuedPerUser);
        const requests: QueuedRequest[] = [];
        const of = (state: QueuedRequest["state"], user?: string): QueuedRequest[] =>
          requests.filter(
            (request) => request.state === state && (user === undefined || request.user.name === user),
          );
        const check = (): void => {
          const running = of("running").reduce((sum, { cost }) => sum + cost, 0);
          expect(queue.running).toBe(running);
          expect(running).toBeLessThanOrEqual(concurrency);
          expect(queue.queued).toBe(of("queued").length);
          for (const user of ["a", "b", "c"])
            expect(of("queued", user).length).toBeLessThanOrEqual(queuedPerUser);
        };
        for (const each of steps) {
          if (each === "resume") resume();
          else if ("user" in each) requests.push(add(each.user, each.cost));
          else {
            const open = requests.filter(({ state }) => state !== "done");
            open[each.release % open.length]?.release();
          }
          check();
        }
        for (let attempts = requests.length * 2; attempts > 0 && of("queued").length > 0; attempts--) {
          if (!resume()) of("running")[0]?.release();
          check();
        }
        expect(of("queued")).toEqual([]);
      },
    ),
  );
});
