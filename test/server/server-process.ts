import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ServerOptions } from "../../src/server/server.js";
import type { SqliteStoreOptions } from "../../src/store/index.js";
import { freePorts } from "../components/process/port.js";

const program = fileURLToPath(new URL("./server-process.mjs", import.meta.url));

/** Exit of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** Options of the server that can be passed to another process. */
export type ProcessOptions = Pick<ServerOptions, "limits" | "tokenFile"> & {
  readonly tls?: boolean;
  readonly storeOptions?: Pick<SqliteStoreOptions, "retention" | "indexAfter">;
};

/** Surroundings of the process. */
export interface ProcessPlace {
  /** Folder in which the data folder is created. Default: that for temporary files. */
  readonly folder?: string;
  /** Further environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Server in a process of its own that can be stopped by any signal, and started again on the same port and data. */
export class ServerProcess implements AsyncDisposable {
  readonly data: string;
  readonly kubeconfig: string;
  /** Resolves when a server responds; pending between a stop and the next start. */
  up: Promise<void>;
  #restarted: (up: Promise<void>) => void = () => {};
  #port: number | undefined;
  #url = "";
  readonly #options: ProcessOptions;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #exit: Promise<Exit> | undefined;

  constructor(options: ProcessOptions = {}, { folder = tmpdir(), env = {} }: ProcessPlace = {}) {
    this.data = mkdtempSync(join(folder, "fettle-server-"));
    this.kubeconfig = join(this.data, "kubeconfig");
    this.#options = options;
    this.#env = { ...process.env, ...env };
    this.up = this.#start();
  }

  /** URL of the server, once it is up. */
  get url(): string {
    return this.#url;
  }

  /** Resolves when the process that was started last has ended. */
  get exit(): Promise<Exit> {
    if (this.#exit === undefined) throw new Error("no server was started");
    return this.#exit;
  }

  async stop(signal: NodeJS.Signals): Promise<Exit> {
    if (this.#child === undefined || this.#exit === undefined) throw new Error("no server was started");
    this.up = new Promise((resolve) => (this.#restarted = resolve));
    this.#child.kill(signal);
    return this.#exit;
  }

  async start(): Promise<void> {
    const up = this.#start();
    this.#restarted(up);
    return up;
  }

  async #start(): Promise<void> {
    this.#port ??= (await freePorts(["server"])).server;
    const child = spawn(
      process.execPath,
      [program, this.data, String(this.#port), JSON.stringify(this.#options)],
      { env: this.#env },
    );
    this.#child = child;
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const exit = once(child, "close").then(
      ([code, signal]: (number | NodeJS.Signals | null)[]) => ({ code, signal, stderr }) as Exit,
    );
    this.#exit = exit;
    const line = await Promise.race([
      once(createInterface({ input: child.stdout }), "line").then(([line]) => line as string),
      exit.then(({ stderr }) => Promise.reject(new Error(`the server did not start:\n${stderr}`))),
    ]);
    this.#url = line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exit;
    rmSync(this.data, { recursive: true, force: true });
  }
}
