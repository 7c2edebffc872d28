import { expect, test } from "vitest";
import { describeWith, etcd } from "./index.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function call(url: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return response.json();
}

describeWith("etcd", etcd, (get) => {
  test("returns its version", async () => {
    const response = await fetch(`${get().url}/version`);
    expect(await response.json()).toMatchObject({ etcdserver: expect.stringMatching(/^3\./) });
  });

  test("keeps data through a crash", async () => {
    const { url } = get();
    await call(url, "/v3/kv/put", { key: base64("color"), value: base64("green") });
    await get().kill();
    await expect(fetch(`${url}/version`)).rejects.toThrow("fetch failed");
    await get().start();
    expect(await call(url, "/v3/kv/range", { key: base64("color") })).toMatchObject({
      kvs: [{ key: base64("color"), value: base64("green"), version: "1" }],
    });
  });
});
