import { expect, test } from "vitest";
import { lines, told } from "./lines.js";

async function read(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

test("one value a line, and a failure as the last one", async () => {
  async function* failing(): AsyncGenerator {
    yield { a: 1 };
    throw new Error("the disk is full");
  }
  const answer = lines(failing());
  if (!("stream" in answer)) throw new Error("it is no stream");
  const [first, last, ...more] = await read(answer.stream);
  expect(first).toBe('{"a":1}\n');
  expect(JSON.parse(String(last))).toMatchObject({
    kind: "Status",
    code: 500,
    message: expect.stringContaining("full"),
  });
  expect(more).toEqual([]);
});

test("a reader is told everything in order, until it leaves", async () => {
  const leaving = new AbortController();
  let tell: (value: number) => void = () => {};
  let left = 0;
  const stream = told<number>((each) => {
    tell = each;
    return () => left++;
  }, leaving.signal);
  const first = stream.next();
  tell(1);
  tell(2);
  expect(await first).toEqual({ done: false, value: 1 });
  expect(await stream.next()).toEqual({ done: false, value: 2 });
  const waiting = stream.next();
  leaving.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(left).toBe(1);
});

test("a reader that is too slow is let go rather than told less", async () => {
  let tell: (value: number) => void = () => {};
  const stream = told<number>((each) => {
    tell = each;
    return () => {};
  }, new AbortController().signal);
  const first = stream.next();
  for (let turn = 0; turn < 3000; turn++) tell(turn);
  expect(await first).toEqual({ done: false, value: 0 });
  await expect(read(stream)).rejects.toThrow("fell behind");
});
