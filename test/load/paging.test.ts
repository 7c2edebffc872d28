import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, configMaps } from "../server/http/paths.js";
import { Connection, openMany } from "./connection.js";
import { count, full, latencies, mebibytes, milliseconds, patience, report } from "./figures.js";
import { alice, bob, peakMemory, startLoadServer, type LoadServer } from "./load-server.js";
import { WatchStream } from "./watch-stream.js";

const objects = full ? 100_000 : 4000;
const pageSize = 500;
const passes = full ? 2 : 3;
const writers = 4;

let server: LoadServer;
beforeAll(async () => {
  server = await startLoadServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const nameOf = (index: number): string => `object-${String(index).padStart(6, "0")}`;

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

interface Pass {
  readonly revision: number;
  readonly items: readonly Item[];
  readonly pages: readonly number[];
}

/** Reads all pages of a list and checks that they have one revision and are in order. */
async function listPages(client: Connection): Promise<Pass> {
  const items: Item[] = [];
  const pages: number[] = [];
  const revisions = new Set<string>();
  let token = "";
  do {
    const begin = performance.now();
    const { code, json } = await client.ask("GET", `${configMaps}?limit=${pageSize}&continue=${token}`);
    pages.push(performance.now() - begin);
    expect(code).toBe(200);
    revisions.add(json.metadata.resourceVersion);
    items.push(...(json.items as Item[]).map(({ metadata }) => ({ metadata })));
    token = json.metadata.continue ?? "";
    if (token !== "") expect(json.items).toHaveLength(pageSize);
  } while (token !== "");
  expect(revisions.size).toBe(1);
  return { revision: Number([...revisions][0]), items, pages };
}

test(
  `${count(objects)} objects listed in pages of ${pageSize} during writes are a consistent snapshot`,
  async () => {
    const text = "x".repeat(500);
    const connections = await openMany(server.url, alice, 32);
    let next = 0;
    const filling = performance.now();
    await Promise.all(
      connections.map(async (connection) => {
        while (next < objects) {
          const reply = await connection.ask("POST", configMaps, configMap(nameOf(next++), { text }));
          expect(reply.code).toBe(201);
        }
      }),
    );
    const filled = performance.now() - filling;

    const client = await Connection.open(server.url, bob);
    const first = await listPages(client);
    expect(first.items).toHaveLength(objects);
    const watch = await WatchStream.open(
      server.url,
      bob,
      `${configMaps}?watch=1&resourceVersion=${first.revision}`,
      { keep: true },
    );

    // Writers update, delete and create objects all over the list while it is read.
    let over = false;
    let writes = 0;
    const writing = connections.slice(0, writers).map(async (connection, writer) => {
      for (let turn = 0; !over; turn++) {
        const index = (turn * 7919 * writers + writer) % objects;
        const path = `${configMaps}/${nameOf(index)}`;
        const kind = turn % 3;
        const { code } =
          kind === 0
            ? await connection.ask("PATCH", path, { data: { turn: String(turn) } })
            : kind === 1
              ? await connection.ask("DELETE", path)
              : await connection.ask("POST", configMaps, configMap(`${nameOf(index)}-${writer}-${turn}`));
        // Another writer may have deleted it.
        expect([200, 201, 404]).toContain(code);
        if (code !== 404) writes++;
      }
    });
    const before = (await server.usage()).memory;
    const { result, peak } = await peakMemory(server, async () => {
      const all: Pass[] = [];
      for (let pass = 0; pass < passes; pass++) all.push(await listPages(client));
      return all;
    });
    over = true;
    await Promise.all(writing);
    for (const connection of connections) connection.close();

    // The last write: a watch that has delivered it has delivered everything.
    const end = await client.ask("POST", configMaps, configMap("the-end"));
    const lastWrite = end.json.metadata.resourceVersion as string;
    const whole = performance.now();
    const all = await client.ask("GET", configMaps);
    const wholeTime = performance.now() - whole;
    const last = Number(all.json.metadata.resourceVersion);
    await expect
      .poll(() => watch.events().at(-1)?.object.metadata.resourceVersion as string, {
        timeout: patience,
        interval: 500,
      })
      .toBe(lastWrite);

    // The state at a revision is the first list with all changes up to that revision.
    const state = new Map(first.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    const events = watch.events();
    let done = 0;
    const stateAt = (revision: number): string[] => {
      for (; done < events.length; done++) {
        const { type, object } = events[done];
        const { name, resourceVersion } = object.metadata;
        if (Number(resourceVersion) > revision) break;
        if (type === "DELETED") state.delete(name);
        else state.set(name, resourceVersion);
      }
      return Array.from(state, ([name, version]) => `${name} ${version}`).sort();
    };
    const shown = (items: readonly Item[]): string[] =>
      items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
    for (const { revision, items } of [...result, { revision: last, items: all.json.items as Item[] }]) {
      const names = items.map(({ metadata }) => metadata.name);
      expect(names.every((name, index) => index === 0 || name > (names[index - 1] ?? ""))).toBe(true);
      const [listed, expected] = [shown(items).sort(), stateAt(revision)];
      expect(listed.length).toBe(expected.length);
      expect(listed.filter((line, index) => line !== expected[index])).toEqual([]);
    }
    expect(writes).toBeGreaterThan(0);

    report(`${count(objects)} objects in one list with pages of ${pageSize}, ${writers} writers meanwhile`, {
      filled: `${milliseconds(filled)}, ${count((objects * 1000) / filled)} /s`,
      "a page, nobody writing": latencies(first.pages),
      "a page, meanwhile": latencies(result.flatMap(({ pages }) => pages)),
      "written meanwhile": count(writes),
      "all in one list": milliseconds(wholeTime),
      "memory before": mebibytes(before),
      "memory meanwhile, at most": mebibytes(peak),
    });
    // The size of a page determines the memory, not that of the list.
    expect(peak).toBeLessThan(before + 400);
    watch.socket.destroy();
    client.close();
  },
  patience,
);
