import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { runCommandLine } from "../../src/cli/program.js";
import { resource } from "../../src/model/index.js";
import type { RunList } from "../../src/plane/management/contract.js";
import { controlPlane } from "../../src/plane/control-plane.js";
import { controller } from "../../src/runtime/controller/controller.js";
import { freePorts } from "../components/process/port.js";
import { fettle, type FettleProcess } from "./fettle-process.js";
import { folderWith } from "./folder.js";

const example = fileURLToPath(new URL("../../examples/site/", import.meta.url));

/** Runs a command in this process; returns its output. */
async function command(line: readonly string[], cwd?: string): Promise<string> {
  const terminal = recordingTerminal(cwd === undefined ? {} : { cwd });
  const code = await runCommandLine(line, terminal);
  expect(code, terminal.err()).toBe(0);
  return terminal.out();
}

test("fettle why shows runs from before the control plane was killed", async () => {
  const cwd = await folderWith();
  const { port } = await freePorts(["port"]);
  const up = async (): Promise<FettleProcess> => {
    const running = fettle(["up", "--port", String(port), example], { cwd });
    await running.says(/Activity:/);
    return running;
  };
  const runs = async (): Promise<RunList["runs"]> =>
    (JSON.parse(await command(["why", "site/hello", "-o", "json", "--limit", "100"], cwd)) as RunList).runs;

  const first = await up();
  await expect.poll(async () => (await runs()).some(({ outcome }) => outcome.type === "requeue")).toBe(true);
  const before = await runs();
  // At most the last second may be lost.
  await pause(1000);
  first.process.kill("SIGKILL");
  await first.ended;

  const second = await up();
  const after = await runs();
  expect(after.slice(0, before.length)).toEqual(before);
  const text = await command(["why", "site/hello", "--limit", "100"], cwd);
  expect(text).toContain("it was created");
  for (const { id } of before) expect(text).toContain(id);
  second.process.kill("SIGINT");
  expect(await second.ended, second.err()).toBe(0);
}, 60_000);

const Lamp = resource("home.dev/v1", "Lamp", {
  spec: z.object({ on: z.boolean() }),
  status: z.object({ on: z.boolean() }),
});
const lamps = controller({
  for: Lamp,
  concurrency: 64,
  resync: false,
  reconcile(lamp, { report }) {
    report({ on: lamp.spec.on });
  },
});

test("fettle why shows the runs of the first of 10,000 objects, also after a restart", async () => {
  const data = await mkdtemp(join(tmpdir(), "fettle-run-records-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const objects = 10_000;
  const start = () => controlPlane({ controllers: [lamps], data, listen: { port: 0 } });
  const why = async (name: string, kubeconfig = ""): Promise<RunList["runs"]> =>
    (
      JSON.parse(
        await command(["why", `lamp/${name}`, "-o", "json", "--kubeconfig", kubeconfig, "--limit", "100"]),
      ) as RunList
    ).runs;
  let last = "";
  {
    await using plane = await start();
    const names = Array.from({ length: objects }, (_, index) => `lamp-${index}`).values();
    const create = async (): Promise<void> => {
      for (const name of names) await plane.client.create(Lamp, { metadata: { name }, spec: { on: true } });
    };
    await Promise.all(Array.from({ length: 64 }, create));
    await plane.controllers.idle();
    const [run, ...more] = await why("lamp-0", plane.kubeconfig);
    expect(run).toMatchObject({ key: "default/lamp-0", outcome: { type: "done" } });
    expect(run?.triggers[0]?.type).toBe("created");
    last = [run, ...more].at(-1)?.id ?? "";
  }
  await using plane = await start();
  await plane.controllers.idle();
  const found = await why("lamp-0", plane.kubeconfig);
  expect(found[0]?.triggers[0]?.type).toBe("created");
  expect(found.map(({ id }) => id)).toContain(last);
  // The restart reconciled every object again.
  expect(found.at(-1)?.triggers[0]?.type).toBe("found");
}, 180_000);

test("fettle why tells an object from an earlier one of the same name", async () => {
  const data = await mkdtemp(join(tmpdir(), "fettle-run-records-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  await using plane = await controlPlane({ controllers: [lamps], data, listen: { port: 0 } });
  const create = () => plane.client.create(Lamp, { metadata: { name: "hall" }, spec: { on: true } });
  const { uid: first } = (await create()).metadata;
  await plane.controllers.idle();
  await plane.client.delete(Lamp, "hall");
  await plane.controllers.idle();
  const { uid: second } = (await create()).metadata;
  await expect
    .poll(async () => (await plane.controllers.runs.find({ key: "default/hall", uid: second })).length)
    .toBeGreaterThan(0);
  expect(await plane.controllers.runs.find({ key: "default/hall", uid: first })).not.toEqual([]);
  const text = await command(["why", "lamp/hall", "--kubeconfig", plane.kubeconfig ?? "", "--limit", "100"]);
  expect(text).toContain(
    "Lamp default/hall was deleted and created again: the runs below are of another object",
  );
}, 60_000);
