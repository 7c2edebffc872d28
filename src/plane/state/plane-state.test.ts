import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memoryState } from "../../events/state/memory-state.js";
import { silent, type Log } from "../../runtime/log/log.js";
import { MemoryStore } from "../../store/index.js";
import { controlPlane } from "../control-plane.js";
import { operator } from "../operator.js";
import type { PlaneStateOptions } from "./plane-state.js";

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fettle-state-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function recordedLog(): { readonly log: Log; readonly warnings: string[] } {
  const warnings: string[] = [];
  const log: Log = {
    ...silent,
    warn: (_, text) => warnings.push(text),
    child: () => log,
    isLevelEnabled: () => true,
  };
  return { log, warnings };
}

test("a control plane keeps its state in its store", async () => {
  const data = await dataFolder();
  {
    await using plane = await controlPlane({ data, listen: false });
    await plane.state.set("backend/1", { healthy: true });
    const watch = plane.state.watch("backend/*");
    await plane.state.set("backend/1", { healthy: false });
    expect((await watch.next()).value).toEqual({ key: "backend/1", value: { healthy: false } });
    await plane.stop();
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    await expect(plane.state.get("backend/1")).rejects.toThrow("the state is closed");
  }
  await using plane = await controlPlane({ data, listen: false });
  expect(await plane.state.get("backend/1")).toEqual({ healthy: false });
});

test("its state can be in memory, or in a backend of its own", async () => {
  const store = new MemoryStore();
  const start = (state: PlaneStateOptions) => controlPlane({ store, listen: false, state });
  const own = memoryState();
  for (const backend of ["memory", own] as const) {
    await using plane = await start({ backend });
    await plane.state.set("a", 1);
    expect(await plane.state.get("a")).toBe(1);
  }
  await using plane = await start({ backend: "store" });
  expect(await plane.state.keys()).toEqual([]);
});

test("cache and ttl are passed on", async () => {
  await using plane = await controlPlane({ store: "memory", listen: false, state: { cache: 0, ttl: "1ms" } });
  const watch = plane.state.watch();
  await plane.state.set("short", { n: 1 });
  await plane.state.set("kept", { n: 1 }, { ttl: false });
  expect(await plane.state.get("kept")).not.toBe(await plane.state.get("kept"));
  for await (const { key, value } of watch) if (key === "short" && value === undefined) break;
  expect(await plane.state.keys()).toEqual(["kept"]);
});

test.each<[PlaneStateOptions, string]>([
  [{ backend: "redis" }, "state.backend redis needs state.url, such as redis://127.0.0.1:6379/0"],
  [
    { backend: "redis", url: "http://:secret@host" },
    "state.url: the URL of Redis is invalid: it must begin with redis://",
  ],
  [
    { backend: "memory", url: "redis://host" },
    "state.url is for Redis only: remove it, or set state.backend to redis",
  ],
  [
    { backend: "files" as never },
    'state.backend must be store, redis, memory or a StateBackend, not "files"',
  ],
  [{ cache: 1.5 }, "state: cache must be an integer from 0, not 1.5"],
  [{ ttl: 0 }, "the ttl of the state must be longer than 0"],
])("%o prevents the start", async (state, message) => {
  const starting = controlPlane({ store: "memory", listen: false, state });
  await expect(starting).rejects.toThrow(message);
  await expect(starting).rejects.not.toThrow("secret");
});

test("Redis is not needed for the start", async () => {
  // Nothing listens on port 1.
  await using plane = await controlPlane({
    store: "memory",
    listen: false,
    state: { url: "redis://127.0.0.1:1" },
  });
  await expect(plane.state.get("a")).rejects.toThrow("Redis at redis://127.0.0.1:1/0: connect ECONNREFUSED");
});

test("an operator on Kubernetes keeps its state in memory, and warns with the first use", async () => {
  const data = await dataFolder();
  await using home = await controlPlane({ store: "memory", data, listen: { port: 0 } });
  const { log, warnings } = recordedLog();
  const options = { kubeconfig: home.kubeconfig, data, log, leaderElection: false } as const;
  {
    await using running = await operator(options);
    expect(warnings).toEqual([]);
    await running.state.set("a", 1);
    expect(await running.state.get("a")).toBe(1);
    expect(warnings).toEqual([
      expect.stringMatching(/^the state is kept in memory: it is lost when this process ends/),
    ]);
  }
  warnings.length = 0;
  await using explicit = await operator({ ...options, state: { backend: "memory" } });
  expect(await explicit.state.get("a")).toBeUndefined();
  expect(warnings).toEqual([]);
  await expect(operator({ ...options, state: { backend: "store" } })).rejects.toThrow(
    "state.backend store needs a control plane: on Kubernetes, choose redis or memory",
  );
});
