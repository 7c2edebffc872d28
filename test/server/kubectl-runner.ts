import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kubectl } from "../components/index.js";

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  /** Content of standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Running kubectl, and its output so far. */
export interface Running {
  /** Resolves when the output matches; rejects when kubectl ends before. */
  until(pattern: RegExp): Promise<string>;
  stop(): Promise<Outcome>;
}

/** Runs one kubectl against one server, with its own home folder and cache. */
export class KubectlRunner {
  readonly minor: number;
  readonly #path: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #home = mkdtempSync(join(tmpdir(), "fettle-kubectl-"));
  #files = 0;

  constructor({ path, version }: Kubectl, kubeconfig: string) {
    this.minor = Number(version.split(".")[1]);
    this.#path = path;
    this.#env = { PATH: process.env["PATH"] ?? "", HOME: this.#home, KUBECONFIG: kubeconfig, TERM: "dumb" };
  }

  /** Runs kubectl; throws its output when it fails. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, out, err } = await this.attempt(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}\n${err}${out}`);
    return out;
  }

  /** Runs kubectl to its end, successful or not. */
  attempt(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const { child, outcome } = this.#spawn(args, options.env);
    child.stdin?.end(options.input ?? "");
    return outcome;
  }

  start(args: readonly string[]): Running {
    const { child, outcome, text, listeners } = this.#spawn(args);
    child.stdin?.end();
    return {
      until: (pattern) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            if (!pattern.test(text.out)) return;
            listeners.delete(look);
            resolve(text.out);
          };
          listeners.add(look);
          look();
          const give = ({ out, err }: Outcome): void => {
            look();
            reject(new Error(`kubectl ${args.join(" ")} ended without ${pattern}:\n${out}${err}`));
          };
          outcome.then(give, reject);
        }),
      async stop() {
        child.kill("SIGINT");
        return outcome;
      },
    };
  }

  /** Creates a file with this text, for `-f`. */
  file(text: string, extension = "yaml"): string {
    const path = join(this.#home, `file-${++this.#files}.${extension}`);
    writeFileSync(path, text);
    return path;
  }

  /** Creates a folder with these files, for `-k`. */
  folder(files: Readonly<Record<string, string>>): string {
    const folder = mkdtempSync(join(this.#home, "folder-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  }

  dispose(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  #spawn(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child: ChildProcess = spawn(this.#path, args, { env: { ...this.#env, ...env } });
    const text = { out: "", err: "" };
    const listeners = new Set<() => void>();
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text.out += chunk;
      for (const listener of listeners) listener();
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (text.err += chunk));
    const outcome = new Promise<Outcome>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? -1, ...text }));
    });
    return { child, outcome, text, listeners };
  }
}
