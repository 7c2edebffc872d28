import { expect, test } from "vitest";
import { VirtualClock } from "../../../model/core.js";
import { refusal } from "../fixtures/failure.js";
import { testApi } from "../fixtures/test-api.js";
import { maxWriteTime, WriteQueue } from "./write-queue.js";

/** Queue, and writes that end when the test says so. */
function manualWrites() {
  const clock = new VirtualClock();
  const queue = new WriteQueue(clock);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const write = (user: string, name: string, key = "/a", signal?: AbortSignal): Promise<string> =>
    queue.run(key, { user, signal }, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  return { clock, started, write, end: (name: string) => ends.get(name)?.() };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("writes of one key run one after the other, and users take turns", async () => {
  const { started, write, end } = manualWrites();
  const all = [
    write("alice", "a1"),
    write("alice", "a2"),
    write("alice", "a3"),
    write("bob", "b1"),
    write("carol", "other", "/b"),
  ];
  await settle();
  expect(started).toEqual(["a1", "other"]);
  for (const name of ["a1", "a2", "b1", "a3"]) {
    end(name);
    await settle();
  }
  expect(started).toEqual(["a1", "other", "a2", "b1", "a3"]);
  end("other");
  await Promise.all(all);
});

test("a write that fails lets the next one run", async () => {
  const queue = new WriteQueue(new VirtualClock());
  const failing = queue.run("/a", { user: "alice" }, () => Promise.reject(new Error("no")));
  const next = queue.run("/a", { user: "alice" }, () => Promise.resolve("yes"));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});

test("a write whose client disconnects while it waits never runs", async () => {
  const { started, write, end } = manualWrites();
  const abort = new AbortController();
  const first = write("alice", "first");
  const left = write("alice", "left", "/a", abort.signal);
  const last = write("alice", "last");
  abort.abort(new Error("the client disconnected"));
  await expect(left).rejects.toThrow("the client disconnected");
  await expect(write("alice", "late", "/a", abort.signal)).rejects.toThrow("the client disconnected");
  end("first");
  await first;
  await settle();
  end("last");
  await last;
  expect(started).toEqual(["first", "last"]);
});

test("a write that waits too long fails with a timeout", async () => {
  const { clock, started, write, end } = manualWrites();
  const first = write("alice", "first");
  const late = refusal(write("bob", "late"));
  await clock.advance(maxWriteTime);
  expect(await late).toBe("504 Timeout: Timeout: other writes of this object took too long");
  end("first");
  await first;
  expect(started).toEqual(["first"]);
});

test("a write that waits for others leaves its turn, and waits for another one", async () => {
  const queue = new WriteQueue(new VirtualClock());
  const order: string[] = [];
  const write = (name: string) => queue.run("/a", { user: "alice" }, async () => void order.push(name));
  await queue.run("/a", { user: "alice" }, async (turn) => {
    await turn.leave(write("nested"));
    void write("next");
    await settle();
    order.push("outer");
  });
  await write("last");
  expect(order).toEqual(["nested", "outer", "next", "last"]);
});

test("a write that fails outside of its turn does not end that of another write", async () => {
  const queue = new WriteQueue(new VirtualClock());
  let endOther = (): void => {};
  let fail: ((error: Error) => void) | undefined;
  const work = new Promise<never>((_, reject) => (fail = reject));
  const failing = queue.run("/a", { user: "alice" }, (turn) => turn.leave(work));
  const other = queue.run("/a", { user: "bob" }, () => new Promise<void>((resolve) => (endOther = resolve)));
  let isStarted = false;
  const third = queue.run("/a", { user: "bob" }, async () => void (isStarted = true));
  fail?.(new Error("no"));
  await expect(failing).rejects.toThrow("no");
  await settle();
  expect(isStarted).toBe(false);
  endOther();
  await Promise.all([other, third]);
  expect(isStarted).toBe(true);
});

test("more than a thousand writes of one key are refused", async () => {
  const { write, end } = manualWrites();
  const first = write("alice", "first");
  const aborts = Array.from({ length: 1000 }, () => new AbortController());
  const waiting = aborts.map(({ signal }) => write("alice", "waiting", "/a", signal));
  expect(await refusal(write("bob", "more"))).toContain(
    "429 TooManyRequests: Too many writes of this object",
  );
  for (const abort of aborts) abort.abort();
  await Promise.allSettled(waiting);
  end("first");
  await first;
});

test("patches without a version are computed once each, however many arrive at once", async () => {
  await using api = await testApi();
  const maps = api.core("configmaps");
  await maps.make("shared");
  let commits = 0;
  const { store } = api;
  const commit = store.commit.bind(store);
  store.commit = (mutations) => {
    commits++;
    return commit(mutations);
  };
  const patches = Array.from({ length: 50 }, (_, index) =>
    maps.patch("shared", "merge", { data: { [`k${index}`]: "" } }),
  );
  await Promise.all(patches);
  expect(commits).toBe(50);
  expect(Object.keys((await maps.get("shared"))["data"] as object)).toHaveLength(50);
});
