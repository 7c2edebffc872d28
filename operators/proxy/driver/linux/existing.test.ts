import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { describeWith } from "../../../../test/components/describe-with.js";
import { nginx } from "../../../../test/components/services.js";
import { filesOf } from "../contract.js";
import { textFrom, TestProxy } from "./fixtures.js";
import type { LinuxProxyOptions } from "./linux-proxy.js";

const timeout = { timeout: 20_000 };

describeWith("an nginx that exists already", { name: nginx.name, obtain: () => nginx.obtain() }, () => {
  let folder: string;
  let configFile: string;
  let spec: LinuxProxyOptions["spec"];
  let proxy: TestProxy;
  let running: ChildProcess | undefined;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "fettle-existing-"));
    configFile = join(folder, "nginx.conf");
    const existing = { configFile, pidFile: join(folder, "nginx.pid"), program: "nginx" };
    spec = { nginx: { existing }, addresses: ["127.0.0.1"] };
    proxy = await TestProxy.open({ spec });
  });
  afterEach(async () => {
    const isRunning = running !== undefined && running.exitCode === null && running.signalCode === null;
    const ended = isRunning && running !== undefined ? once(running, "exit") : undefined;
    running?.kill("SIGTERM");
    await ended;
    running = undefined;
    await proxy[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** Starts nginx with a configuration of others. */
  async function start(port: number): Promise<string> {
    const original = [
      `pid "${join(folder, "nginx.pid")}";`,
      "error_log stderr;",
      "worker_processes 1;",
      "events {}",
      `http { access_log off; server { listen 127.0.0.1:${port}; location / { return 200 "original"; } } }`,
    ].join("\n");
    writeFileSync(configFile, original);
    running = spawn(await nginx.obtain(), [...proxy.driver.arguments, "-g", "daemon off;"], {
      stdio: "ignore",
    });
    await vi.waitFor(async () => expect(await textFrom(port)).toBe("original"), timeout);
    return original;
  }

  async function serve(port: number, text: string): Promise<number> {
    const files = filesOf(proxy.driver, { ports: [port], text });
    const generation = await proxy.driver.stage(files, text);
    expect(await proxy.driver.check(generation)).toEqual({ ok: true });
    await proxy.driver.activate(generation);
    expect(await proxy.driver.reload()).toBe(true);
    await proxy.driver.verify(generation, [port], timeout);
    await proxy.driver.markGood(generation);
    return generation;
  }

  test("is taken over, reloaded, and given back", async () => {
    const [port = 0] = await proxy.freePorts(1);
    const original = await start(port);
    expect(await proxy.driver.inspect()).toMatchObject({ pid: running?.pid, served: undefined });
    await serve(port, "ours");
    expect(await textFrom(port)).toBe("ours");
    await serve(port, "ours again");
    expect(await textFrom(port)).toBe("ours again");
    expect(await proxy.driver.inspect()).toMatchObject({ pid: running?.pid, served: 2, edited: [] });
    expect(readFileSync(`${configFile}.before-fettle`, "utf8")).toBe(original);
    await proxy.driver.remove();
    expect(readFileSync(configFile, "utf8")).toBe(original);
    await vi.waitFor(async () => expect(await textFrom(port)).toBe("original"), timeout);
    expect(readdirSync(folder).filter((name) => !name.endsWith(".pid"))).toEqual(["nginx.conf"]);
  });

  test("can be started with the link alone", async () => {
    const [port = 0] = await proxy.freePorts(1);
    await start(port);
    const generation = await serve(port, "ours");
    const ended = running === undefined ? undefined : once(running, "exit");
    running?.kill("SIGTERM");
    await ended;
    running = spawn(await nginx.obtain(), [...proxy.driver.arguments, "-g", "daemon off;"], {
      stdio: "ignore",
    });
    await proxy.driver.verify(generation, [port], timeout);
    expect(await textFrom(port)).toBe("ours");
  });

  test("a configuration file that others replace is an edit, and the next activation repairs it", async () => {
    writeFileSync(configFile, "# original");
    const generation = await proxy.driver.stage(filesOf(proxy.driver, { ports: [] }), "d1");
    await proxy.driver.activate(generation);
    rmSync(configFile);
    writeFileSync(configFile, "# upgraded");
    expect((await proxy.driver.inspect()).edited).toEqual([configFile]);
    await proxy.driver.activate(generation);
    expect((await proxy.driver.inspect()).edited).toEqual([]);
    expect(readFileSync(`${configFile}.before-fettle`, "utf8")).toBe("# original");
  });

  test("a file that is in the way is left alone", async () => {
    writeFileSync(join(folder, "ports.conf"), "# of others");
    writeFileSync(configFile, "# original");
    await proxy.driver.stage(filesOf(proxy.driver, { ports: [] }), "d1");
    const failed = proxy.driver.activate(1);
    await expect(failed).rejects.toMatchObject({ reason: "NotPermitted" });
    await expect(failed).rejects.toThrow("ports.conf exists");
    expect((await proxy.driver.inspect()).active).toBeUndefined();
    await proxy.driver.remove();
    expect(readFileSync(configFile, "utf8")).toBe("# original");
    expect(readdirSync(folder).toSorted()).toEqual(["nginx.conf", "ports.conf"]);
  });

  test("the nginx of another class is left alone, unless that class is gone", async () => {
    const other = join(folder, "other", "active");
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, "nginx.conf"), "");
    symlinkSync(join(other, "nginx.conf"), configFile);
    await proxy.driver.stage(filesOf(proxy.driver, { ports: [] }), "d1");
    await expect(proxy.driver.activate(1)).rejects.toThrow("belongs to another ProxyClass");
    expect(readlinkSync(configFile)).toBe(join(other, "nginx.conf"));
    rmSync(join(folder, "other"), { recursive: true });
    await proxy.driver.activate(1);
    expect(readlinkSync(configFile)).toBe(join(proxy.root, "active", "nginx.conf"));
  });

  test("a crash between the steps of a takeover loses nothing", async () => {
    writeFileSync(configFile, "# original");
    const files = [...filesOf(proxy.driver, { ports: [] })];
    const steps = [
      ["stage", files, "d1"],
      ["activate", 1],
    ];
    expect((await proxy.run(steps, "original-kept")).signal).toBe("SIGKILL");
    await proxy.reopen();
    expect(readFileSync(configFile, "utf8")).toBe("# original");
    expect(await proxy.driver.inspect()).toMatchObject({ active: { number: 1 }, edited: [configFile] });
    await proxy.driver.remove();
    expect(readFileSync(configFile, "utf8")).toBe("# original");
    expect(lstatSync(configFile).isFile()).toBe(true);
    expect(readdirSync(folder)).toEqual(["nginx.conf"]);
  });
});
