import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asYaml, configMaps, protobuf, widgets } from "./paths.js";
import { expectStatus, nested, sturdyServer } from "./sturdy-server.js";

const { wire } = sturdyServer();

type Case = [what: string, body: string | Uint8Array, code: number, message?: RegExp];

describe("YAML", () => {
  const bomb = `a: &a ["x","x","x","x","x","x","x","x","x"]\n${"bcdefghi"
    .split("")
    .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[index]}`).join(",")}]`)
    .join("\n")}\n`;
  const cases: Case[] = [
    ["nothing", "", 400],
    ["a text", "hello", 400],
    ["a tab for a space", "metadata:\n\tname: bad\n", 400],
    [
      "two documents",
      "kind: ConfigMap\nmetadata: {name: bad-1}\n---\nkind: ConfigMap\nmetadata: {name: bad-2}\n",
      400,
    ],
    ["an undefined anchor", "metadata: *nobody\n", 400],
    ["a thing that contains itself", "metadata: &a\n  labels: *a\n", 400],
    [
      "a bomb of aliases",
      `kind: ConfigMap\napiVersion: v1\nmetadata: {name: bad}\ndata:\n${bomb.replaceAll(/^/gm, "  ")}`,
      400,
    ],
    ["too deep", `metadata: ${nested("[", "]", 5000)}\n`, 400],
    ["flow and block too deep", `${"- ".repeat(5000)}a\n`, 400],
    ["a tag of another language", "metadata: !!js/function 'function () {}'\n", 400],
    ["a merge key of nothing", "metadata:\n  <<: 5\n  name: bad\n", 400],
    ["bytes that are no UTF-8", Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]), 400],
    ["an unclosed quote", 'metadata: "abc', 400],
  ];
  test.each(cases)("%s", async (_, body, code, message) => {
    expectStatus(await wire().post(configMaps, body, asYaml), code, message);
  });
});

describe("protobuf", () => {
  const magic = [0x6b, 0x38, 0x73, 0x00];
  const cases: Case[] = [
    ["nothing", "", 400],
    ["no prefix", "hello", 400],
    ["half the prefix", Buffer.from(magic.slice(0, 2)), 400],
    ["the prefix alone", Buffer.from(magic), 400],
    ["JSON behind the prefix", Buffer.from([...magic, ...Buffer.from("{}")]), 400],
    ["a length beyond the end", Buffer.from([...magic, 0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), 400],
    ["a number without an end", Buffer.from([...magic, ...Array<number>(20).fill(0xff)]), 400],
    ["groups in groups", Buffer.from([...magic, ...Array<number>(100_000).fill(0x0b)]), 400],
    [
      "messages in messages",
      Buffer.from([...magic, 0x0a, 0x02, 0x0a, 0x00, 0x12, 0x04, 0x0a, 0x7f, 0x0a, 0x7f]),
      400,
    ],
    ["another kind", Buffer.from("azhzAAoMCgJ2MRIGU2VjcmV0EgAaACIA", "base64"), 400, /Secret/],
  ];
  test.each(cases)("%s", async (_, body, code, message) => {
    expectStatus(await wire().post(configMaps, body, { "content-type": protobuf }), code, message);
  });

  test("responds with a Status to arbitrary bytes", async () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(bytes, async (tail) => {
        const body = Buffer.from([...magic, ...tail]);
        const { code } = await wire().post(`${configMaps}?dryRun=All`, body, { "content-type": protobuf });
        expect(code === 201 || (code >= 400 && code < 500)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("headers and encodings", () => {
  const cases: [what: string, headers: Record<string, string>, body: string | Uint8Array, code: number][] = [
    ["a text", { "content-type": "text/plain" }, "{}", 415],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, "a=b", 415],
    ["a type that makes no sense", { "content-type": "///" }, "{}", 415],
    ["an unknown encoding", { "content-encoding": "br" }, "{}", 415],
    ["malformed gzip", { "content-encoding": "gzip" }, "{}", 400],
    ["half of a gzip", { "content-encoding": "gzip" }, gzipSync("{}").subarray(0, 15), 400],
    ["a bomb", { "content-encoding": "gzip" }, gzipSync(Buffer.alloc(100_000_000)), 413],
    ["too much", {}, Buffer.alloc(4_000_000, 0x20), 413],
  ];
  test.each(cases)("%s", async (_, headers, body, code) => {
    expectStatus(await wire().post(configMaps, body, headers), code);
  });

  test("protobuf for a custom resource", async () => {
    expectStatus(await wire().post(widgets, "k8s\0", { "content-type": protobuf }), 415, /application\/json/);
  });
});
