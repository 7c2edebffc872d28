import { expect, test } from "vitest";
import { describeWith, exchange, redis } from "./index.js";

const durable = redis.with({ args: ["--appendonly", "yes", "--appendfsync", "always"] });

describeWith("redis", durable, (get) => {
  const ask = (command: string): Promise<string> => exchange(get().ports.client, `${command}\r\n`);

  test("answers PING", async () => {
    expect(await ask("PING")).toBe("+PONG\r\n");
  });

  test("keeps data through a crash", async () => {
    expect(await ask("SET color green")).toBe("+OK\r\n");
    await get().kill();
    await expect(ask("PING")).rejects.toThrow("ECONNREFUSED");
    await get().start();
    expect(await ask("GET color")).toBe("$5\r\ngreen\r\n");
  });
});
