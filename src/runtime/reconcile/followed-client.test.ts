import { expect, test } from "vitest";
import type { Client } from "../../client/client.js";
import { ConfigMap } from "../../client/kinds/kubernetes.js";
import { followClient } from "./followed-client.js";

const refused = new Error("refused");

/** As private as a real one: its methods work only on itself. */
class FakeClient {
  readonly namespace = "default";
  readonly #answer: () => Promise<string>;

  constructor(answer: () => Promise<string>) {
    this.#answer = answer;
  }

  async get(): Promise<string> {
    return this.#answer();
  }

  each(): AsyncIterable<string> {
    return (async function* () {})();
  }
}

function start(answer: () => Promise<string>) {
  const lost: string[] = [];
  const client = followClient(new FakeClient(answer) as unknown as Client, (call, error) => {
    lost.push(`${call}: ${String(error)}`);
  });
  return { client, lost };
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const refuse = (): Promise<never> => Promise.reject(refused);

test("is the client in all else", async () => {
  const { client, lost } = start(async () => "fine");
  expect(await client.get(ConfigMap, "a")).toBe("fine");
  expect(client.namespace).toBe("default");
  expect(client.each(ConfigMap)[Symbol.asyncIterator]).toBeTypeOf("function");
  void client.get(ConfigMap, "a");
  await turns();
  expect(lost).toEqual([]);
});

test("what fails is thrown where it is awaited, and nowhere else", async () => {
  const { client, lost } = start(refuse);
  const get = (): Promise<unknown> => client.get(ConfigMap, "a");
  await expect(get()).rejects.toBe(refused);
  await expect(Promise.all([get(), get()])).rejects.toBe(refused);
  await expect((async () => get())()).rejects.toBe(refused);
  expect(await get().catch((error: unknown) => error)).toBe(refused);
  await expect(get().finally(() => {})).rejects.toBe(refused);
  await turns();
  expect(lost).toEqual([]);
});

test.each<[string, (client: Client) => unknown]>([
  ["forgotten", (client) => client.get(ConfigMap, "a")],
  ["forgotten after then", (client) => client.get(ConfigMap, "a").then(() => "fine")],
  ["forgotten after finally", (client) => client.get(ConfigMap, "a").finally(() => {})],
])("what fails and is %s is told once", async (_, forget) => {
  const { client, lost } = start(refuse);
  void forget(client);
  await turns();
  expect(lost).toEqual(["client.get(ConfigMap): Error: refused"]);
});

test("a call by name is told with it", async () => {
  const { client, lost } = start(refuse);
  void client.get("v1/ConfigMap", "a");
  await turns();
  expect(lost).toEqual(["client.get(v1/ConfigMap): Error: refused"]);
});
