import { expect, test } from "vitest";
import { assemble, assembleText } from "../test/modules/assemble.js";
import { withMemoryLimit } from "./memory-limit.js";

/** Pages that a module can grow to. */
function growAll(bytes: Uint8Array): number {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const memory = exports["memory"] as WebAssembly.Memory;
  expect(exports["_start"]).toThrow("unreachable");
  return memory.buffer.byteLength / 65_536;
}

test.each([1, 5, 127, 128, 300])("a module cannot grow beyond %i pages", async (pages) => {
  expect(growAll(withMemoryLimit(await assemble("grow"), pages))).toBe(pages);
});

test("a lower maximum is kept", async () => {
  const text = `(module (memory (export "memory") 1 3) (func (export "_start")
    (loop $again (br_if $again (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) unreachable))`;
  expect(growAll(withMemoryLimit(await assembleText(text), 10))).toBe(3);
  expect(growAll(withMemoryLimit(await assembleText(text), 2))).toBe(2);
});

test("tables get a maximum", async () => {
  const module = new WebAssembly.Module(withMemoryLimit(await assemble("grow-table"), 10));
  expect(new WebAssembly.Instance(module).exports["_start"]).toThrow("unreachable");
});

test("a minimum above the limit is an error", async () => {
  const bytes = await assemble("gigabyte");
  expect(() => withMemoryLimit(bytes, 256)).toThrow("a minimum of 16384 pages exceeds 256");
});
