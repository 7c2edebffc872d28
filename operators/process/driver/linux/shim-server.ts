import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DriverError } from "../driver.js";

export const shimProgram = fileURLToPath(new URL("./shim/shim.pl", import.meta.url));

/** Debian's place; elsewhere it is found in PATH. */
export const perl = existsSync("/usr/bin/perl") ? "/usr/bin/perl" : "perl";

/** The server of a killed Fettle ends when its input is closed, which takes a moment. */
const lockLimit = { wait: 3000, pause: 50 };

/** Milliseconds within which the server has to end. */
const closeLimit = 3000;

type ServerProcess = ChildProcessByStdio<Writable, Readable, Readable>;

export interface ShimServerOptions {
  readonly folder: string;
  /** A shim could not be started. */
  readonly onFailure: (uid: string, attempt: number, message: string) => void;
  /** The server ended, and requests may be lost. */
  readonly onEnd: () => void;
  readonly log: (message: string) => void;
}

/**
 * Program that starts shims. It is started with the driver, which thereby locks the folder, and again on demand if it was killed.
 * Shims do not depend on it.
 */
export class ShimServer {
  readonly #options: ShimServerOptions;
  #process: Promise<ServerProcess> | undefined;
  #closed = false;
  /** Number of the present server process; requests to earlier ones may be lost. */
  generation = 0;

  constructor(options: ShimServerOptions) {
    this.#options = options;
  }

  /** Starts the server, unless it is running. */
  async ensure(): Promise<ServerProcess> {
    this.#process ??= this.#startLocked().catch((error: unknown) => {
      this.#process = undefined;
      throw error;
    });
    return await this.#process;
  }

  async request(...words: readonly (string | number)[]): Promise<void> {
    const { stdin } = await this.ensure();
    stdin.write(`${words.join(" ")}\n`);
  }

  /** Ends the server; shims go on. */
  async close(): Promise<void> {
    this.#closed = true;
    const server = await this.#process?.catch(() => undefined);
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const end = once(server, "exit");
    server.stdin.end();
    const timer = setTimeout(() => server.kill("SIGKILL"), closeLimit);
    await end;
    clearTimeout(timer);
  }

  /** Kills a server that does not respond, because somebody suspended it; another one is started on demand. */
  async kill(reason: string): Promise<void> {
    const server = await this.#process?.catch(() => undefined);
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    this.#options.log(`the shim server is killed: ${reason}`);
    const end = once(server, "exit");
    server.kill("SIGKILL");
    await end;
  }

  async #startLocked(): Promise<ServerProcess> {
    for (
      const end = performance.now() + lockLimit.wait;
      performance.now() < end;
      await wait(lockLimit.pause)
    ) {
      const server = await this.#start();
      if (server) return server;
    }
    throw new DriverError(
      "FolderInUse",
      `Another Fettle is running processes in ${this.#options.folder}: stop it, or use another folder`,
    );
  }

  /** Returns undefined if another server has the lock. */
  async #start(): Promise<ServerProcess | undefined> {
    const { FETTLE_SHIM_FAILPOINT: failpoint } = process.env;
    const server = spawn(perl, [shimProgram, "serve", this.#options.folder], {
      detached: true,
      cwd: "/",
      env: { LC_ALL: "C", ...(failpoint === undefined ? {} : { FETTLE_SHIM_FAILPOINT: failpoint }) },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // Writes to a server that was killed; its end is noticed below.
    server.stdin.on("error", () => {});
    let complaint = "";
    server.stderr.on("data", (bytes: Buffer) => {
      complaint = `${complaint}${bytes.toString()}`.slice(-1000);
      this.#options.log(`shim server: ${bytes.toString().trim()}`);
    });
    return await new Promise((resolve, reject) => {
      let ready = false;
      const lines = createInterface({ input: server.stdout });
      lines.on("line", (line) => {
        const [verb, uid = "", attempt = "", ...text] = line.split(" ");
        if (verb === "ready") {
          ready = true;
          this.generation++;
          resolve(server);
        } else if (verb === "locked") {
          resolve(undefined);
        } else if (verb === "failed" && ready) {
          this.#options.onFailure(uid, Number(attempt), text.join(" "));
        } else if (verb === "failed") {
          complaint = text.join(" ");
        }
      });
      server.once("error", (error) => reject(missingPerl(error)));
      server.once("exit", (code, signal) => {
        reject(
          new DriverError("ShimFailed", `The shim server ended (${signal ?? code}): ${complaint.trim()}`),
        );
        if (!ready || this.#closed) return;
        this.#process = undefined;
        this.generation++;
        this.#options.log(`the shim server ended (${signal ?? code}); it is started again on demand`);
        this.#options.onEnd();
      });
    });
  }
}

function missingPerl(error: NodeJS.ErrnoException): DriverError {
  if (error.code !== "ENOENT") {
    return new DriverError("ShimFailed", `${perl} could not be started: ${error.message}`, { cause: error });
  }
  return new DriverError(
    "ShimFailed",
    "Perl is missing, and processes are run by a small Perl program: install it (apt-get install perl-base, apk add perl, dnf install perl-interpreter)",
    { cause: error },
  );
}
