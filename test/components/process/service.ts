import { chownSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Account } from "../machine/account.js";
import { environment, Guardian } from "./guardian.js";
import { freePorts, listens } from "./port.js";

/** Where one running component lives. */
export interface Place<Port extends string> {
  /** Path of the program. */
  readonly program: string;
  /** The component's own folder, and what it starts in. */
  readonly dir: string;
  /** Loopback ports, by purpose. */
  readonly ports: Readonly<Record<Port, number>>;
  /** Whom it runs as, when not as whoever runs the test. */
  readonly account: Account | undefined;
}

/** How a component is run; {@link Place} says where. */
export interface Recipe<Port extends string> {
  readonly name: string;
  readonly ports: readonly Port[];
  /** Asks the program to end at once and in order. SIGTERM unless told. */
  readonly stopSignal?: NodeJS.Signals;
  /** Milliseconds it has for that before it is killed; ten seconds unless told. */
  readonly grace?: number;
  /** Milliseconds it has to become ready; 25 seconds unless told. */
  readonly readyWithin?: number;
  /** Once, before the first start. Knows no ports, which may still change. */
  initialise?(place: Omit<Place<Port>, "ports">): Promise<void>;
  /** Before the first start, and again when that is tried on other ports: writes what names them. */
  configure?(place: Place<Port>): Promise<void>;
  /** The program's arguments, for each start. */
  args(place: Place<Port>): readonly string[];
  /** Whether it answers. Asked again and again, once the program listens on all its ports. */
  ready(place: Place<Port>): Promise<boolean>;
  /** After it was stopped for good, for what lies outside its folder. */
  cleanUp?(place: Place<Port>): Promise<void>;
}

/** A program that ended, or did not answer in time, with what it printed. */
class StartFailure extends Error {
  override readonly name = "StartFailure";
}

/** Fresh ports are tried for a first start, the same ones for a later start. */
const attempts = 5;

/**
 * A running component. It is gone, with its folder, after {@link stop} or whenever this process ends, in
 * whatever way.
 *
 * States: running → (`kill`, `halt`) → down → (`start`) → running; `stop` leads from both to the end.
 * `dir`, `ports` and everything derived from them stay the same through all of it.
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

  /** Starts a component in a fresh folder on free ports; resolves when it answers. */
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

  /** Its process id while it runs. */
  get pid(): number | undefined {
    return this.#guardian.exit === undefined ? this.#pid : undefined;
  }

  get running(): boolean {
    return this.pid !== undefined;
  }

  /** Everything it has printed, over all starts. */
  get output(): string {
    try {
      this.#lastOutput = readFileSync(join(this.dir, "output.log"), "utf8");
    } catch {
      // Its folder is gone; what was read last is all there is.
    }
    return this.#lastOutput;
  }

  /** Starts it again, after `kill` or `halt`, on the same data and ports. */
  async start(): Promise<void> {
    if (this.running) throw new Error(`${this.name} is running already`);
    await this.#up(() => sleep(200));
  }

  /** Ends it in order and keeps its data. */
  async halt(): Promise<void> {
    await this.#guardian.halt(this.#recipe.stopSignal ?? "SIGTERM");
  }

  /** Ends it without warning, as a crash or a power cut would; what it had written stays. */
  async kill(): Promise<void> {
    await this.#guardian.halt("SIGKILL");
  }

  /** Ends it in order and starts it again on the same data and ports. */
  async restart(): Promise<void> {
    await this.halt();
    await this.start();
  }

  /** Sends it a signal, for instance SIGHUP to read its configuration again. */
  async signal(name: NodeJS.Signals): Promise<void> {
    await this.#guardian.signal(name);
  }

  /** Freezes it and its children: connections stay open and nothing is answered. */
  async pause(): Promise<void> {
    await this.signal("SIGSTOP");
  }

  /** Lets it go on after a {@link pause}. */
  async resume(): Promise<void> {
    await this.signal("SIGCONT");
  }

  /** Ends it for good and removes its folder. May be called again. */
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
