import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, configMaps, definitions } from "../server/http/paths.js";
import { Connection, openMany, type Reply } from "./connection.js";
import { count, full, mebibytes, milliseconds, patience, report } from "./figures.js";
import { alice, bob, peakMemory, startLoadServer, type LoadServer } from "./load-server.js";

const mebibyte = 2 ** 20;
/** Limits of a stored object and of a request body; bytes. */
const largestObject = 1.5 * mebibyte;
const largestBody = 3 * mebibyte;
/** Objects of a mebibyte in the list, and concurrent readers of it. */
const objects = full ? 300 : 40;
const readers = 4;

let server: LoadServer;
let client: Connection;
beforeAll(async () => {
  server = await startLoadServer();
  client = await Connection.open(server.url, bob);
});
afterAll(async () => {
  client.close();
  await server[Symbol.asyncDispose]();
});

function expectFailure({ code, json }: Reply, expected: number, reason: string): void {
  expect({ code, json }).toMatchObject({
    code: expected,
    json: { kind: "Status", status: "Failure", reason, code: expected },
  });
}

test("accepts ConfigMaps up to a mebibyte", async () => {
  const largest = "x".repeat(mebibyte);
  const reply = await client.ask("POST", configMaps, configMap("largest", { text: largest }));
  expect(reply.code).toBe(201);
  expect((await client.ask("GET", `${configMaps}/largest`)).json.data.text).toBe(largest);
  const over = await client.ask("POST", configMaps, configMap("over", { text: `${largest}x` }));
  expectFailure(over, 422, "Invalid");
  expect((await client.ask("GET", `${configMaps}/over`)).code).toBe(404);
  expect((await client.ask("DELETE", `${configMaps}/largest`)).code).toBe(200);
});

test("accepts objects up to the limit of a stored object, and returns 413 above it and above that of a request", async () => {
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "blobs.demo.dev" },
    spec: {
      group: "demo.dev",
      names: { kind: "Blob", plural: "blobs" },
      scope: "Cluster",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { text: { type: "string" } } } },
        },
      ],
    },
  };
  expect((await client.ask("POST", definitions, definition)).code).toBe(201);
  const blob = (name: string, size: number): string => {
    const start = `{"apiVersion":"demo.dev/v1","kind":"Blob","metadata":{"name":"${name}"},"text":"`;
    return `${start}${"x".repeat(size - start.length - 2)}"}`;
  };
  const path = "/apis/demo.dev/v1/blobs";
  // Its metadata is stored, too.
  const most = blob("most", largestObject - 1000);
  expect((await client.ask("POST", path, most)).code).toBe(201);
  const kept = await client.ask("GET", `${path}/most`);
  expect(kept.json.text).toBe(JSON.parse(most).text);
  expectFailure(
    await client.ask("POST", path, blob("more", largestObject + 1)),
    413,
    "RequestEntityTooLarge",
  );
  // The response arrives before the request is sent completely, so it needs a connection of its own.
  const other = await Connection.open(server.url, bob);
  expectFailure(await other.ask("POST", path, blob("more", largestBody + 1)), 413, "RequestEntityTooLarge");
  other.close();
  expect((await client.ask("GET", `${path}/more`)).code).toBe(404);
});

test(
  `${objects} objects of a mebibyte in one list`,
  async () => {
    const digests = new Map<string, string>();
    const digestOf = (text: string): string => createHash("sha1").update(text).digest("hex");
    const writers = await openMany(server.url, alice, readers);
    let next = 0;
    const begin = performance.now();
    await Promise.all(
      writers.map(async (writer) => {
        while (next < objects) {
          const name = `large-${next++}`;
          const text = randomBytes(mebibyte / 2 - 10).toString("hex");
          digests.set(name, digestOf(text));
          expect((await writer.ask("POST", configMaps, configMap(name, { text }))).code).toBe(201);
        }
      }),
    );
    const created = performance.now() - begin;

    const check = (items: readonly { metadata: { name: string }; data: { text: string } }[]): void => {
      for (const { metadata, data } of items) expect(digestOf(data.text)).toBe(digests.get(metadata.name));
    };
    const before = (await server.usage()).memory;
    const whole = await peakMemory(server, async () => {
      const begin = performance.now();
      const replies = await Promise.all(writers.map((writer) => writer.ask("GET", configMaps)));
      const time = performance.now() - begin;
      for (const { bytes } of replies) expect(bytes.length).toBeGreaterThan((objects - 1) * mebibyte);
      const [first, ...others] = replies;
      for (const { bytes } of others) expect(first !== undefined && bytes.equals(first.bytes)).toBe(true);
      expect(first?.json.items).toHaveLength(objects);
      check(first?.json.items);
      return time;
    });
    const paged = await peakMemory(server, async () => {
      const begin = performance.now();
      let seen = 0;
      let token = "";
      do {
        const { json } = await client.ask("GET", `${configMaps}?limit=10&continue=${token}`);
        check(json.items);
        seen += json.items.length;
        token = json.metadata.continue ?? "";
      } while (token !== "");
      expect(seen).toBe(objects);
      return performance.now() - begin;
    });
    for (const writer of writers) writer.close();

    report(`${objects} objects of 1 MiB`, {
      created: `${count((objects * 1000) / created)} /s by ${writers.length} clients`,
      [`listed whole by ${readers} at once`]: milliseconds(whole.result),
      "listed in pages of 10": milliseconds(paged.result),
      "memory before": mebibytes(before),
      "memory while listed whole": mebibytes(whole.peak),
      "memory while listed in pages": mebibytes(paged.peak),
    });
    // Lists are sent while they are read.
    expect(whole.peak).toBeLessThan(before + 300);
  },
  patience,
);
