import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPlane, type ControlPlane, type SpecInput } from "fettle";
import type { Command, OptionValues, Terminal } from "fettle/cli";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { memoryDriver } from "../driver/memory/memory-driver.js";
import { Process, processOperator, ProcessSet } from "../index.js";
import { commands } from "./index.js";

let plane: ControlPlane;
const folder = mkdtempSync(join(tmpdir(), "fettle-process-commands-"));

beforeAll(async () => {
  plane = await controlPlane({
    operators: [
      processOperator({
        openDriver: async ({ clock }) =>
          memoryDriver({ clock, programs: { task: (process) => process.exit(3) } }),
      }),
    ],
    store: "memory",
    data: join(folder, "data"),
    listen: { port: 0 },
  });
});
afterEach(async () => {
  await plane.client.deleteAll(ProcessSet);
  await plane.client.deleteAll(Process);
  await expect.poll(async () => (await plane.client.list(Process)).items.length).toBe(0);
});
afterAll(async () => {
  await plane?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function fettle(name: string, words: readonly string[] = [], options: OptionValues = {}) {
  const written = { out: "", err: "" };
  const terminal: Terminal = {
    stdout: { write: (chunk) => (written.out += chunk) },
    stderr: { write: (text) => (written.err += text) },
    stdin: { async *[Symbol.asyncIterator]() {} },
    env: { KUBECONFIG: plane.kubeconfig },
    cwd: folder,
    signal: new AbortController().signal,
    colors: false,
    version: "0.0.0",
  };
  const command: Command | undefined = await commands.find((each) => each.name === name)?.load();
  const code = await command?.run?.(words, options, terminal);
  return { code: code ?? 0, ...written };
}

async function create(name: string, spec: SpecInput<typeof Process>): Promise<void> {
  await plane.client.create(Process, { metadata: { name }, spec });
  for await (const { object } of plane.client.watch(Process, { fieldSelector: `metadata.name=${name}` })) {
    if (object.status?.conditions?.some(({ type }) => type === "Ready")) return;
  }
}

test("ps shows why a process is not ready, and when it starts again", async () => {
  await create("web", { command: ["server"], ports: [{ name: "http", port: 8080 }] });
  await create("app", { command: ["server"], dependsOn: [{ name: "database" }] });
  await create("failing", { command: ["task"], restart: { backoff: { initial: "1h", max: "1h" } } });
  const { out } = await fettle("ps");
  expect(out).toMatch(/^web +Running +yes +\d+ .* http:8080 *$/m);
  expect(out).toMatch(/^app +Pending +no \(WaitingForDependency\) /m);
  expect(out).toMatch(/^failing +Backoff \((59m|60m)\) +no +1 +exited with code 3, \ds ago$/m);
});

test("stop, start and restart wait for their effect", async () => {
  await create("web", { command: ["server"] });
  expect(await fettle("stop", ["web"])).toEqual({ code: 0, out: "process/web stopped\n", err: "" });
  await expect(fettle("restart", ["web"])).rejects.toThrow(
    "process/web is stopped; start it with fettle start",
  );
  expect(await fettle("start", ["process/web"])).toMatchObject({ out: "process/web started\n" });
  expect(await fettle("restart", ["web"])).toMatchObject({ out: "process/web restarted\n" });
  expect(await fettle("restart", ["web"], { wait: false })).toMatchObject({
    out: "process/web is being restarted\n",
  });
});

test("a command whose effect does not come says what is missing", async () => {
  await create("app", { command: ["server"], dependsOn: [{ name: "database" }] });
  expect(await fettle("restart", ["app"], { timeout: "200ms" })).toEqual({
    code: 1,
    out: "",
    err: "process/app is not restarted after 0.2 s: WaitingForDependency: it depends on process database, which does not exist; see: fettle why process/app\n",
  });
});

test("a process of a set is not stopped alone", async () => {
  await plane.client.create(ProcessSet, {
    metadata: { name: "workers" },
    spec: { replicas: 2, template: { spec: { command: ["server"] } } },
  });
  expect(await fettle("start", ["workers"])).toMatchObject({ out: "processset/workers started\n" });
  await expect(fettle("stop", ["workers-1"])).rejects.toThrow(
    "process/workers-1 belongs to processset/workers, which decides whether it runs; use processset/workers",
  );
  expect(await fettle("restart", ["workers-1"])).toMatchObject({ out: "process/workers-1 restarted\n" });
});

test("reload sends a signal, or says why it cannot", async () => {
  await create("web", { command: ["server"], reload: {} });
  await create("worker", { command: ["server"] });
  expect(await fettle("reload", ["web"])).toMatchObject({ out: "process/web reloaded\n" });
  await expect(fettle("reload", ["worker"])).rejects.toThrow(
    "process/worker has no spec.reload; set it, or use fettle restart",
  );
});

test("logs of a process that was never started say so", async () => {
  await create("app", { command: ["server"], dependsOn: [{ name: "database" }] });
  const { out, err } = await fettle("logs", ["app"]);
  expect(out).toBe("");
  expect(err).toBe(
    "process/app was never started: WaitingForDependency: it depends on process database, which does not exist\n",
  );
  await expect(fettle("logs", ["nope"])).rejects.toThrow("no Process or ProcessSet named nope");
  await create("web", { command: ["server"] });
  await expect(fettle("logs", ["web"], { previous: true })).rejects.toThrow("no previous attempt");
});

test("import prints manifests, and names what it cannot read", async () => {
  writeFileSync(join(folder, "Procfile"), "worker: node worker.js\n");
  mkdirSync(join(folder, "folder"));
  expect((await fettle("import", ["Procfile"])).out).toContain("name: worker\n");
  await expect(fettle("import", ["folder"])).rejects.toThrow("is a folder; name a file in it");
});
