import { systemClock, VirtualClock, type Clock } from "fettle/model";
import { afterEach, describe, expect, test } from "vitest";
import { assemble, assembleText } from "../../test/modules/assemble.js";
import { inlineRuntime } from "./inline-runtime.js";
import type { KeyValues, Launch, ModuleRun, OutputLine } from "./runtime.js";
import { workerRuntime } from "./worker-runtime.js";

const mebibyte = 1024 * 1024;
const runs: ModuleRun[] = [];

afterEach(async () => {
  await Promise.all(runs.splice(0).map((run) => run.stop()));
});

function mapValues(map = new Map<string, Uint8Array>(), maxValues = 10): KeyValues {
  return {
    get: (key) => map.get(key),
    set: (key, value) => map.size < maxValues && map.set(key, value) !== undefined,
    delete: (key) => map.delete(key),
  };
}

describe.each([
  ["worker", workerRuntime(systemClock)],
  ["inline", inlineRuntime],
] as const)("%s runtime", (name, runtime) => {
  async function launch(module: string | Uint8Array, settings: Partial<Launch> = {}) {
    const lines: OutputLine[] = [];
    const run = runtime.run({
      bytes: typeof module === "string" ? await assemble(module) : module,
      args: [],
      env: {},
      memoryLimit: 16 * mebibyte,
      timeLimit: undefined,
      values: mapValues(),
      print: (line) => lines.push(line),
      ...settings,
    });
    runs.push(run);
    return { run, lines };
  }

  test("a module prints and completes", async () => {
    const { run, lines } = await launch("hello");
    await run.started;
    expect(await run.ended).toStrictEqual({ state: "Completed", exitCode: 0 });
    expect(lines).toStrictEqual([{ stream: "stdout", text: "hello, device" }]);
  });

  test("a module has its arguments and variables, and none of the agent", async () => {
    const { run, lines } = await launch("arguments", { args: ["one", "zwei ü"], env: { COLOUR: "red" } });
    await run.ended;
    expect(lines).toStrictEqual([{ stream: "stdout", text: "module.wasm\0one\0zwei ü\0COLOUR=red\0" }]);
  });

  test("an exit code is a failure", async () => {
    const { run } = await launch("exit-3");
    expect(await run.ended).toStrictEqual({
      state: "Failed",
      exitCode: 3,
      failure: { reason: "Exit", message: "The module exited with code 3." },
    });
  });

  test.each([
    ["trap", "The module trapped: divide by zero. It used 64 KiB of 16 MiB of memory."],
    ["trap-in-start", "The module trapped: unreachable."],
    ["recursion", "The module trapped: Maximum call stack size exceeded."],
    ["bad-pointer", "The module trapped: 100 bytes at 65530 are outside of its memory of 65536 bytes."],
  ])("%s is a trap", async (module, message) => {
    const { failure, state } = await (await launch(module)).run.ended;
    expect(state).toBe("Failed");
    expect(failure?.reason).toBe("Trap");
    expect(failure?.message).toContain(message);
  });

  test("a module that grows beyond its limit runs out of memory", async () => {
    const { run } = await launch("grow", { memoryLimit: 2 * mebibyte });
    expect((await run.ended).failure).toStrictEqual({
      reason: "MemoryLimit",
      message: "The module ran out of memory (unreachable) with 2 MiB of 2 MiB: raise spec.limits.memory.",
    });
  });

  test("values of an application stay from run to run", async () => {
    const map = new Map<string, Uint8Array>();
    const values = mapValues(map);
    const first = await launch("counter", { values });
    expect((await first.run.ended).exitCode).toBe(1);
    expect(first.lines).toStrictEqual([{ stream: "log", text: "info: started" }]);
    expect((await (await launch("counter", { values })).run.ended).exitCode).toBe(2);
    expect([...map.keys()]).toStrictEqual([Buffer.from("starts").toString("hex")]);
  });

  test("values beyond the quota are refused", async () => {
    const map = new Map<string, Uint8Array>();
    const { run } = await launch("fill-values", { values: mapValues(map, 5) });
    expect((await run.ended).exitCode).toBe(2);
    expect(map.size).toBe(5);
  });

  test("a flood of lines is bounded and counted", async () => {
    const { run, lines } = await launch("flood");
    expect((await run.ended).state).toBe("Completed");
    expect(lines.length).toBeLessThan(50_000);
    expect(lines.at(-1)?.text).toMatch(/^\d+ lines were dropped: at most 200 per second are kept$/);
  });

  test("a long line is cut", async () => {
    const { run, lines } = await launch("long-line");
    await run.ended;
    expect(lines).toStrictEqual([{ stream: "stderr", text: `${"x".repeat(4096)}…` }]);
  });

  test("a service runs until it is stopped", async () => {
    const { run, lines } = await launch("service");
    await run.started;
    await run.stop();
    expect(await run.ended).toStrictEqual({ state: "Stopped" });
    await run.stop();
    expect(lines.map(({ text }) => text)).toStrictEqual(name === "inline" ? ["ready"] : expect.any(Array));
  });

  test("functions for files say that there are none", async () => {
    // 8 is the error "badf", 3 the first descriptor of a folder.
    const text = `(module
      (import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
      (memory (export "memory") 1)
      (func (export "_start") (call $exit (call $prestat (i32.const 3) (i32.const 0)))))`;
    const { run } = await launch(await assembleText(text));
    expect((await run.ended).exitCode).toBe(8);
  });
});

describe("worker runtime", () => {
  async function launch(module: string, timeLimit?: number, clock: Clock = systemClock): Promise<ModuleRun> {
    const run = workerRuntime(clock).run({
      bytes: await assemble(module),
      args: [],
      env: {},
      memoryLimit: 16 * mebibyte,
      timeLimit,
      values: mapValues(),
      print: () => undefined,
    });
    runs.push(run);
    return run;
  }

  test("sleeps", async () => {
    expect((await (await launch("nap")).ended).exitCode).toBe(1);
  });

  test.each(["endless-loop", "endless-start", "service"])("%s ends at its time limit", async (module) => {
    const clock = new VirtualClock();
    const run = await launch(module, 5000, clock);
    await clock.advance(5000);
    expect(await run.ended).toStrictEqual({
      state: "Failed",
      failure: {
        reason: "TimeLimit",
        message: "The module ran for longer than 5 s: raise spec.limits.time.",
      },
    });
  });

  test.each(["endless-loop", "endless-start"])("%s can be stopped", async (module) => {
    const run = await launch(module);
    await run.stop();
    expect(await run.ended).toStrictEqual({ state: "Stopped" });
  });

  test("a table that grows without end does not end the process", async () => {
    expect((await (await launch("grow-table")).ended).failure?.reason).toBe("Trap");
  });
});
