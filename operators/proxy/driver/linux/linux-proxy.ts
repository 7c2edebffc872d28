import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock, type Clock } from "fettle/model";
import type { Log } from "fettle/runtime";
import type { ProxyClassObject } from "../../kinds/proxy.js";
import { generationFile } from "../../nginx/render.js";
import type { RenderPaths } from "../../nginx/rendered.js";
import {
  ProxyDriverError,
  type CheckResult,
  type ProxyDriver,
  type ProxyState,
  type VerifyOptions,
} from "../driver.js";
import { Changes } from "./changes.js";
import { createFolder, onDisk } from "./durable-files.js";
import { ErrorLog } from "./error-log.js";
import { ExistingConfig } from "./existing-config.js";
import { Generations } from "./generations.js";
import { InternalSocket } from "./internal-socket.js";
import { MasterProcess } from "./master-process.js";
import { checkWithNginx } from "./nginx-check.js";
import { portProblem } from "./port-problem.js";
import { verifyServed } from "./verification.js";

export interface LinuxProxyOptions {
  /** Folder of the operator: absolute, and closed to other users. */
  readonly folder: string;
  /** Name of the ProxyClass. */
  readonly name: string;
  readonly spec: Pick<ProxyClassObject["spec"], "nginx" | "addresses">;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/**
 * Opens the driver of a real nginx on Linux.
 *
 * @example
 * await using driver = await openLinuxProxy({ folder, name: "nginx", spec: proxyClass.spec, clock, log });
 * const generation = await driver.stage(files, digest);
 */
export async function openLinuxProxy(options: LinuxProxyOptions): Promise<ProxyDriver> {
  if (process.platform !== "linux")
    throw new ProxyDriverError(
      "NotPermitted",
      `nginx can be managed on Linux only, and this is ${process.platform}`,
    );
  const proxy = new LinuxProxy(options);
  await proxy.prepare();
  return proxy;
}

/**
 * Files of one class, in `FOLDER/NAME/`:
 *
 *     generations/, active, good    configurations; see {@link Generations}
 *     nginx.pid, nginx.sock         of a running nginx
 *     logs/error.log, limit.log     written by nginx, read by the operator
 *     temporary/                    bodies of requests and responses, if nginx is not started by root
 */
class LinuxProxy implements ProxyDriver {
  readonly configFile: string;
  readonly arguments: readonly string[];

  readonly #paths: Omit<RenderPaths, "socket">;
  readonly #root: string;
  readonly #program: string;
  readonly #addresses: readonly string[];
  readonly #clock: Clock;
  readonly #generations: Generations;
  readonly #existing: ExistingConfig | undefined;
  readonly #socket: InternalSocket;
  readonly #master: MasterProcess;
  readonly #errorLog: ErrorLog;
  readonly #changes: Changes;
  /** Workers at the last reload. */
  #oldWorkers: ReadonlySet<number> = new Set();
  /** True if no nginx was running at the last reload. */
  #isStarting = false;
  /** Stages run one after the other, so that each gets a number of its own. */
  #staging: Promise<unknown> = Promise.resolve();

