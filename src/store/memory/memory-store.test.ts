import { describe, test } from "vitest";
import { VirtualClock } from "../../model/time/virtual-clock.js";
import { storeConformance } from "../conformance/index.js";
import { MemoryStore } from "./memory-store.js";

describe("the memory store keeps the contract", () => {
  const clock = new VirtualClock();
  const cases = storeConformance({
    create: async () => new MemoryStore({ clock, retention: { age: "100000h", count: Infinity } }),
    advance: (milliseconds) => clock.advance(milliseconds),
    runs: 200,
  });
  for (const { name, run } of cases) test(name, run);
});
