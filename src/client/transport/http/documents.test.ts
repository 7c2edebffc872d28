import { expect, test } from "vitest";
import { ConnectionError } from "../transport.js";
import { answer, fail, until } from "./fixtures/scripted-server.js";
import { rejectionOf, setup } from "./fixtures/setup.js";

async function all(lines: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

test("reads a document at any path with the given Accept header", async () => {
  const { server, transport } = await setup((response) => answer(response, 200, { kind: "Table" }));
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const query = { limit: 5, labelSelector: "a in (b)", continue: undefined };
  await expect(transport.document("/apis", { accept, query })).resolves.toEqual({ kind: "Table" });
  expect(server.received[0]).toMatchObject({
    method: "GET",
    url: "/apis?limit=5&labelSelector=a%20in%20(b)",
    headers: { accept },
  });
});

test("posts content as JSON, and throws the server's error", async () => {
  const { server, transport } = await setup((response) => fail(response, 409, "Conflict"));
  const error = await rejectionOf(transport.document("/fettle/v1/plan", { content: { a: 1 } }));
  expect(error).toMatchObject({ name: "ApiError", code: 409 });
  expect(server.received[0]).toMatchObject({ method: "POST", body: '{"a":1}' });
});

test("reads lines that are split anywhere; the last one needs no newline", async () => {
  const bytes = Buffer.from('{"a":"ä"}\n\n2\n"three"');
  const { transport } = await setup((response) => {
    const send = (at: number): void => {
      if (at === bytes.length) return void response.end();
      response.write(bytes.subarray(at, at + 1), () => send(at + 1));
    };
    send(0);
  });
  await expect(all(transport.lines("/x"))).resolves.toEqual([{ a: "ä" }, 2, "three"]);
});

test("a malformed line is an error with an excerpt", async () => {
  const { transport } = await setup((response) => response.end("1\n<html>\n"));
  const lines = transport.lines("/x");
  await expect(lines.next()).resolves.toMatchObject({ value: 1 });
  const error = await rejectionOf(lines.next());
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toContain("<html>");
});

test("an abort ends the lines and closes the connection", async () => {
  let closed = false;
  const { transport } = await setup((response) => {
    response.on("close", () => (closed = true));
    response.write("1\n");
  });
  const abort = new AbortController();
  const found: unknown[] = [];
  for await (const line of transport.lines("/x", { signal: abort.signal })) {
    found.push(line);
    abort.abort();
  }
  expect(found).toEqual([1]);
  await until(() => closed);
  await expect(all(transport.lines("/x", { signal: abort.signal }))).resolves.toEqual([]);
});
