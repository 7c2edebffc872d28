import { describe, test } from "vitest";
import { VirtualClock } from "../../model/time/virtual-clock.js";
import { storeConformance } from "../conformance/index.js";
import type { Store } from "../store.js";
import { MemoryEngine } from "./memory-engine.js";
import { MemoryStore } from "./memory-store.js";

describe("the memory store conforms to the contract", () => {
  const clock = new VirtualClock();
  const engines = new WeakMap<Store, MemoryEngine>();
  const open = async (engine: MemoryEngine): Promise<Store> => {
    const store = new MemoryStore({ clock, retention: { age: "100000h", count: Infinity } }, engine);
    engines.set(store, engine);
    return store;
  };
  const cases = storeConformance({
    create: () => open(new MemoryEngine()),
    openSecond: (first) => open(engines.get(first) ?? new MemoryEngine()),
    advance: (milliseconds) => clock.advance(milliseconds),
    runs: 200,
  });
  for (const { name, run } of cases) test(name, run);
});
