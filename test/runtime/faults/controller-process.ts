import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Election, Shards } from "../../../src/runtime/start/ownership.js";
import type { Exit } from "../../server/server-process.js";
import type { Effect } from "./effects.js";

const program = fileURLToPath(new URL("./controller-process.mjs", import.meta.url));

/** File to which several processes append their effects in order. */
export class EffectsFile implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "fettle-faults-"));
  readonly path = join(this.folder, "effects");
  readonly #listeners = new Set<() => void>();
  readonly #effects: Effect[] = [];
  readonly #file: number;
  #rest = "";

  constructor() {
    writeFileSync(this.path, "");
    this.#file = openSync(this.path, "r");
  }

  all(): Effect[] {
    const buffer = Buffer.alloc(65_536);
    for (let read = 1; read > 0;) {
      read = readSync(this.#file, buffer);
      // The content is mostly ASCII, but a character may be split.
      this.#rest += buffer.toString("latin1", 0, read);
    }
    // A killed process may leave an incomplete line.
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#effects.push(JSON.parse(Buffer.from(line, "latin1").toString("utf8")) as Effect);
    }
    return [...this.#effects];
  }

  follow(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Resolves when the effects satisfy a condition. */
  until(enough: (effects: readonly Effect[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = this.follow(() => check());
      const check = (): void => {
        if (!enough(this.all())) return;
        end();
        resolve();
      };
      check();
    });
  }

  /** Copy of a kubeconfig with another URL of the server. */
  kubeconfig(like: string, url: string, name: string): string {
    const path = join(this.folder, `kubeconfig-${name}`);
    const text = readFileSync(like, "utf8").replace(/https?:\/\/127\.0\.0\.1:\d+/, url);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface ControllerProcessOptions {
  readonly kubeconfig: string;
  readonly who: string;
  /** Duration of each effect in milliseconds. */
  readonly takes: number;
  readonly leaderElection?: Election;
  /** Records the start and end of whole runs, too. */
  readonly sharding?: Shards;
}

/** Controller in a process of its own that can be stopped by any signal. */
export class ControllerProcess implements AsyncDisposable {
  readonly who: string;
  /** Resolves when it leads and its controllers run; never if it is stopped before. */
  readonly ready: Promise<void>;
  readonly exited: Promise<Pick<Exit, "code" | "signal">>;
  stderr = "";
  readonly #child: ChildProcess;

  constructor(options: ControllerProcessOptions, effects: EffectsFile) {
    this.who = options.who;
    const child = spawn(process.execPath, [program, JSON.stringify({ ...options, effects: effects.path })]);
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.exited = once(child, "close").then(
      ([code, signal]: (Exit["code"] | Exit["signal"])[]) =>
        ({ code, signal }) as Pick<Exit, "code" | "signal">,
    );
    this.ready = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line === "ready") resolve();
        else effects.tell();
      });
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** True while the kernel reports the process as stopped (SIGSTOP). */
  get isFrozen(): boolean {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }
}
