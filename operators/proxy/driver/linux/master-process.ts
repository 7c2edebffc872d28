import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ProxyDriverError } from "../driver.js";
import { errorCode, ifExists } from "./durable-files.js";

export interface MasterOptions {
  readonly pidFile: string;
  /** File that nginx is started with. */
  readonly configFile: string;
  /** Accepts an nginx without `-c`, which has its configuration at the compiled-in path. */
  readonly withoutPath: boolean;
}

/** Title of a worker that accepts connections; those of an earlier configuration have another one. */
const workerTitle = "nginx: worker process";

const masterTitle = "nginx: master process ";

/**
 * Master process of one nginx. Its number comes from the pid file, which may be outdated: a process counts only if its title is that
 * of a master with our configuration, so that no other one gets our signals. If the file was deleted, the process is found by its
 * title.
 */
export class MasterProcess {
  readonly #options: MasterOptions;

  constructor(options: MasterOptions) {
    this.#options = options;
  }

  /** Number of the process; undefined if none is running. */
  async pid(): Promise<number | undefined> {
    const text = await ifExists(readFile(this.#options.pidFile, "utf8"));
    // `nginx -t` creates an empty file if there is none.
    const pid = Number(/^\s*(\d+)\s*$/.exec(text ?? "")?.[1] ?? 0);
    return pid > 1 && this.#isOurs(await titleOf(pid)) ? pid : this.#search();
  }

  /** Numbers of the workers that accept connections. */
  async workers(): Promise<ReadonlySet<number>> {
    const master = await this.pid();
    const workers = new Set<number>();
    for (const pid of master === undefined ? [] : await childrenOf(master))
      if ((await titleOf(pid)) === workerTitle) workers.add(pid);
    return workers;
  }

  /** Sends SIGHUP; returns false if none is running. */
  async reload(): Promise<boolean> {
    const pid = await this.pid();
    if (pid === undefined) return false;
    try {
      process.kill(pid, "SIGHUP");
      return true;
    } catch (error) {
      if (errorCode(error) === "ESRCH") return false;
      throw new ProxyDriverError(
        "NotPermitted",
        `nginx (process ${pid}) cannot be reloaded: it belongs to another user; run Fettle as root or as that user`,
        { cause: error },
      );
    }
  }

  /** Inodes of its sockets. */
  async sockets(): Promise<ReadonlySet<string>> {
    const pid = await this.pid();
    return pid === undefined ? new Set() : socketsOf(pid);
  }

  /** True if a process was started with our configuration, also before it has the title of a master. */
  async hasConfig(pid: number): Promise<boolean> {
    return this.#namesConfig(await titleOf(pid));
  }

  async #search(): Promise<number | undefined> {
    for (const pid of await allProcesses()) {
      const title = await titleOf(pid);
      if (!title.startsWith(masterTitle) || !this.#namesConfig(title)) continue;
      if (await seesFolder(pid, dirname(this.#options.configFile))) return pid;
    }
    return undefined;
  }

  #isOurs(title: string): boolean {
    if (!title.startsWith(masterTitle)) return false;
    return this.#namesConfig(title) || (this.#options.withoutPath && !title.includes(" -c "));
  }

  #namesConfig(title: string): boolean {
    return `${title} `.includes(` -c ${this.#options.configFile} `);
  }
}

/** Title of a process as `ps` shows it; empty if there is none. */
export async function titleOf(pid: number): Promise<string> {
  const text = await ifExists(readFile(`/proc/${pid}/cmdline`, "utf8"));
  // nginx writes one text over its arguments, other programs have a NUL after each.
  return (text ?? "").replaceAll("\0", " ").trim();
}

/** True if a path is the same folder for a process: in a container, it is another one. */
async function seesFolder(pid: number, path: string): Promise<boolean> {
  const [here, there] = await Promise.all(
    [path, `/proc/${pid}/root${path}`].map((each) => stat(each).catch(() => undefined)),
  );
  return here !== undefined && here.dev === there?.dev && here.ino === there.ino;
}

/** Inodes of the sockets of a process; none if it is gone or belongs to another user. */
export async function socketsOf(pid: number): Promise<Set<string>> {
  const sockets = new Set<string>();
  const folder = `/proc/${pid}/fd`;
  for (const name of await readdir(folder).catch(() => [])) {
    const target = await readlink(`${folder}/${name}`).catch(() => "");
    const [, inode] = /^socket:\[(\d+)\]$/.exec(target) ?? [];
    if (inode !== undefined) sockets.add(inode);
  }
  return sockets;
}

/** Numbers of all processes. */
export async function allProcesses(): Promise<number[]> {
  return (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Numbers of the processes that a process has started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await ifExists(readFile(`/proc/${pid}/task/${pid}/children`, "utf8"));
  if (text !== undefined) return text.split(" ").filter(Boolean).map(Number);
  const children: number[] = [];
  // Kernels without CONFIG_PROC_CHILDREN.
  for (const each of await allProcesses()) if ((await parentOf(each)) === pid) children.push(each);
  return children;
}

async function parentOf(pid: number): Promise<number> {
  const stat = (await ifExists(readFile(`/proc/${pid}/stat`, "utf8"))) ?? "";
  // The name of the program comes before, in parentheses, and may have any characters.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}