  constructor({ folder, name, spec, clock = systemClock, log }: LinuxProxyOptions) {
    const root = join(resolve(folder), name);
    const { existing, process: started } = spec.nginx;
    const asRoot = process.getuid?.() === 0;
    const linked = join(root, "active", "nginx.conf");
    this.#root = root;
    this.#clock = clock;
    this.#addresses = spec.addresses;
    this.#program = existing?.program ?? started?.program ?? "nginx";
    this.#socket = new InternalSocket(root);
    this.#paths = {
      pidFile: existing?.pidFile ?? join(root, "nginx.pid"),
      errorLog: join(root, "logs", "error.log"),
      limitLog: join(root, "logs", "limit.log"),
      temporary: asRoot ? undefined : join(root, "temporary"),
      asRoot,
    };
    this.configFile = existing?.configFile ?? linked;
    // The path comes first: the title of a process with few variables is too short for all arguments.
    this.arguments = existing
      ? ["-c", existing.configFile]
      : ["-c", linked, "-p", `${root}/`, "-g", "daemon off;"];
    this.#generations = new Generations(root, generationFile);
    this.#existing = existing && new ExistingConfig(existing.configFile, join(root, "active"));
    this.#errorLog = new ErrorLog(this.#paths.errorLog);
    this.#master = new MasterProcess({
      pidFile: this.#paths.pidFile,
      configFile: this.configFile,
      withoutPath: existing !== undefined,
    });
    this.#changes = new Changes({
      root,
      clock,
      pathOf: (generation) => this.#generations.path(generation),
      pid: () => this.#pid(),
      active: async () => (await this.#generations.find("active"))?.number,
      edited: (active) => this.#edited(active),
      failed: (error) => log?.warn({ err: error }, "The files of nginx cannot be watched"),
    });
  }

  get paths(): RenderPaths {
    return { ...this.#paths, socket: this.#socket.path };
  }

  /** Creates the folders, and deletes what a killed process left behind. */
  async prepare(): Promise<void> {
    await onDisk(`${this.#root} could not be prepared`, async () => {
      await createFolder(join(this.#root, "logs"));
      if (this.paths.temporary !== undefined) await createFolder(this.paths.temporary);
      await this.#generations.prepare();
      await this.#existing?.prepare();
      await this.#socket.prepare();
    });
  }

  async inspect(signal?: AbortSignal): Promise<ProxyState> {
    await this.prepare();
    return onDisk(`The state of ${this.#root} could not be read`, async () => {
      await this.#errorLog.limit();
      const pid = await this.#pid();
      await this.#socket.choosePath();
      const served = await this.#socket.served(signal);
      signal?.throwIfAborted();
      const active = await this.#generations.find("active");
      const edited = await this.#edited(active?.number);
      this.#changes.observe({ pid, active: active?.number, edited });
      return {
        active,
        good: await this.#generations.find("good"),
        newest: Math.max(await this.#generations.newest(), served ?? 0),
        pid,
        served,
        edited,
      };
    });
  }

  async stage(files: ReadonlyMap<string, string>, digest: string): Promise<number> {
    const staged = this.#staging.then(async () => {
      const served = await this.#socket.served();
      return onDisk("A configuration could not be written", () =>
        this.#generations.stage(files, digest, served ?? 0),
      );
    });
    this.#staging = staged.catch(() => {});
    return staged;
  }

  async check(generation: number, signal?: AbortSignal): Promise<CheckResult> {
    await this.#generations.require(generation);
    const folder = this.#generations.path(generation);
    return checkWithNginx({ program: this.#program, root: this.#root, folder, signal });
  }

  async activate(generation: number): Promise<void> {
    await this.#errorLog.mark();
    await this.#changes.activate(generation, async () => {
      await this.#existing?.linkEntries(this.#generations.path(generation));
      await this.#generations.link("active", generation);
      await this.#existing?.takeOver();
    });
  }

  async reload(): Promise<boolean> {
    await this.#errorLog.mark();
    this.#oldWorkers = await this.#master.workers();
    this.#isStarting = !(await this.#master.reload());
    return !this.#isStarting;
  }

  async verify(generation: number, ports: readonly number[], options: VerifyOptions): Promise<void> {
    const parts = {
      clock: this.#clock,
      master: this.#master,
      socket: this.#socket,
      errorLog: this.#errorLog,
      addresses: this.#addresses,
      oldWorkers: () => this.#oldWorkers,
      reloadIfStarted: () => this.#reloadIfStarted(),
      shorten: (text: string) => this.#shorten(text),
    };
    try {
      await verifyServed(parts, generation, ports, options);
    } finally {
      // After a failure, these workers go on with a configuration that may be verified next.
      this.#oldWorkers = new Set();
    }
  }

  markGood(generation: number): Promise<void> {
    return this.#generations.link("good", generation);
  }

  prune(): Promise<void> {
    return onDisk("Old configurations could not be deleted", () => this.#generations.prune());
  }

  read(generation: number): Promise<ReadonlyMap<string, string> | undefined> {
    return onDisk(`Configuration ${generation} could not be read`, () => this.#generations.read(generation));
  }

  portProblem(address: string, port: number): Promise<string | undefined> {
    const isStartedByOthers = this.#existing !== undefined;
    return portProblem({ master: this.#master, socket: this.#socket, isStartedByOthers, address, port });
  }

  subscribe(listener: (change: string) => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  async remove(): Promise<void> {
    this.#changes.close();
    await this.#existing?.restore();
    // An nginx of others goes on with its original configuration.
    if (this.#existing !== undefined) await this.#master.reload();
    await onDisk(`${this.#root} could not be deleted`, async () => {
      await this.#socket.remove();
      await rm(this.#root, { recursive: true, force: true });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#changes.close();
    await this.#staging;
  }

  /** Repeats a reload for which nginx was not running: it may have read the configuration that was active before. */
  async #reloadIfStarted(): Promise<void> {
    if (this.#isStarting && (await this.#master.pid()) !== undefined) await this.reload();
  }

  /** Number of the master. Without one, a socket that a killed nginx left behind is deleted, so that the next can start. */
  async #pid(): Promise<number | undefined> {
    const pid = await this.#master.pid();
    if (pid === undefined) await this.#socket.removeStale();
    return pid;
  }

  async #edited(active: number | undefined): Promise<readonly string[]> {
    if (active === undefined) return [];
    const files = await this.#generations.edited(active);
    return this.#existing === undefined ? files : [...files, ...(await this.#existing.edited())];
  }

  /** Text without the folder of the driver. */
  #shorten(text: string): string {
    return text.replaceAll(`${join(this.#root, "active")}/`, "").replaceAll(`${this.#root}/`, "");
  }
}
