import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { accepts, component, describeWith, exchange, redis } from "../index.js";

/** Component that runs a line of JavaScript, which has its port in `port`. */
const script = (name: string, line: string, grace?: number) =>
  component({
    name,
    program: { name: "node" },
    ports: ["http"],
    ...(grace !== undefined && { grace }),
    args: ({ ports }) => ["-e", `const port = ${ports.http}; ${line}`],
    ready: ({ ports }) => accepts(ports.http),
    expose: () => ({}),
  });

const listening = `require("node:net").createServer().listen(port, "127.0.0.1", () => console.log("up"));`;

/** True if the process exists and is not a zombie. */
function alive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

const ping = (port: number): Promise<string> => exchange(port, "PING\r\n");

describeWith("a service", redis, () => {
  test("has a folder and ports of its own", async () => {
    await using one = await redis.start();
    await using two = await redis.start();
    expect(one.dir).not.toBe(two.dir);
    expect(one.ports.client).not.toBe(two.ports.client);
    expect([one.running, two.running]).toEqual([true, true]);
  });

  test("no longer exists after stop, which is idempotent", async () => {
    const service = await redis.start();
    const { dir, ports, pid = 0 } = service;
    expect([alive(pid), await accepts(ports.client), existsSync(dir)]).toEqual([true, true, true]);
    await Promise.all([service.stop(), service.stop()]);
    await service.stop();
    expect([alive(pid), await accepts(ports.client), existsSync(dir)]).toEqual([false, false, false]);
    expect(service.output).toContain("Ready to accept connections");
    await expect(service.start()).rejects.toThrow("was stopped");
  });

  test("restarts on the same ports after kill, halt and restart", async () => {
    await using service = await redis.start();
    const { client } = service.ports;
    const pids = new Set([service.pid]);
    await expect(service.start()).rejects.toThrow("running already");
    for (const way of ["kill", "halt"] as const) {
      await service[way]();
      expect(service.pid).toBeUndefined();
      await expect(ping(client)).rejects.toThrow("ECONNREFUSED");
      await service.start();
      expect(await ping(client)).toBe("+PONG\r\n");
      pids.add(service.pid);
    }
    await service.restart();
    pids.add(service.pid);
    expect(pids.size).toBe(4);
  });

  test("can be stopped when it is halted or paused", async () => {
    const down = await redis.start();
    await down.kill();
    await down.stop();
    const frozen = await redis.start();
    await frozen.pause();
    await frozen.stop();
    expect([existsSync(down.dir), existsSync(frozen.dir)]).toEqual([false, false]);
  });

  test("pause freezes it, and resume lets it respond again", async () => {
    await using service = await redis.start();
    await service.pause();
    expect(readFileSync(`/proc/${service.pid}/stat`, "utf8")).toContain(") T ");
    const answer = ping(service.ports.client);
    await service.resume();
    expect(await answer).toBe("+PONG\r\n");
  });

  test("a failed start has the output of the program", async () => {
    await expect(redis.start({ args: ["--no-such-setting", "1"] })).rejects.toThrow(
      /redis ended with 1 before it was ready:[^]*no-such-setting/,
    );
  });

  test("uses other ports when its ports are taken", async () => {
    const rival = createServer();
    const taken = await new Promise<number>((resolve) => {
      rival.listen(0, "127.0.0.1", () => resolve(Number(Object(rival.address()).port)));
    });
    const ports: number[] = [];
    const unlucky = component({
      name: "unlucky",
      program: { name: "redis-server" },
      ports: ["client"],
      args: ({ ports: { client } }) => {
        ports.push(client);
        return ["--bind", "127.0.0.1", "--port", `${ports.length === 1 ? taken : client}`];
      },
      ready: ({ ports: { client } }) => accepts(client),
      expose: () => ({}),
    });
    try {
      await using service = await unlucky.start();
      expect(ports).toHaveLength(2);
      expect(service.ports.client).toBe(ports[1]);
    } finally {
      rival.close();
    }
  });
});

describe("stopping", () => {
  test("kills a program that ignores the stop signal", async () => {
    const deaf = script("deaf", `process.on("SIGTERM", () => {}); ${listening}`, 50);
    const service = await deaf.start();
    const pid = service.pid ?? 0;
    await service.stop();
    expect(alive(pid)).toBe(false);
  });

  test("kills children that left the process group", async () => {
    const line = `const child = require("node:child_process").spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
      console.log("child " + child.pid); ${listening}`;
    const service = await script("parent", line).start();
    const child = Number(/child (\d+)/.exec(service.output)?.[1]);
    expect(alive(child)).toBe(true);
    await service.stop();
    expect(alive(child)).toBe(false);
  });

  test("is done by this process when the guardian was killed", async () => {
    const service = await script("bereft", listening).start();
    const pid = service.pid ?? 0;
    const parent = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    process.kill(parent, "SIGKILL");
    await expect.poll(() => [alive(pid), existsSync(service.dir)]).toEqual([false, false]);
    expect(service.running).toBe(false);
    await service.stop();
  });
});
