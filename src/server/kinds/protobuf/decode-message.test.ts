import { describe, expect, test } from "vitest";
import { parseIdl } from "../idl/parse-idl.js";
import { decodeMessage } from "./decode-message.js";
import { WireReader } from "./wire-reader.js";

/** Types that no kind has yet. */
const [struct] = parseIdl([
  `group demo.dev/v1 dev.demo.v1
type Sample
  port     1 intOrString
  cpu      2 quantity
  timeout  3 duration
  ids      4 [int64]
  ratios   5 [double]
  flags    6 [bool]
  ports    7 [intOrString]
  limits   8 {quantity}
`,
]);

function decode(...bytes: readonly (number | string)[]): unknown {
  if (struct === undefined) throw new Error("no type");
  const parts = bytes.map((part) => (typeof part === "number" ? Buffer.from([part]) : Buffer.from(part)));
  return decodeMessage(new WireReader(Buffer.concat(parts)), struct, []);
}

describe("values that are messages in protobuf", () => {
  test("an int-or-string", () => {
    expect(decode(0x0a, 6, 0x08, 0, 0x10, 80, 0x1a, 0)).toEqual({ port: 80 });
    expect(decode(0x0a, 9, 0x08, 1, 0x10, 0, 0x1a, 3, "50%")).toEqual({ port: "50%" });
    expect(decode(0x3a, 0, 0x3a, 2, 0x10, 7)).toEqual({ ports: [0, 7] });
  });

  test("a quantity", () => {
    expect(decode(0x12, 6, 0x0a, 4, "500m")).toEqual({ cpu: "500m" });
    expect(decode(0x12, 0)).toEqual({ cpu: "0" });
    expect(decode(0x42, 10, 0x0a, 3, "cpu", 0x12, 3, 0x0a, 1, "2")).toEqual({ limits: { cpu: "2" } });
  });

  test.each<[number, string]>([
    [0, "0s"],
    [15, "15ns"],
    [1500, "1.5\u00B5s"],
    [20_000_000, "20ms"],
    [1_500_000_000, "1.5s"],
    [90_000_000_000, "1m30s"],
    [3_600_000_000_000, "1h0m0s"],
  ])("a duration of %d ns", (nanoseconds, text) => {
    const bytes: number[] = [];
    let left = nanoseconds;
    for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
    expect(decode(0x1a, bytes.length + 2, 0x08, ...bytes, left)).toEqual({ timeout: text });
  });

  test("a negative duration", () => {
    const minusOne = [...Array<number>(9).fill(0xff), 0x01];
    expect(decode(0x1a, 11, 0x08, ...minusOne)).toEqual({ timeout: "-1ns" });
  });
});

test("lists of numbers are decoded unpacked and packed", () => {
  const minusTwo = [0xfe, ...Array<number>(8).fill(0xff), 0x01];
  expect(decode(0x20, 1, 0x22, 12, 0xac, 0x02, ...minusTwo)).toEqual({ ids: [1, 300, -2] });
  expect(decode(0x2a, 8, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f)).toEqual({ ratios: [1.5] });
  expect(decode(0x32, 3, 1, 0, 2)).toEqual({ flags: [true, false, true] });
  expect(() => decode(0x2a, 8, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f)).toThrow("NaN cannot be written as JSON");
  expect(() => decode(0x2a, 3, 0, 0, 0)).toThrow("unexpected EOF");
});
