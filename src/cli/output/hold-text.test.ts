import { expect, test } from "vitest";
import { holdText } from "./hold-text.js";

const now = Date.parse("2026-03-01T20:30:00Z");
const at = (text: string): number => Date.parse(text);

test.each([
  [{ type: "batched", keys: 3, size: 10, until: now + 12_000 }, "batched: 3 of 10, released in 12s"],
  [{ type: "batched", name: "rollout", keys: 1, size: 5, until: now - 1 }, "rollout: 1 of 5, released in 0s"],
  [
    { type: "scheduled", keys: 1, until: at("2026-03-01T22:00:00Z"), closes: at("2026-03-01T23:00:00Z") },
    "waits for the window 22:00–23:00 UTC (scheduled), in 90m",
  ],
  [
    {
      type: "scheduled",
      name: "nightly",
      keys: 1,
      until: at("2026-03-02T01:00:00Z"),
      closes: at("2026-03-02T02:00:00Z"),
      timeZone: "Europe/Berlin",
    },
    "waits for the window 2026-03-02 02:00–03:00 Europe/Berlin (nightly), in 4h30m",
  ],
  [{ type: "scheduled", keys: 1, until: Infinity }, "waits for a window that never opens (scheduled)"],
] as const)("%j", (hold, text) => {
  expect(holdText(hold, now)).toBe(text);
});
