import { chownSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Account } from "../machine/account.js";
import { environment, Guardian } from "./guardian.js";
import { freePorts, listens } from "./port.js";

/** Location of a running component. */
export interface Place<Port extends string> {
  /** Path of the program. */
  readonly program: string;
  /** Folder of the component, and its working directory. */
  readonly dir: string;
  /** Loopback ports, by purpose. */
  readonly ports: Readonly<Record<Port, number>>;
  /** User it runs as; undefined for the user of the test. */
  readonly account: Account | undefined;
}

/** Way to run a component; {@link Place} is its location. */
export interface Recipe<Port extends string> {
  readonly name: string;
  readonly ports: readonly Port[];
  /** Signal for an immediate graceful stop. Default: SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** Milliseconds for that before it is killed. Default: ten seconds. */
  readonly grace?: number;
  /** Milliseconds to become ready. Default: 25 seconds. */
  readonly readyWithin?: number;
  /** Called once, before the first start; ports may still change. */
  initialise?(place: Omit<Place<Port>, "ports">): Promise<void>;
  /** Called before the first start, and again when it is retried on other ports: writes the files that contain them. */
  configure?(place: Place<Port>): Promise<void>;
  /** Arguments of the program, for each start. */
  args(place: Place<Port>): readonly string[];
  /** True if it responds. Called repeatedly once the program listens on all its ports. */
  ready(place: Place<Port>): Promise<boolean>;
  /** Called after the final stop, to clean up outside of its folder. */
  cleanUp?(place: Place<Port>): Promise<void>;
}

/** A program ended or was not ready in time; the message has its output. */
class StartFailure extends Error {
  override readonly name = "StartFailure";
}

/** A first start is retried on other ports, a later one on the same ports. */
const attempts = 5;

/**
 * Running component. It is removed with its folder by {@link stop}, or when this process ends, however it ends.
 *
 * States: running → (`kill`, `halt`) → down → (`start`) → running; `stop` ends both. `dir`, `ports`
 * and everything derived from them never change.
 */
export class Service<Port extends string = string> implements AsyncDisposable {
  readonly name: string;
  readonly dir: string;
  readonly #recipe: Recipe<Port>;
  readonly #guardian: Guardian;
  #place: Place<Port>;
  #pid: number | undefined;
  #stopped: Promise<void> | undefined;
  #lastOutput = "";

  private constructor(recipe: Recipe<Port>, guardian: Guardian, place: Place<Port>) {
    this.name = recipe.name;
    this.dir = guardian.dir;
    this.#recipe = recipe;
    this.#guardian = guardian;
    this.#place = place;
  }

  /** Starts a component in a new folder on free ports; resolves when it responds. */
  static async launch<Port extends string>(
    recipe: Recipe<Port>,
    program: string,
    account?: Account,
  ): Promise<Service<Port>> {
    const guardian = await Guardian.open(recipe.name);
    try {
      const { dir } = guardian;
      if (account !== undefined) chownSync(dir, account.uid, account.gid);
      await recipe.initialise?.({ program, dir, account });
      const settle = async (): Promise<Place<Port>> => {
        const place = { program, dir, account, ports: await freePorts(recipe.ports) };
        await recipe.configure?.(place);
        return place;
      };
      const service = new Service(recipe, guardian, await settle());
      await service.#up(async () => {
        service.#place = await settle();
      });
      return service;
    } catch (error) {
      await guardian.close();
      throw error;
    }
  }

  get ports(): Readonly<Record<Port, number>> {
    return this.#place.ports;
  }

  /** Process id while it runs. */
  get pid(): number | undefined {
    return this.#guardian.exit === undefined ? this.#pid : undefined;
  }

  get running(): boolean {
    return this.pid !== undefined;
  }

  /** Output of all starts. */
  get output(): string {
    try {
      this.#lastOutput = readFileSync(join(this.dir, "output.log"), "utf8");
    } catch {
      // Its folder was removed; keep what was read before.
    }
    return this.#lastOutput;
  }

  /** Starts it again after `kill` or `halt`, on the same data and ports. */
  async start(): Promise<void> {
    if (this.running) throw new Error(`${this.name} is running already`);
    await this.#up(() => sleep(200));
  }

  /** Stops it gracefully and keeps its data. */
  async halt(): Promise<void> {
    await this.#guardian.halt(this.#recipe.stopSignal ?? "SIGTERM");
  }

  /** Kills it like a crash or a power cut; its data stays. */
  async kill(): Promise<void> {
    await this.#guardian.halt("SIGKILL");
  }

  /** Stops it gracefully and starts it again on the same data and ports. */
  async restart(): Promise<void> {
    await this.halt();
    await this.start();
  }

  /** Sends a signal, for instance SIGHUP to reload its configuration. */
  async signal(name: NodeJS.Signals): Promise<void> {
    await this.#guardian.signal(name);
  }

  /** Freezes it and its children: connections stay open without responses. */
  async pause(): Promise<void> {
    await this.signal("SIGSTOP");
  }

  /** Continues after a {@link pause}. */
  async resume(): Promise<void> {
    await this.signal("SIGCONT");
  }

  /** Stops it and removes its folder. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#down();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #down(): Promise<void> {
    try {
      if (this.running) await this.halt();
      void this.output;
      await this.#recipe.cleanUp?.(this.#place);
    } finally {
      await this.#guardian.close();
    }
  }

  async #up(beforeRetry: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const printedBefore = this.output.length;
      try {
        return await this.#tryUp();
      } catch (error) {
        if (this.running) await this.kill();
        const printed = this.output.slice(printedBefore);
        const clash = /address (already )?in use|EADDRINUSE/i.test(printed);
        if (clash && attempt < attempts) {
          await beforeRetry();
          continue;
        }
        if (error instanceof StartFailure) error.message += `\n${printed.trim() || "(it printed nothing)"}`;
        throw error;
      }
    }
  }

  async #tryUp(): Promise<void> {
    const { account, program } = this.#place;
    this.#pid = undefined;
    const pid = await this.#guardian.start({
      command: program,
      args: this.#recipe.args(this.#place),
      env: environment(),
      uid: account?.uid,
      gid: account?.gid,
      stopSignal: this.#recipe.stopSignal ?? "SIGTERM",
      grace: this.#recipe.grace ?? 10_000,
    });
    this.#pid = pid;
    const { readyWithin = 25_000 } = this.#recipe;
    const deadline = Date.now() + readyWithin;
    for (let pause = 5; !(await this.#answers(pid)); pause = Math.min(pause * 2, 100)) {
      const { exit } = this.#guardian;
      if (exit !== undefined) {
        throw new StartFailure(`${this.name} ended with ${exit.signal ?? exit.code} before it was ready:`);
      }
      if (Date.now() > deadline) {
        throw new StartFailure(`${this.name} was not ready after ${readyWithin / 1000} s:`);
      }
      await sleep(pause);
    }
  }

  async #answers(pid: number): Promise<boolean> {
    const ports: readonly number[] = Object.values(this.ports);
    return ports.every((port) => listens(pid, port)) && (await this.#recipe.ready(this.#place));
  }
}
