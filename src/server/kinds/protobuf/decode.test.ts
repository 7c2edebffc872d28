import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../model/core.js";
import { decodeProtobuf } from "./decode.js";

interface Sample {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly bytes: Buffer;
  readonly object: unknown;
}

/** Blocks of lines; the first line is the title. */
const fixture = readFileSync(new URL("../fixtures/protobuf.txt", import.meta.url), "utf8");

const samples = fixture
  .trimEnd()
  .split("\n\n")
  .slice(1)
  .map((block) => block.split("\n"))
  .map(([name = "", type = "", bytes = "", json = ""]): Sample => {
    const [apiVersion = "", kind = ""] = type.split(" ");
    return { name, apiVersion, kind, bytes: Buffer.from(bytes, "base64"), object: JSON.parse(json) };
  });

/** Prefix and envelope around a message. */
function envelope(kind: string, raw: readonly number[], apiVersion = "v1"): Buffer {
  const typeMeta = [...lengthDelimited(1, Buffer.from(apiVersion)), ...lengthDelimited(2, Buffer.from(kind))];
  return Buffer.from([0x6b, 0x38, 0x73, 0, ...lengthDelimited(1, typeMeta), ...lengthDelimited(2, raw)]);
}

function lengthDelimited(field: number, bytes: Iterable<number>): number[] {
  const content = [...bytes];
  return [...varint(field * 8 + 2), ...varint(content.length), ...content];
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return [...bytes, left];
}

function problem(decode: () => unknown): string {
  try {
    decode();
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error.message;
    throw error;
  }
  return "";
}

describe("decodes what Kubernetes' encoder wrote", () => {
  test.each(samples)("$name", ({ bytes, apiVersion, kind, object }) => {
    expect(decodeProtobuf(bytes)).toEqual({ apiVersion, kind, object });
  });

  test("keeps a key named __proto__", () => {
    const { object } = decodeProtobuf(samples[0]?.bytes ?? Buffer.alloc(0));
    const { labels } = object["metadata"] as unknown as { labels: Record<string, string> };
    expect(Object.keys(labels)).toContain("__proto__");
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
  });
});

describe("the envelope", () => {
  test.each<[string, Buffer, string]>([
    ["nothing", Buffer.alloc(0), "empty data"],
    [
      "JSON",
      Buffer.from("{}"),
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    ],
    ["only the prefix", Buffer.from("k8s\0"), "empty body"],
    ["no kind", envelope("", []), "Object 'Kind' is missing in the protobuf envelope"],
    ["no version", envelope("ConfigMap", [], ""), "Object 'apiVersion' is missing in the protobuf envelope"],
    [
      "an unknown kind",
      envelope("Widget", [], "demo.dev/v1"),
      'no kind "Widget" is registered for version "demo.dev/v1" in protobuf: send it as JSON',
    ],
    ["cut", Buffer.from("k8s\0\x0a\x7f"), "the protobuf envelope cannot be read: unexpected EOF at byte 6"],
    [
      "bad text",
      envelope("\u{D800}", []),
      'no kind "\uFFFD" is registered for version "v1" in protobuf: send it as JSON',
    ],
  ])("%s", (_, bytes, message) => {
    expect(problem(() => decodeProtobuf(bytes))).toBe(message);
  });

  test("may omit the type that the caller expects", () => {
    const bytes = envelope("", [], "");
    expect(decodeProtobuf(bytes, { apiVersion: "v1", kind: "DeleteOptions" }).object).toEqual({
      apiVersion: "v1",
      kind: "DeleteOptions",
    });
  });
});

