import { describe, expect, test } from "vitest";
import { assemble, assembleText, moduleNames } from "../test/modules/assemble.js";
import { checkModule, digestOf, formatBytes, inspectModule, maxModuleBytes } from "./inspect.js";

const limits = { memoryBytes: 16 * 1024 * 1024, maxBytes: maxModuleBytes };
const program = '(memory (export "memory") 1) (func (export "_start"))';

describe("checkModule", () => {
  test.each(moduleNames.filter((name) => name !== "gigabyte"))("accepts %s", async (name) => {
    expect(checkModule(await assemble(name), limits)).toBeUndefined();
  });

  test("names the minimum of the memory and the limit", async () => {
    const bytes = await assemble("gigabyte");
    expect(checkModule(bytes, limits)).toStrictEqual({
      reason: "MemoryLimit",
      message:
        "The module asks for 1 GiB of memory at its start; the limit is 16 MiB: raise spec.limits.memory.",
    });
    expect(checkModule(bytes, { ...limits, memoryBytes: 2 ** 30 })).toBeUndefined();
  });

  test.each([
    ["nothing", Buffer.alloc(0), "The module is empty."],
    ["text", Buffer.from("#!/bin/sh\n"), "not WebAssembly: they begin with 23212f62696e2f73"],
    ["the beginning of the magic number", Buffer.from("\0as"), "not WebAssembly"],
    ["another version", Buffer.from("\0asm\u0002\0\0\0"), "version 2 of WebAssembly"],
    [
      "a component",
      Buffer.from("\0asm\u000d\0\u0001\0"),
      "Compile for wasm32-wasip1, and not for wasm32-wasip2",
    ],
    ["a section that is too long", Buffer.from("\0asm\u0001\0\0\0\u0001\u007f"), "The module is malformed: "],
    ["no section at all", Buffer.from("\0asm\u0001\0\0\0"), "exports no function _start"],
  ])("refuses %s", (_, bytes, message) => {
    const problem = checkModule(bytes, limits);
    expect(problem?.reason).toBe("InvalidModule");
    expect(problem?.message).toContain(message);
  });

  test.each([
    ["a library", '(memory (export "memory") 1)', "exports no function _start. Compile it as a program"],
    [
      "_start that is no function",
      '(memory (export "memory") 1) (export "_start" (memory 0))',
      "no function",
    ],
    ["a hidden memory", '(memory 1) (func (export "_start"))', "exports no memory"],
    ["an import from elsewhere", `(import "env" "f" (func)) ${program}`, "function env.f; devices have only"],
    ["WASI of another version", `(import "wasi_unstable" "f" (func)) ${program}`, "for wasm32-wasip1"],
    [
      "an unknown function",
      `(import "fettle" "fly" (func)) ${program}`,
      "Use the functions that devices have: log,",
    ],
    [
      "a property of objects",
      `(import "toString" "f" (func)) ${program}`,
      "function toString.f; devices have",
    ],
    [
      "an imported global",
      `(import "fettle" "log" (global i32)) ${program}`,
      "global fettle.log; devices have only",
    ],
    ["an imported table", `(import "fettle" "log" (table 1 funcref)) ${program}`, "table fettle.log"],
    ["a huge table", `(table 1000000 funcref) ${program}`, "a table with 1000000 elements; at most 200000"],
    ["huge tables together", `(table 150000 funcref) (table 1 externref) ${program}`, "at most 100000"],
    [
      "many exports",
      `${program} ${Array.from({ length: 10_000 }, (_, index) => `(export "${index}" (memory 0))`).join("")}`,
      "more than 10000 imports or exports",
    ],
    [
      "an imported memory",
      '(import "env" "memory" (memory 1)) (export "memory" (memory 0)) (func (export "_start"))',
      "memory env.memory",
    ],
  ])("refuses %s", async (_, text, message) => {
    const problem = checkModule(await assembleText(`(module ${text})`), limits);
    expect(problem?.reason).toBe("InvalidModule");
    expect(problem?.message).toContain(message);
  });

  test("refuses objects of the garbage collector", () => {
    // The engine of Node 22 knows them; before, it refuses the module itself. One type: a structure without fields.
    const bytes = Buffer.from("\0asm\u0001\0\0\0\u0001\u0003\u0001\u005f\0");
    expect(checkModule(bytes, limits)?.reason).toBe("InvalidModule");
    expect(inspectModule(bytes).hasOnlyFunctionTypes).toBe(false);
  });

  test("refuses a module that is too large before it reads it", () => {
    const message = checkModule(Buffer.alloc(2048), { ...limits, maxBytes: 1024 })?.message;
    expect(message).toContain("The module has 2 KiB; at most 1 KiB can be sent");
  });

  test("passes on the message of the engine", async () => {
    const bytes = Buffer.from(await assemble("exit-3"));
    // The call becomes an unknown instruction.
    bytes[bytes.lastIndexOf(0x10)] = 0xff;
    expect(checkModule(bytes, limits)?.message).toMatch(
      /^The module is malformed: Compiling function #1 failed/,
    );
  });

  test("refuses a truncated module wherever it ends", async () => {
    const bytes = await assemble("exit-3");
    const accepted = Array.from({ length: bytes.length }, (_, length) => length).filter(
      (length) => checkModule(bytes.subarray(0, length), limits) === undefined,
    );
    expect(accepted).toStrictEqual([]);
  });
});

test("inspectModule reads imports, exports and memories", async () => {
  const bytes = await assembleText(
    `(module (import "fettle" "clock" (func (result i64))) (memory (export "memory") 3 500) (func (export "_start")))`,
  );
  expect(inspectModule(bytes)).toStrictEqual({
    digest: digestOf(bytes),
    size: bytes.length,
    imports: [{ module: "fettle", name: "clock", kind: "function" }],
    exports: [
      { name: "memory", kind: "memory" },
      { name: "_start", kind: "function" },
    ],
    memories: [{ minimum: 3, maximum: 500, isShared: false, is64: false }],
    tables: [],
    hasOnlyFunctionTypes: true,
    elementBytes: 0,
  });
});

test("digestOf has the form of the API", () => {
  expect(digestOf(Buffer.from("abc"))).toBe(
    "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

test.each([
  [0, "0 bytes"],
  [1024, "1 KiB"],
  [1_600_000, "1.5 MiB"],
  [2 ** 40, "1024 GiB"],
])("formatBytes of %i", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
