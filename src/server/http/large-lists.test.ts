import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, widget, widgetsPath, type TestResponse } from "./fixtures/http-client.js";
import { adminToken, widgetServer, type WidgetServer } from "./fixtures/widget-server.js";

const count = 24;
const bytes = 1_000_000;
const names = Array.from({ length: count }, (_, index) => `w${String(index).padStart(2, "0")}`);

let api: WidgetServer;
/** Bytes that were read from the store by ranges. */
let read = 0;

beforeAll(async () => {
  api = await widgetServer();
  for (const [size, name] of names.entries()) await create(widgetsPath, name, size);
  const { store } = api;
  const range = store.range.bind(store);
  store.range = async (options) => {
    const result = await range(options);
    for (const { value } of result.entries) read += value.length;
    return result;
  };
});
afterAll(() => api[Symbol.asyncDispose]());

async function create(path: string, name: string, size: number): Promise<void> {
  const body = widget(name, { size, text: "x".repeat(bytes) });
  expect((await ask(api, path, { method: "POST", body })).status).toBe(201);
}

const accept = (kind: string): { headers: Record<string, string> } => ({
  headers: { accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` },
});

interface Item {
  readonly metadata: { readonly name: string };
}

const namesOf = ({ json }: TestResponse): string[] =>
  (json.items as readonly Item[]).map(({ metadata }) => metadata.name);

describe("a list that is larger than its buffer", () => {
  test("has all objects, its version and no length, since it is sent while it is read", async () => {
    const reply = await ask(api, widgetsPath);
    expect(reply.headers).toMatchObject({ "transfer-encoding": "chunked" });
    expect(reply.headers).not.toHaveProperty("content-length");
    const { items, ...rest } = reply.json;
    expect(rest).toEqual({
      kind: "WidgetList",
      apiVersion: "demo.dev/v1",
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
    });
    expect(items).toHaveLength(count);
    expect(items[3]).toEqual((await ask(api, `${widgetsPath}/w03`)).json);
    expect(namesOf(reply)).toEqual(names);
    expect(reply.text.endsWith("}\n")).toBe(true);
  });

  test("can be a page that the next one continues", async () => {
    const first = await ask(api, `${widgetsPath}?limit=15`);
    expect(namesOf(first)).toEqual(names.slice(0, 15));
    expect(first.json.metadata.remainingItemCount).toBe(9);
    const second = await ask(api, `${widgetsPath}?limit=15&continue=${first.json.metadata.continue}`);
    expect(namesOf(second)).toEqual(names.slice(15));
    expect(second.json.metadata).toEqual({ resourceVersion: first.json.metadata.resourceVersion });
  });

  test("can be indented, a table or metadata", async () => {
    const plain = (await ask(api, widgetsPath)).json;
    const pretty = await ask(api, `${widgetsPath}?pretty=true`);
    expect(pretty.json).toEqual(plain);
    expect(pretty.text.startsWith('{\n  "kind": "WidgetList",\n')).toBe(true);
    expect(pretty.text).toContain('\n  "items": [\n    {\n      "apiVersion": "demo.dev/v1",\n');
    expect(pretty.text).toMatch(
      /\n {4}\}\n {2}\],\n {2}"metadata": \{\n {4}"resourceVersion": "\d+"\n {2}\}\n\}$/,
    );

    const table = (await ask(api, widgetsPath, accept("Table"))).json;
    expect(table).toMatchObject({ kind: "Table", metadata: plain.metadata });
    expect(table.columnDefinitions[1]).toMatchObject({ name: "Size" });
    expect(table.rows.map(({ cells }: { cells: unknown[] }) => cells)).toEqual(
      names.map((name, size) => [name, size]),
    );
    const metadata = await ask(api, widgetsPath, accept("PartialObjectMetadataList"));
    expect(metadata.json).toMatchObject({ kind: "PartialObjectMetadataList", metadata: plain.metadata });
    expect(metadata.json.items[5].metadata).toEqual(plain.items[5].metadata);
    expect(metadata.json.items).toHaveLength(count);
  });

  test("can be compressed", async () => {
    const headers = { authorization: `Bearer ${adminToken}`, "accept-encoding": "gzip" };
    const chunks: Buffer[] = [];
    const encoding = await new Promise((resolve, reject) => {
      httpRequest(`${api.server.url}${widgetsPath}`, { headers }, (response) => {
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve(response.headers["content-encoding"]));
      })
        .on("error", reject)
        .end();
    });
    expect(encoding).toBe("gzip");
    expect(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()).items).toHaveLength(count);
  });

  test("is refused as YAML, with the way out", async () => {
    const reply = await ask(api, widgetsPath, { headers: { accept: "application/yaml" } });
    expect(reply.json).toMatchObject({
      code: 406,
      message:
        "the response is too large for application/yaml: request application/json, or fewer objects with limit",
    });
    expect(api.errors).toEqual([]);
  });

  test("is read no further than its reader lets it", async () => {
    const before = read;
    const stopped = await Promise.all(Array.from({ length: 3 }, () => openStopped()));
    const begun = await ask(api, widgetsPath);
    expect(begun.json.items).toHaveLength(count);
    const ofOthers = read - before - count * bytes;
    // Each has read its beginning and what the buffers of the connection hold, not the rest.
    expect(ofOthers).toBeLessThan(3 * 16 * bytes);
    for (const socket of stopped) socket.destroy();
  });

  test("is not read to its end for a selector whose client has left", async () => {
    const before = read;
    const socket = connect(api.server.port, "127.0.0.1");
    const { store } = api;
    const range = store.range.bind(store);
    const started = new Promise<void>((resolve) => {
      store.range = async (options) => {
        resolve();
        // The server notices between two reads that the client has left.
        await new Promise((next) => setImmediate(next));
        await new Promise((next) => setImmediate(next));
        return range(options);
      };
    });
    socket.write(requestLine(`${widgetsPath}?labelSelector=no%3Dmatch`));
    await started;
    socket.destroy();
    await once(socket, "close");
    store.range = range;
    expect((await ask(api, `${widgetsPath}/w00`)).status).toBe(200);
    expect(read - before).toBeLessThan(count * bytes);
  });
});

function requestLine(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`;
}

/** A client that requests the list and reads nothing but its first bytes. */
async function openStopped(): Promise<Socket> {
  const socket = connect(api.server.port, "127.0.0.1");
  socket.write(requestLine(widgetsPath));
  await once(socket, "data");
  return socket.pause();
}

describe("deletecollection", () => {
  test("returns the deleted objects if they are few", async () => {
    const path = widgetsPath;
    const reply = await ask(api, `${path}?fieldSelector=metadata.name%3Dw00`, { method: "DELETE" });
    expect(namesOf(reply)).toEqual(["w00"]);
  });

  test("returns a Status if they are too large to be held", async () => {
    const reply = await ask(api, widgetsPath, { method: "DELETE" });
    expect(reply.json).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { group: "demo.dev", kind: "widgets" },
    });
    expect((await ask(api, widgetsPath)).json.items).toEqual([]);
  });
});

