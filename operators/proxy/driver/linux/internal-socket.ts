import { createHash } from "node:crypto";
import { lstat, mkdir, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ProxyDriverError } from "../driver.js";
import { errorCode, ifExists } from "./durable-files.js";

/** Bytes that the path of a unix socket may have, so that it fits into 108 with its end. */
const maxPath = 106;
/** Milliseconds for a response. nginx answers at once, unless its machine is overloaded. */
const responseTimeout = 2000;

/**
 * Unix socket on which nginx serves the number of its configuration. nginx keeps a socket over reloads even if its file was deleted,
 * so that nobody can reach it any more. Therefore there is a second path: nginx binds it with the next configuration.
 */
export class InternalSocket {
  readonly #paths: readonly [string, string];
  readonly #isTemporary: boolean;
  #path: string;

  /** Uses the folder of the driver, or one below the folder for temporary files if the path would be too long. */
  constructor(root: string, temporaryRoot = tmpdir()) {
    const names = ["nginx.sock", "nginx2.sock"] as const;
    this.#isTemporary = Buffer.byteLength(join(root, names[1])) > maxPath;
    const hash = createHash("sha256").update(root).digest("hex").slice(0, 16);
    const folder = this.#isTemporary ? join(temporaryRoot, `fettle-proxy-${hash}`) : root;
    this.#paths = [join(folder, names[0]), join(folder, names[1])];
    this.#path = this.#paths[0];
  }

  get path(): string {
    return this.#path;
  }

  /** Chooses the path at which nginx can be reached, or else one that it can bind. */
  async choosePath(): Promise<void> {
    const table = await boundSockets();
    const [one, other] = await Promise.all(
      this.#paths.map(async (path) => ({
        path,
        isBound: inodesIn(table, path).size > 0,
        hasFile: (await ifExists(lstat(path))) !== undefined,
      })),
    );
    const states = [one, other].filter((each) => each !== undefined);
    const reachable = states.find(({ isBound, hasFile }) => isBound && hasFile);
    const isLost = states.some(({ isBound }) => isBound);
    const free = isLost ? states.find(({ isBound }) => !isBound) : undefined;
    this.#path = (reachable ?? free)?.path ?? this.#path;
  }

  /** Creates the folder of the socket if it is a temporary one. */
  async prepare(): Promise<void> {
    if (!this.#isTemporary) return;
    if (Buffer.byteLength(this.#paths[1]) > maxPath)
      throw new ProxyDriverError(
        "NotPermitted",
        `The path ${this.path} is too long for a socket; use a data folder or a $TMPDIR with a shorter path`,
      );
    const folder = dirname(this.path);
    try {
      await mkdir(folder, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    // Others can create names in a shared folder, and must not read or replace our socket.
    const stats = await lstat(folder);
    const isOwn = stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
    if (isOwn) return;
    throw new ProxyDriverError(
      "NotPermitted",
      `${folder} belongs to somebody else or is open to others; delete it, or use a data folder with a shorter path`,
    );
  }

  /**
   * Deletes the socket of an nginx that was killed: with it, the next nginx could not start. A socket in use is in the list of the
   * kernel. While the file exists, nobody can bind to its path, so nothing can come between the look and the deletion.
   */
  async removeStale(): Promise<void> {
    for (const path of this.#paths) {
      const stats = await ifExists(lstat(path));
      if (stats?.isSocket() !== true) continue;
      const table = await boundSockets();
      if (table !== undefined && inodesIn(table, path).size === 0) await rm(path, { force: true });
    }
  }

  /** Inodes of the sockets that are bound to the paths, even if their files were deleted. */
  async inodes(): Promise<ReadonlySet<string>> {
    const table = await boundSockets();
    return new Set(this.#paths.flatMap((path) => [...inodesIn(table, path)]));
  }

  async exists(): Promise<boolean> {
    return (await ifExists(lstat(this.path))) !== undefined;
  }

  /** Number of the configuration that a worker serves; undefined without a response. Each call is a connection of its own. */
  served(signal?: AbortSignal): Promise<number | undefined> {
    return new Promise((resolve) => {
      const timeout = AbortSignal.timeout(responseTimeout);
      const combined = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      const options = { socketPath: this.path, path: "/generation", agent: false, signal: combined };
      const get = request(options, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          text += part;
          if (text.length > 100) response.destroy(); // Not our nginx.
        });
        response.once("close", () => resolve(response.statusCode === 200 ? numberIn(text) : undefined));
      });
      get.once("error", () => resolve(undefined));
      get.once("close", () => resolve(undefined));
      get.end();
    });
  }

  async remove(): Promise<void> {
    const removed = this.#isTemporary ? [dirname(this.path)] : this.#paths;
    for (const path of removed) await rm(path, { recursive: true, force: true });
  }
}

/** List of the unix sockets of this machine; undefined if the kernel shows none. */
function boundSockets(): Promise<string | undefined> {
  return ifExists(readFile("/proc/net/unix", "utf8"));
}

/** Inodes of the sockets with a path, in a list of {@link boundSockets}. */
function inodesIn(table: string | undefined, path: string): Set<string> {
  const lines = (table ?? "").split("\n").filter((line) => line.endsWith(` ${path}`));
  return new Set(lines.map((line) => line.trim().split(/\s+/)[6] ?? ""));
}

function numberIn(text: string): number | undefined {
  const [, digits] = /^\s*(\d{1,15})\s*$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
