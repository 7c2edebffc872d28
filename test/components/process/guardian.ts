import { spawn, type ChildProcessByStdio } from "node:child_process";
import { rmSync } from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** Program to run, its user and how to stop it. */
export interface Spec {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables besides HOME and TMPDIR, which are the guardian's folder. */
  readonly env: Readonly<Record<string, string>>;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly stopSignal: NodeJS.Signals;
  /** Milliseconds between the stop signal and SIGKILL. */
  readonly grace: number;
}

/** Exit of a program. */
export interface Exit {
  readonly pid: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Message of the guardian: a response, or an exit. */
interface Message {
  readonly dir?: string;
  readonly pid?: number;
  readonly failed?: string;
  readonly exited?: Exit;
}

interface Waiting {
  readonly resolve: (answer: Message) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Client of a guardian: a small process that owns a temporary folder and the program running in it, and removes both as
 * soon as this process has ended. It runs in a session of its own, so that Ctrl-C does not reach it.
 */
export class Guardian implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  /** Pending requests; responses arrive in their order. */
  readonly #waiting: Waiting[] = [];
  readonly #gone: Promise<void>;
  readonly #ends: ((exit: Exit) => void)[] = [];
  #dir = "";
  #pid: number | undefined;
  #exit: Exit | undefined;
  #closing = false;

  private constructor(name: string) {
    const script = fileURLToPath(new URL("./guardian-process.mjs", import.meta.url));
    this.#process = spawn(process.execPath, [script, name], {
      detached: true,
      env: environment(),
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface({ input: this.#process.stdout }).on("line", (line) => this.#hear(JSON.parse(line)));
    this.#process.stdin.on("error", () => {}); // The exit event follows.
    this.#gone = new Promise((resolve) => {
      const leave = (): void => resolve(this.#orphaned(`the guardian of ${name} is gone`));
      this.#process.once("error", leave).once("exit", leave);
    });
  }

  /** Starts a guardian with a new folder named after `name`. */
  static async open(name: string): Promise<Guardian> {
    const guardian = new Guardian(name);
    const { dir = "" } = await guardian.#answer();
    guardian.#dir = dir;
    return guardian;
  }

  /** Temporary folder, removed at the end. */
  get dir(): string {
    return this.#dir;
  }

  /** Exit of the last program; undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Starts the program; resolves with its process id, whether it is ready or not. */
  async start(spec: Spec): Promise<number> {
    this.#exit = undefined;
    const { pid = 0 } = await this.#ask({ start: spec });
    this.#pid = this.#exit === undefined ? pid : undefined;
    return pid;
  }

  /** Resolves with the exit of the program. */
  async ended(): Promise<Exit> {
    this.#hold(true);
    return this.#exit ?? new Promise((resolve) => this.#ends.push(resolve));
  }

  /** Stops the program by this signal, then kills what remains; keeps the folder. */
  async halt(signal: NodeJS.Signals): Promise<void> {
    await this.#ask({ halt: signal });
  }

  /** Sends the program a signal. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    await this.#ask({ signal });
  }

  /** Stops the program and removes the folder. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#hold(true);
    this.#process.stdin.end();
    await this.#gone;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #ask(order: object): Promise<Message> {
    if (this.#closing || this.#process.exitCode !== null || this.#process.signalCode !== null) {
      throw new Error(`${this.#dir} is removed: this component was stopped; start a new one`);
    }
    this.#process.stdin.write(`${JSON.stringify(order)}\n`);
    return this.#answer();
  }

  async #answer(): Promise<Message> {
    this.#hold(true);
    try {
      return await new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    } finally {
      if (this.#waiting.length === 0) this.#hold(false);
    }
  }

  #hear(message: Message): void {
    if (message.exited !== undefined) this.#left(message.exited);
    else if (message.failed !== undefined) this.#waiting.shift()?.reject(new Error(message.failed));
    else this.#waiting.shift()?.resolve(message);
  }

  #left(exit: Exit): void {
    this.#exit = exit;
    this.#pid = undefined;
    for (const resolve of this.#ends.splice(0)) resolve(exit);
  }

  /** Cleans up in place of a guardian that was killed. */
  #orphaned(why: string): void {
    for (const waiting of this.#waiting.splice(0)) waiting.reject(new Error(why));
    if (this.#pid !== undefined) {
      try {
        process.kill(-this.#pid, "SIGKILL");
      } catch {
        // It ended at the same time.
      }
      this.#left({ pid: this.#pid, code: null, signal: "SIGKILL" });
    }
    if (this.#dir !== "") rmSync(this.#dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  /** Only a pending request keeps this process alive, not a component that was never stopped. */
  #hold(alive: boolean): void {
    const { stdin, stdout } = this.#process;
    for (const handle of [this.#process, stdin, stdout]) {
      if (handle !== this.#process && !(handle instanceof Socket)) continue;
      if (alive) handle.ref();
      else handle.unref();
    }
  }
}

/** Environment of this process without variables that change the behaviour of Node or a server. */
export function environment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^(NODE_|VITEST|PG|ETCD|npm_)/.test(name)) env[name] = value;
  }
  return env;
}
