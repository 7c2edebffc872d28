import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { RoundRobin } from "./round-robin.js";
import { EventLoopTurns } from "./turns.js";

/** Turns whose time passes and whose event loop turns when the test says so. */
function manualTurns() {
  let time = 0;
  let begin: (() => void) | undefined;
  const turns = new EventLoopTurns({ now: () => time, nextTurn: (resume) => (begin = resume) });
  return {
    turns,
    spend: (milliseconds: number) => void (time += milliseconds),
    turn: async (): Promise<void> => {
      const start = begin;
      begin = undefined;
      start?.();
      for (let hop = 0; hop < 10; hop++) await Promise.resolve();
    },
  };
}

test("work goes on at once while a turn has time left, and in a later turn after that", async () => {
  const { turns, spend, turn } = manualTurns();
  expect(turns.pause("alice")).toBeUndefined();
  spend(9);
  expect(turns.pause("alice")).toBeUndefined();
  spend(1);
  let resumed = false;
  void turns.pause("alice")?.then(() => (resumed = true));
  expect(resumed).toBe(false);
  await turn();
  expect(resumed).toBe(true);
  expect(turns.pause("alice")).toBeUndefined();
});

test("one piece of work resumes per turn, and users take turns", async () => {
  const { turns, spend, turn } = manualTurns();
  void turns.pause("alice");
  spend(10);
  const resumed: string[] = [];
  for (const name of ["alice 1", "alice 2", "alice 3", "bob 1"]) {
    void turns.pause(name.split(" ")[0] ?? "")?.then(() => resumed.push(name));
  }
  for (const count of [1, 2, 3, 4]) {
    await turn();
    expect(resumed).toHaveLength(count);
  }
  expect(resumed).toEqual(["alice 1", "bob 1", "alice 2", "alice 3"]);
});

test("a turn without expensive work begins with its whole budget", async () => {
  const { turns, spend, turn } = manualTurns();
  void turns.pause("alice");
  await turn();
  spend(1000);
  expect(turns.pause("alice")).toBeUndefined();
});

test("a turn waits while connections are accepted, but not for ever", async () => {
  const { turns, spend, turn } = manualTurns();
  void turns.pause("alice");
  spend(10);
  let resumed = false;
  void turns.pause("alice")?.then(() => (resumed = true));
  for (let connection = 0; connection < 3; connection++) {
    turns.accepted();
    await turn();
    expect(resumed).toBe(false);
  }
  await turn();
  expect(resumed).toBe(true);

  resumed = false;
  spend(10);
  void turns.pause("alice")?.then(() => (resumed = true));
  let iterations = 0;
  for (; !resumed && iterations < 100; iterations++) {
    turns.accepted();
    spend(10);
    await turn();
  }
  expect(iterations).toBeLessThan(20);
});

test("all clients that are queued are accepted before the next turn of expensive work", async () => {
  let time = 0;
  const turns = new EventLoopTurns({ now: () => time });
  const clients = 50;
  let accepted = 0;
  const server = createServer((socket) => {
    accepted++;
    turns.accepted();
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  // Connects in another thread while this one is busy.
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const program = `
    const { connect } = require("node:net");
    const { port, clients, connected } = require("node:worker_threads").workerData;
    for (let client = 0; client < clients; client++) {
      connect(port, "127.0.0.1", () => {
        if (Atomics.add(connected, 0, 1) + 1 === clients) Atomics.notify(connected, 0);
      }).on("error", () => {});
    }`;
  const worker = new Worker(program, { eval: true, workerData: { port, clients, connected } });
  await once(worker, "online");
  await turns.pause("alice");
  for (let count = 0; count < clients; count = Atomics.load(connected, 0)) {
    Atomics.wait(connected, 0, count, 100);
  }
  let steps = 0;
  for (; accepted < clients; steps++) {
    time += 10;
    await turns.pause("alice");
  }
  expect(steps).toBeLessThan(clients / 10);
  await worker.terminate();
  server.close();
});

test("the event loop of Node handles other work between two turns", async () => {
  let time = 0;
  const turns = new EventLoopTurns({ now: () => (time += 20) });
  let others = 0;
  const other = (): void => void (others++ < 5 && setImmediate(other));
  setImmediate(other);
  for (let step = 0; step < 5; step++) await turns.pause("alice");
  expect(others).toBeGreaterThanOrEqual(4);
});

test("a round-robin queue forgets items that are removed", () => {
  const queue = new RoundRobin<number>();
  queue.add("alice", 1);
  queue.add("alice", 2);
  queue.add("bob", 3);
  queue.delete("alice", 1);
  queue.delete("bob", 3);
  queue.delete("carol", 4);
  expect(queue.size).toBe(1);
  expect([queue.shift(), queue.shift()]).toEqual([2, undefined]);
  expect(queue.size).toBe(0);
});
