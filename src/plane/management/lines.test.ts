import { expect, test } from "vitest";
import { buffered, jsonLines } from "./lines.js";

async function read(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

test("sends one value per line, and a failure as the last line", async () => {
  async function* failing(): AsyncGenerator {
    yield { a: 1 };
    throw new Error("the disk is full");
  }
  const answer = jsonLines(failing());
  if (!("stream" in answer)) throw new Error("not a stream");
  const [first, last, ...more] = await read(answer.stream);
  expect(first).toBe('{"a":1}\n');
  expect(JSON.parse(String(last))).toMatchObject({
    kind: "Status",
    code: 500,
    message: expect.stringContaining("full"),
  });
  expect(more).toEqual([]);
});

test("yields all pushed values in order until the signal aborts", async () => {
  const ending = new AbortController();
  let push: (value: number) => void = () => {};
  let unsubscribed = 0;
  const stream = buffered<number>((each) => {
    push = each;
    return () => unsubscribed++;
  }, ending.signal);
  const first = stream.next();
  push(1);
  push(2);
  expect(await first).toEqual({ done: false, value: 1 });
  expect(await stream.next()).toEqual({ done: false, value: 2 });
  const waiting = stream.next();
  ending.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(unsubscribed).toBe(1);
});

test("fails when the reader falls behind, rather than skipping values", async () => {
  let push: (value: number) => void = () => {};
  const stream = buffered<number>((each) => {
    push = each;
    return () => {};
  }, new AbortController().signal);
  const first = stream.next();
  for (let turn = 0; turn < 3000; turn++) push(turn);
  expect(await first).toEqual({ done: false, value: 0 });
  await expect(read(stream)).rejects.toThrow("fell behind");
});