describe("a large object", () => {
  test("can be indented or a table, and is refused as YAML", async () => {
    await create(widgetsPath, "large", 1);
    const path = `${widgetsPath}/large`;
    const plain = (await ask(api, path)).json;
    expect((await ask(api, `${path}?pretty=true`)).json).toEqual(plain);
    expect((await ask(api, path, accept("Table"))).json.rows).toHaveLength(1);
    expect((await ask(api, path, { headers: { accept: "application/yaml" } })).status).toBe(406);
  });
});

test("a write whose client has left while others wrote the object is not performed", async () => {
  await using other = await widgetServer();
  await ask(other, widgetsPath, { method: "POST", body: widget("shared", { size: 0 }) });
  const { store } = other;
  const commit = store.commit.bind(store);
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const began = new Promise<void>((resolve) => {
    store.commit = async (mutations) => {
      resolve();
      await gate;
      return commit(mutations);
    };
  });
  const patch = (size: number) => ({
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ spec: { size } }),
  });
  const first = ask(other, `${widgetsPath}/shared`, patch(1));
  await began;
  const { body, headers } = patch(2);
  const leaving = httpRequest(`${other.server.url}${widgetsPath}/shared`, {
    method: "PATCH",
    headers: { ...headers, authorization: `Bearer ${adminToken}`, "content-length": body.length },
  });
  leaving.on("error", () => {});
  leaving.end(body);
  await once(leaving, "finish");
  await expect
    .poll(async () => (await ask(other, "/metrics")).text)
    .toMatch(/apiserver_current_inflight_requests\{request_kind="mutating"\} 2/);
  leaving.destroy();
  await expect
    .poll(async () => (await ask(other, "/metrics")).text)
    .toMatch(/apiserver_current_inflight_requests\{request_kind="mutating"\} 1/);
  release();
  expect((await first).json.spec).toEqual({ size: 1 });
  const { json } = await ask(other, `${widgetsPath}/shared`);
  expect(json.spec).toEqual({ size: 1 });
  expect(other.errors).toEqual([]);
});
