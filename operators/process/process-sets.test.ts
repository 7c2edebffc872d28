import { testPlane, type TestPlane } from "fettle/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryDriver, type MemoryDriver } from "./driver/memory/memory-driver.js";
import { Process, processOperator, ProcessSet } from "./index.js";

let driver: MemoryDriver;
let plane: TestPlane;

beforeEach(async () => {
  plane = await testPlane({
    operators: [
      processOperator({
        openDriver: async ({ clock }) => {
          driver = memoryDriver({ clock, programs: { broken: (process) => process.exit(1) } });
          return driver;
        },
      }),
    ],
  });
  await plane.client.create(ProcessSet, {
    metadata: { name: "web" },
    spec: { replicas: 3, template: { labels: { app: "web" }, spec: { command: ["server"] } } },
  });
  await plane.settled();
});
afterEach(() => plane[Symbol.asyncDispose]());

async function statusOf() {
  const { status } = await plane.client.get(ProcessSet, "web");
  const { replicas, readyReplicas, updatedReplicas, conditions = [] } = status ?? {};
  const reason = conditions.find(({ type }) => type === "Ready")?.reason;
  return [reason, replicas, readyReplicas, updatedReplicas].join(" ");
}

async function commands(): Promise<string> {
  const { items } = await plane.client.list(Process);
  return items.map(({ metadata, spec }) => `${metadata.name} ${spec.command[0]}`).join(", ");
}

test("a set has as many processes as it wants, with its labels", async () => {
  expect(await statusOf()).toBe("AllReady 3 3 3");
  const { items } = await plane.client.list(Process, { labelSelector: "app=web" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["web-0", "web-1", "web-2"]);
  await plane.client.patch(ProcessSet, "web", { spec: { replicas: 1 } });
  await plane.settled();
  expect(await commands()).toBe("web-0 server");
  expect(await statusOf()).toBe("AllReady 1 1 1");
});

test("an update replaces one process after another, each when it is ready", async () => {
  const readinessProbe = { tcp: { port: 80 }, initialDelay: "10s" } as const;
  await plane.client.patch(ProcessSet, "web", {
    spec: { template: { spec: { command: ["next"], readinessProbe } } },
  });
  await plane.settled();
  expect(await commands()).toBe("web-0 next, web-1 server, web-2 server");
  expect(await statusOf()).toBe("Updating 3 2 1");
  await plane.advance("11s");
  expect(await commands()).toBe("web-0 next, web-1 next, web-2 server");
  await plane.advance("30s");
  expect(await statusOf()).toBe("AllReady 3 3 3");
});

test("a paused set keeps its processes until it goes on", async () => {
  await plane.client.patch(ProcessSet, "web", {
    spec: { paused: true, template: { spec: { command: ["next"] } } },
  });
  await plane.settled();
  expect(await commands()).toBe("web-0 server, web-1 server, web-2 server");
  await plane.client.patch(ProcessSet, "web", { spec: { paused: false } });
  await plane.settled();
  expect(await commands()).toBe("web-0 next, web-1 next, web-2 next");
});

test("an update that fails stops, and leaves the other processes alone", async () => {
  await plane.client.patch(ProcessSet, "web", {
    spec: { template: { spec: { command: ["broken"], restart: { policy: "Never" } } } },
  });
  await plane.settled();
  expect(await statusOf()).toBe("UpdateFailed 3 2 1");
  await plane.client.patch(ProcessSet, "web", {
    spec: { template: { spec: { command: ["server"], restart: { policy: "Always" } } } },
  });
  await plane.settled();
  expect(await statusOf()).toBe("AllReady 3 3 3");
});

test("with Rollback a set returns to the template that worked, and says why", async () => {
  await plane.client.patch(ProcessSet, "web", {
    spec: {
      update: { onFailure: "Rollback", progressDeadline: "1m" },
      template: { spec: { command: ["broken"] } },
    },
  });
  await plane.advance("5s");
  expect((await plane.client.get(ProcessSet, "web")).status?.conditions).toContainEqual(
    expect.objectContaining({
      type: "Ready",
      message: expect.stringMatching(/^2 of 3 processes are ready, 1 updated; web-0: exited with code/),
    }),
  );
  await plane.advance("2m");
  expect(await commands()).toBe("web-0 server, web-1 server, web-2 server");
  const { status } = await plane.client.get(ProcessSet, "web");
  expect(status?.readyReplicas).toBe(3);
  expect(status?.failedRevision?.reason).toMatch(/^web-0 did not become ready in time: exited with code/);
  expect((await plane.events()).map(({ reason }) => reason)).toContain("UpdateFailed");
});

test("a suspended set stops all processes, and starts them again", async () => {
  await plane.client.patch(ProcessSet, "web", { spec: { suspend: true } });
  await plane.settled();
  expect(driver.snapshot().map(({ attempts }) => attempts.at(-1)?.exit)).toEqual(
    Array.from({ length: 3 }, () => "Signaled SIGTERM"),
  );
  await plane.client.patch(ProcessSet, "web", { spec: { suspend: false } });
  await plane.settled();
  expect(await statusOf()).toBe("AllReady 3 3 3");
});

test("a deleted set takes its processes with it", async () => {
  await plane.client.delete(ProcessSet, "web");
  await plane.settled();
  expect(await commands()).toBe("");
  expect(driver.snapshot()).toEqual([]);
});

test("a process that is being replaced is never reported as ready for its new template", async () => {
  const wrong: string[] = [];
  const watching = new AbortController();
  const watched = (async () => {
    for await (const { object } of plane.client.watch(Process, { signal: watching.signal })) {
      const { metadata, status } = object;
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      if (ready?.status === "True" && status?.state !== "Running")
        wrong.push(`${metadata.name}: ${status?.state} ${ready.reason}`);
    }
  })().catch(() => {});
  await plane.client.patch(ProcessSet, "web", { spec: { template: { spec: { command: ["next"] } } } });
  await plane.settled();
  watching.abort();
  await watched;
  expect(wrong).toEqual([]);
  expect(await statusOf()).toBe("AllReady 3 3 3");
});

test.each([0, -1, "0%", "-1", "abc", "", "5"])("maxUnavailable %j is refused", async (maxUnavailable) => {
  const patch = { spec: { update: { maxUnavailable } } };
  await expect(plane.client.patch(ProcessSet, "web", patch)).rejects.toThrow("percentage such as 25%");
});