describe("messages", () => {
  const cut = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: proto:';

  test.each<[string, number[], string]>([
    ["a length beyond the end", [0x12, 0x05, 0x01], `${cut} unexpected EOF in data at byte 2`],
    [
      "a huge length",
      [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
      `${cut} unexpected EOF in data at byte 11`,
    ],
    [
      "an endless number",
      [0x12, ...Array<number>(11).fill(0xff)],
      `${cut} integer overflow in data at byte 11`,
    ],
    ["a wrong wire type", [0x10, 0x01], `${cut} wrong wireType = 0, expected 2 in data at byte 1`],
    ["field 0", [0x00], `${cut} illegal field number 0 at byte 1`],
    ["an unknown wire type", [0x07], `${cut} illegal field number 0 at byte 1`],
    ["an illegal wire type", [0xff, 0x07], `${cut} illegal wireType 7 at byte 2`],
    ["an end of a group", [0xfc, 0x07], `${cut} unexpected end of group at byte 2`],
    ["a group that never ends", [0xfb, 0x07], `${cut} unexpected EOF at byte 2`],
    [
      "text that is not UTF-8",
      lengthDelimited(2, lengthDelimited(1, [0xff])),
      `${cut} text that is not valid UTF-8 in data at byte 5`,
    ],
    [
      "a time after the year 9999",
      lengthDelimited(1, lengthDelimited(8, [0x08, ...varint(2 ** 50)])),
      `${cut} time out of range in metadata.creationTimestamp at byte 13`,
    ],
    [
      "broken JSON",
      lengthDelimited(1, lengthDelimited(17, lengthDelimited(7, lengthDelimited(1, Buffer.from("{"))))),
      `${cut} embedded JSON that cannot be read in metadata.managedFields.fieldsV1 at byte 10`,
    ],
  ])("rejects %s", (_, raw, message) => {
    expect(problem(() => decodeProtobuf(envelope("ConfigMap", raw)))).toBe(message);
  });

  test("skips unknown fields", () => {
    const unknown = [
      [0xf8, 0x07, 0x01],
      [0xf9, 0x07, 1, 2, 3, 4, 5, 6, 7, 8],
      [0xfa, 0x07, 0x02, 1, 2],
      [0xfb, 0x07, 0x08, 0x01, 0xfc, 0x07],
      [0xfd, 0x07, 1, 2, 3, 4],
    ].flat();
    const raw = [...unknown, ...lengthDelimited(1, lengthDelimited(1, Buffer.from("a"))), ...unknown];
    expect(decodeProtobuf(envelope("ConfigMap", raw)).object["metadata"]).toEqual({ name: "a" });
  });

  test("refuses more fields than an object may have", () => {
    const entry = (key: string): number[] => lengthDelimited(2, lengthDelimited(1, Buffer.from(key)));
    const decode = (count: number): unknown => {
      const raw = Array.from({ length: count }, (_, index) => entry(`k${index}`)).flat();
      return decodeProtobuf(envelope("ConfigMap", raw), {}, 10).object["data"];
    };
    expect(Object.keys(decode(10) as object)).toHaveLength(10);
    expect(() => decode(20)).toThrow(/^Request entity too large: the body has too many fields/);
  });

  test("merges repeated messages and keeps the last of repeated strings and map entries", () => {
    const name = (text: string): number[] => lengthDelimited(1, lengthDelimited(1, Buffer.from(text)));
    const namespace = lengthDelimited(1, lengthDelimited(3, Buffer.from("n")));
    const entry = (value: string): number[] =>
      lengthDelimited(2, [
        ...lengthDelimited(1, Buffer.from("k")),
        ...lengthDelimited(2, Buffer.from(value)),
      ]);
    const raw = [...name("a"), ...entry("1"), ...namespace, ...name("b"), ...entry("2")];
    const { object } = decodeProtobuf(envelope("ConfigMap", raw));
    expect(object).toMatchObject({ metadata: { name: "b", namespace: "n" }, data: { k: "2" } });
  });

  test("rejects messages and JSON that are nested too deeply", () => {
    let schema: number[] = [];
    for (let depth = 0; depth < 2000; depth++) schema = lengthDelimited(28, schema);
    const nested = lengthDelimited(2, lengthDelimited(7, lengthDelimited(4, lengthDelimited(1, schema))));
    const decode = (raw: number[]): unknown =>
      decodeProtobuf(envelope("CustomResourceDefinition", raw, "apiextensions.k8s.io/v1"));
    expect(problem(() => decode(nested))).toContain("messages are nested too deeply");

    const json = Buffer.from(`${"[".repeat(5000)}${"]".repeat(5000)}`);
    const managed = lengthDelimited(1, lengthDelimited(17, lengthDelimited(7, lengthDelimited(1, json))));
    expect(problem(() => decode(managed))).toContain("embedded JSON is nested too deeply");
  });

  test("malformed bytes cause an ApiError 400 and no other error", () => {
    const change = fc.record({
      sample: fc.constantFrom(...samples),
      edits: fc.array(
        fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.integer({ min: 0, max: 255 }) }),
        { maxLength: 5 },
      ),
      length: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(change, ({ sample, edits, length }) => {
        const bytes = Buffer.from(sample.bytes);
        for (const { at, byte } of edits) bytes[Math.floor(at * bytes.length)] = byte;
        const cutBytes = bytes.subarray(
          0,
          length < 0.5 ? Math.ceil(length * 2 * bytes.length) : bytes.length,
        );
        problem(() => JSON.stringify(decodeProtobuf(cutBytes)));
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(...samples),
        (raw, { apiVersion, kind }) => {
          problem(() => JSON.stringify(decodeProtobuf(envelope(kind, [...raw], apiVersion))));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
