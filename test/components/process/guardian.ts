import { spawn, type ChildProcessByStdio } from "node:child_process";
import { rmSync } from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** What to run, as whom, and how it likes to be stopped. */
export interface Spec {
  readonly command: string;
  readonly args: readonly string[];
  /** All but HOME and TMPDIR, which are the guardian's folder. */
  readonly env: Readonly<Record<string, string>>;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly stopSignal: NodeJS.Signals;
  /** Milliseconds between the stop signal and SIGKILL. */
  readonly grace: number;
}

/** How a program ended. */
export interface Exit {
  readonly pid: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A line from the guardian: an answer, or else the news in `exited`. */
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
 * Our end of a guardian: the small process that owns a temporary folder and the program running in it, and
 * that takes both away as soon as this process is gone. It runs in a session of its own, so that Ctrl-C
 * reaches this process and not the cleaning.
 */
export class Guardian implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  /** Orders are answered in the order they were given. */
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
    this.#process.stdin.on("error", () => {}); // The exit that follows says it.
    this.#gone = new Promise((resolve) => {
      const leave = (): void => resolve(this.#orphaned(`the guardian of ${name} is gone`));
      this.#process.once("error", leave).once("exit", leave);
    });
  }

  /** Starts a guardian with a fresh folder named after `name`. */
  static async open(name: string): Promise<Guardian> {
    const guardian = new Guardian(name);
    const { dir = "" } = await guardian.#answer();
    guardian.#dir = dir;
    return guardian;
  }

  /** The folder, empty at first and removed at the end. */
  get dir(): string {
    return this.#dir;
  }

  /** How the program last started has ended; undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Starts the program; resolves with its process id once it runs, ready or not. */
  async start(spec: Spec): Promise<number> {
    this.#exit = undefined;
    const { pid = 0 } = await this.#ask({ start: spec });
    this.#pid = this.#exit === undefined ? pid : undefined;
    return pid;
  }

  /** Resolves with how the program ended, when it has. */
  async ended(): Promise<Exit> {
    this.#hold(true);
    return this.#exit ?? new Promise((resolve) => this.#ends.push(resolve));
  }

  /** Ends the program by this signal, and by SIGKILL whatever then remains; the folder stays. */
  async halt(signal: NodeJS.Signals): Promise<void> {
    await this.#ask({ halt: signal });
  }

  /** Sends the program a signal. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    await this.#ask({ signal });
  }

  /** Ends the program and removes the folder. */
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
      throw new Error(`${this.#dir} is gone: this component was stopped for good; start a new one`);
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

  /** A guardian that was itself killed could not clean up; as long as we live, we do it in its stead. */
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

  /** Only an open question keeps this process alive; a component somebody forgot to stop does not. */
  #hold(alive: boolean): void {
    const { stdin, stdout } = this.#process;
    for (const handle of [this.#process, stdin, stdout]) {
      if (handle !== this.#process && !(handle instanceof Socket)) continue;
      if (alive) handle.ref();
      else handle.unref();
    }
  }
}

/** This process's environment without what would change how a child Node or a server behaves. */
export function environment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^(NODE_|VITEST|PG|ETCD|npm_)/.test(name)) env[name] = value;
  }
  return env;
}
