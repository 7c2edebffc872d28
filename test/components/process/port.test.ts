import { createServer, type Server } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { freePorts, listens } from "./port.js";
import { accepts } from "./probe.js";

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

describe("ports", () => {
  test("are distinct, and can be listened on", async () => {
    const ports = await freePorts(["one", "two", "three"]);
    const numbers = Object.values(ports);
    expect(new Set(numbers).size).toBe(3);
    for (const port of numbers) {
      expect([port, await accepts(port), listens(process.pid, port)]).toEqual([port, false, false]);
      const server = createServer();
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
      expect([port, await accepts(port), listens(process.pid, port)]).toEqual([port, true, true]);
    }
  });

  test("are recognised as used by another process", async () => {
    const { one } = await freePorts(["one"]);
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(one, "127.0.0.1", resolve));
    expect(listens(process.ppid, one)).toBe(false);
  });
});
