import fc from "fast-check";
import { expect, test } from "vitest";
import { names } from "../../model/core.js";
import { cutMessage, eventName, occurrence } from "./occurrence.js";

const random = { bytes: (length: number) => new Uint8Array(length).fill(1) };
const about = (name: string) => ({ apiVersion: "v1", kind: "Pod", name });

test("a name is the object's and the nanoseconds in hex", () => {
  const name = eventName(about("web-0"), 1_767_225_600_000, random);
  expect(name).toMatch(/^web-0\.[0-9a-f]{16}$/);
  const nanoseconds = BigInt(`0x${name.slice("web-0.".length)}`);
  expect(nanoseconds / 1_000_000n).toBe(1_767_225_600_000n);
});

test.each(["system:node", "x".repeat(253), `${"x".repeat(235)}.y`, "Über"])(
  "an event about %.20s has a valid name",
  (object) => {
    const name = eventName(about(object), 1_767_225_600_000, random);
    expect(names.nameIsDns1123Subdomain(name)).toEqual([]);
  },
);

test("messages are cut to 1024 bytes, between characters", () => {
  expect(cutMessage("x".repeat(1024))).toBe("x".repeat(1024));
  expect(cutMessage("x".repeat(1025))).toBe(`${"x".repeat(1021)}...`);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 200, maxLength: 2000, size: "max" }), (text) => {
      const message = cutMessage(text);
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
      if (message !== text) expect(text.startsWith(message.slice(0, -3))).toBe(true);
      else expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024);
    }),
  );
});

test("refuses what no event can be about", () => {
  const nameless = { apiVersion: "v1", kind: "Pod", metadata: { generateName: "web-" } };
  expect(() => occurrence(nameless, { reason: "R", message: "m" })).toThrow("a Pod without a name");
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" } };
  expect(() => occurrence(pod, { reason: "", message: "m" })).toThrow("an event needs a reason");
});
