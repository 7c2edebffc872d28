import type { Events } from "../../events/events.js";
import { eventBus } from "../../events/bus/event-bus.js";
import { existsSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { resource, systemClock } from "../../model/index.js";
import { controller, schedule, triggers } from "../../runtime/index.js";
import { httpTransport, loadConnection, type Client } from "../../client/index.js";
import { memoryState, openState } from "../../events/index.js";
import { silent } from "../../runtime/log/log.js";
import { MemoryStore } from "../../store/memory/memory-store.js";
import { controlPlane } from "../control-plane.js";
import { operator } from "../operator.js";
import { startParts } from "../start-parts.js";
import { defineOperator, type OperatorDescription } from "./define-operator.js";
import { startOperators } from "./start-operators.js";

const Job = resource("demo.dev/v1", "Job", {
  spec: z.object({ command: z.string() }),
  status: z.object({ runs: z.int() }),
});

function dataFolder(): string {
  const data = mkdtempSync(join(tmpdir(), "fettle-operators-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  return data;
}

const fakeClient = {} as Client;
const memory = { store: "memory", listen: false } as const;

test("sets up required operators first and once, and stops them last", async () => {
  const lines: string[] = [];
  const logged = (name: string, requires: OperatorDescription["requires"] = []) =>
    defineOperator({
      name,
      requires,
      setup({ onStop, signal }) {
        lines.push(`set up ${name}`);
        signal.addEventListener("abort", () => lines.push(`abort ${name}`));
        onStop(() => lines.push(`stop ${name} last`));
        onStop(async () => lines.push(`stop ${name}`));
      },
    });
  const base = logged("base");
  const plane = await controlPlane({ ...memory, operators: [logged("top", [base]), base] });
  expect(lines).toEqual(["set up base", "set up top"]);
  await plane.stop();
  expect(lines.slice(2)).toEqual([
    "abort top",
    "stop top",
    "stop top last",
    "abort base",
    "stop base",
    "stop base last",
  ]);
});

test("kinds are served when setup is called; controllers, schedules and health checks of its result run", async () => {
  let jobs = -1;
  const exits = triggers();
  const jobOperator = defineOperator({
    name: "job",
    kinds: [Job],
    async setup({ client }) {
      jobs = (await client.list(Job)).items.length;
      return {
        controllers: [
          controller({
            for: Job,
            triggers: [exits],
            reconcile(job, { report, ready }) {
              report({ runs: (job.status?.runs ?? 0) + 1 });
              ready("Started");
            },
          }),
        ],
        schedules: [schedule({ name: "nightly", cron: "0 2 * * *", run() {} })],
        healthChecks: [{ name: "driver", check: () => "no problem" }],
      };
    },
  });
  await using plane = await controlPlane({ ...memory, operators: [jobOperator] });
  expect(jobs).toBe(0);
  const { client, controllers } = plane;
  expect(controllers.all.map(({ name }) => name)).toEqual(["jobs.demo.dev"]);
  expect(controllers.schedules.map(({ name }) => name)).toEqual(["nightly"]);
  expect((await controllers.health.report()).checks.map(({ name }) => name)).toContain("job-driver");
  await client.create(Job, { metadata: { name: "a" }, spec: { command: "true" } });
  for await (const { object } of client.watch(Job)) if (object.status?.runs === 1) break;
  exits.send("a", "the process exited with code 1");
  for await (const { object } of client.watch(Job)) if (object.status?.runs === 2) break;
  // The record of a run follows its status.
  await controllers.idle();
  const last = (await controllers.runs.find({ kind: Job, key: "default/a" })).at(-1);
  expect(last?.triggers).toMatchObject([{ type: "external", text: "the process exited with code 1" }]);
});

test("configure changes the controllers of operators", async () => {
  const jobOperator = defineOperator({
    name: "job",
    setup: () => ({ controllers: [controller({ for: Job, reconcile() {} })] }),
  });
  await using plane = await controlPlane({
    ...memory,
    operators: [jobOperator],
    configure: (all) => all.map((each) => ({ ...each, options: { ...each.options, concurrency: 7 } })),
  });
  expect(plane.controllers.get(Job).concurrency).toBe(7);
});

test("a setup that fails ends the start, names the operator, and stops what was started", async () => {
  const stop = vi.fn<() => void>();
  const base = defineOperator({ name: "base", setup: ({ onStop }) => onStop(stop) });
  const broken = defineOperator({
    name: "broken",
    requires: [base],
    setup() {
      throw new Error("no driver");
    },
  });
  await expect(controlPlane({ ...memory, operators: [broken] })).rejects.toThrow(
    "operator broken could not be started: no driver",
  );
  expect(stop).toHaveBeenCalledOnce();
});

test("a setup that does not end is given up; what it starts later is stopped at once", async () => {
  let goOn = (): void => {};
  const stop = vi.fn<() => void>();
  const slow = defineOperator({
    name: "slow",
    async setup({ onStop }) {
      await new Promise<void>((resolve) => (goOn = resolve));
      onStop(stop);
    },
  });
  const clientFor = (): Client => fakeClient;
  const state = openState({ backend: memoryState() });
  const events = eventBus() as unknown as Events;
  const options = { data: undefined, clientFor, events, state, clock: systemClock, log: silent, timeout: 1 };
  const starting = startParts((onStop) => startOperators([slow], { ...options, onStop }));
  await expect(starting).rejects.toThrow(
    "operator slow could not be started: its setup took longer than 1ms and was aborted",
  );
  goOn();
  await vi.waitFor(() => expect(stop).toHaveBeenCalledOnce());
});

const keeper = (seen: string[]) =>
  defineOperator({ name: "keeper", setup: ({ folder }) => void seen.push(folder) });

test("the folder is private, kept in the data folder, and refused to a second plane", async () => {
  const data = dataFolder();
  const seen: string[] = [];
  const plane = await controlPlane({ data, listen: false, operators: [keeper(seen)] });
  const folder = join(data, "operators", "keeper");
  expect(seen).toEqual([folder]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  writeFileSync(join(folder, "state"), "kept");
  // This one has a store of its own, so that only the lock of the folder protects it.
  const ownStore = { store: new MemoryStore(), listen: false, data } as const;
  await expect(controlPlane({ ...ownStore, operators: [keeper(seen)] })).rejects.toThrow(
    `operator keeper could not be started: ${folder} is in use by process ${process.pid} on `,
  );
  await plane.stop();
  await using again = await controlPlane({ ...ownStore, operators: [keeper(seen)] });
  expect(again.controllers.all).toEqual([]);
  expect(existsSync(join(folder, "state"))).toBe(true);
});

test("the folder of an in-memory plane is temporary; operators that do not read it have none", async () => {
  const seen: string[] = [];
  const plane = await controlPlane({ ...memory, operators: [keeper(seen)] });
  const [folder = ""] = seen;
  expect(folder.startsWith(tmpdir())).toBe(true);
  expect(existsSync(folder)).toBe(true);
  await plane.stop();
  expect(existsSync(folder)).toBe(false);
  const data = dataFolder();
  await using none = await controlPlane({
    ...memory,
    data,
    operators: [defineOperator({ name: "other", setup: ({ client }) => void client })],
  });
  expect(none.url).toBe(undefined);
  expect(existsSync(join(data, "operators"))).toBe(false);
});

test("runs against a server elsewhere, with its folder and a lock on it", async () => {
  const data = dataFolder();
  await using plane = await controlPlane({ store: "memory", listen: { port: 0 } });
  const seen: string[] = [];
  const jobs = defineOperator({
    name: "jobs",
    requires: [keeper(seen)],
    kinds: [Job],
    setup: () => ({ controllers: [controller({ for: Job, reconcile: (_, { ready }) => ready("Done") })] }),
  });
  const options = { kubeconfig: plane.kubeconfig, data, operators: [jobs] };
  await using running = await operator({ ...options });
  expect(running.lease).toBe("default/jobs.demo.dev");
  await running.controllers.ready();
  await expect(operator({ ...options })).rejects.toThrow(`process ${process.pid}`);
  expect(seen).toEqual([join(data, "operators", "keeper")]);
  await plane.client.create(Job, { metadata: { name: "a" }, spec: { command: "true" } });
  for await (const { object } of plane.client.watch(Job)) {
    const { conditions = [] } = (object.status ?? {}) as { conditions?: { reason: string }[] };
    if (conditions.some(({ reason }) => reason === "Done")) break;
  }
});

test("extensions stream to slow readers, authorize like the API, and end with the client or the operator", async () => {
  const ended: string[] = [];
  let produced = 0;
  const logs = defineOperator({
    name: "logs",
    setup: ({ checkAccess }) => ({
      extensions: [
        {
          path: "/logs/v1",
          async serve({ path, user, signal }) {
            const access = { verb: "get", group: "demo.dev", resource: "jobs", subresource: "log" };
            await checkAccess(user, { ...access, namespace: "default", name: path });
            async function* lines() {
              try {
                for (; !signal.aborted; produced++) {
                  yield `${"x".repeat(1 << 16)}\n`;
                  await new Promise(setImmediate);
                }
              } finally {
                ended.push(path);
              }
            }
            return { type: "text/plain", stream: lines() };
          },
        },
      ],
    }),
  });
  const plane = await controlPlane({
    store: "memory",
    listen: { port: 0 },
    operators: [logs],
    authorize: ({ resource }) => ({ allowed: resource?.name !== "secret", reason: "not yours" }),
  });
  const connection = await loadConnection({ kubeconfig: plane.kubeconfig });
  const transport = httpTransport({ connection });
  onTestFinished(() => transport[Symbol.asyncDispose]());
  const open = async (path: string) => {
    const leaving = new AbortController();
    const options = { query: { follow: true }, signal: leaving.signal };
    const reader = transport.bytes(`/logs/v1/${path}`, options);
    expect((await reader.next()).value?.length).toBeGreaterThan(0);
    return { leave: () => leaving.abort() };
  };
  await expect(open("secret")).rejects.toThrow("cannot get resource");
  const one = await open("one");
  const before = produced;
  one.leave();
  await vi.waitFor(() => expect(ended).toEqual(["one"]));
  expect(before).toBeLessThan(10_000);
  await open("two");
  await plane.stop();
  expect(ended).toEqual(["one", "two"]);
});

test("refuses extensions whose paths something else answers", async () => {
  const at = (...paths: readonly string[]) =>
    defineOperator({
      name: "routes",
      setup: () => ({ extensions: paths.map((path) => ({ path, serve: async () => undefined })) }),
    });
  const start = (...paths: readonly string[]) => controlPlane({ ...memory, operators: [at(...paths)] });
  await expect(start("/fettle/v1/mine")).rejects.toThrow("the extension /fettle/v1 answers these paths");
  await expect(start("/readyz/mine")).rejects.toThrow("the API server answers these paths");
  await expect(start("/a", "/a/b")).rejects.toThrow("the extension /a/b cannot be served");
  await expect(start("mine/")).rejects.toThrow('"mine/" is not a path of an extension');
});

test("an operator has a part of the state for itself", async () => {
  const store = new MemoryStore();
  const counting = (name: string) =>
    defineOperator({
      name,
      async setup({ state }) {
        await state.set("starts", ((await state.get<number>("starts")) ?? 0) + 1);
      },
    });
  for (const expected of [1, 2]) {
    await using plane = await controlPlane({
      listen: false,
      store,
      operators: [counting("one"), counting("two")],
    });
    expect(await plane.state.keys("operators/*")).toEqual(["operators/one/starts", "operators/two/starts"]);
    expect(await plane.state.get("operators/one/starts")).toBe(expected);
  }
});
