import { spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProxyUnderTest } from "../contract.js";
import type { ProxyDriver } from "../driver.js";
import { openLinuxProxy, type LinuxProxyOptions } from "./linux-proxy.js";
import { bindProblem } from "./listening-ports.js";
import { childrenOf } from "./master-process.js";
import { findProgram } from "./nginx-check.js";

type NginxSpec = LinuxProxyOptions["spec"]["nginx"];

/** Linux driver in a folder of its own, and an nginx that is started as others do. */
export class TestProxy implements ProxyUnderTest {
  readonly folder: string;
  readonly #options: Partial<LinuxProxyOptions>;
  #driver: ProxyDriver | undefined;
  #nginx: ChildProcess | undefined;

  private constructor(options: Partial<LinuxProxyOptions>) {
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), "fettle-proxy-test-"));
    this.#options = options;
  }

  static async open(options: Partial<LinuxProxyOptions> = {}): Promise<TestProxy> {
    const proxy = new TestProxy(options);
    await proxy.reopen();
    return proxy;
  }

  /** A proxy whose driver is opened by the first `reopen`. */
  static closed(options: Partial<LinuxProxyOptions> = {}): TestProxy {
    return new TestProxy(options);
  }

  get driver(): ProxyDriver {
    if (this.#driver === undefined) throw new Error("the driver is not open");
    return this.#driver;
  }

  /** Folder of the class. */
  get root(): string {
    return join(this.folder, this.#options.name ?? "web");
  }

  async reopen(): Promise<void> {
    await this.#driver?.[Symbol.asyncDispose]();
    this.#driver = await openLinuxProxy({ ...defaults, ...this.#options, folder: this.folder });
  }

  async startNginx(): Promise<void> {
    if (this.#nginx !== undefined && this.#nginx.exitCode === null && this.#nginx.signalCode === null) return;
    const program = await findProgram("nginx");
    if (program === undefined) throw new Error("nginx is not installed");
    // A group of its own, so that the workers can be killed with the master, as a supervisor does.
    this.#nginx = spawn(program, this.driver.arguments, { detached: true, stdio: "ignore" });
    await once(this.#nginx, "spawn");
  }

  async killNginx(): Promise<void> {
    const nginx = this.#nginx;
    this.#nginx = undefined;
    if (nginx?.pid === undefined) return;
    const workers = await childrenOf(nginx.pid);
    try {
      process.kill(-nginx.pid, "SIGKILL");
    } catch {
      return; // All of the group have ended.
    }
    if (nginx.exitCode === null && nginx.signalCode === null) await once(nginx, "exit");
    for (const worker of workers) await untilEnded(worker);
  }

  async edit(path: string, content: string | undefined): Promise<void> {
    const file = join(this.root, "active", path);
    await (content === undefined ? rm(file) : writeFile(file, content));
  }

  async freePorts(count: number): Promise<readonly number[]> {
    const ports = new Set<number>();
    while (ports.size < count) {
      // Below those that Linux gives to outgoing connections.
      const port = randomInt(20_000, 32_768);
      if ((await bindProblem("127.0.0.1", port)) === undefined) ports.add(port);
    }
    return [...ports];
  }

  async occupy(port: number): Promise<AsyncDisposable> {
    const server = createServer();
    server.listen({ port, host: "127.0.0.1" });
    await once(server, "listening");
    return {
      [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
    };
  }

  elapse<T>(promise: Promise<T>): Promise<T> {
    return promise;
  }

  /** Runs steps in a program of its own; returns the signal that ended it, if any. */
  async run(
    steps: readonly (readonly unknown[])[],
    failpoint: string,
  ): Promise<{ readonly signal: NodeJS.Signals | null; readonly errors: string }> {
    const program = fileURLToPath(new URL("./driver-process.mjs", import.meta.url));
    const options = { ...defaults, ...this.#options, folder: this.folder };
    const child = spawn(process.execPath, [program, JSON.stringify(options), JSON.stringify(steps)], {
      env: { ...process.env, FETTLE_PROXY_FAILPOINT: failpoint },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    child.stderr.on("data", (bytes: Buffer) => void (errors += bytes.toString()));
    const [, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return { signal, errors };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killNginx();
    await this.#driver?.[Symbol.asyncDispose]();
    if (this.#options.folder === undefined) rmSync(this.folder, { recursive: true });
    if (this.#driver !== undefined) await removeTemporaryFolder(this.#driver.paths.socket);
  }
}

const nginxSpec: NginxSpec = {};
const defaults = { name: "web", spec: { nginx: nginxSpec, addresses: ["127.0.0.1"] } };

/** Waits until a process is gone or waits to be collected by its parent. */
async function untilEnded(pid: number): Promise<void> {
  while (/\) [^ZX]/.test(await contentOf(`/proc/${pid}/stat`)))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

async function removeTemporaryFolder(socket: string): Promise<void> {
  const folder = dirname(socket);
  if (dirname(folder) === tmpdir() && folder.includes("fettle-proxy-"))
    await rm(folder, { recursive: true, force: true });
}

/** Response of a server on the loopback address. */
export async function textFrom(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } })).text();
}

/** Content of a file, or an empty string. */
async function contentOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
