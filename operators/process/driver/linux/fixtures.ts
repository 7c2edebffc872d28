import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";
import { exited, untilAttempt } from "../contract.js";
import type { Launch, ProcessDriver } from "../driver.js";
import { findCgroups } from "./cgroups.js";
import { isAlive, parseKey } from "./identity.js";
import { openLinuxDriver, type LinuxDriverOptions } from "./linux-driver.js";

/** Suite that is skipped, with a message, where a condition does not hold. */
export function describeIf(condition: boolean, need: string, name: string, body: () => void): void {
  if (!condition) process.stderr.write(`\nSKIPPED "${name}" needs ${need}\n\n`);
  // oxlint-disable-next-line vitest/valid-describe-callback -- this makes suites and is none
  describe.runIf(condition)(name, body);
}

export const isLinux = process.platform === "linux";
export const isRoot = isLinux && process.getuid?.() === 0;
export const hasCgroups =
  isLinux &&
  findCgroups("fettle/x")
    .plan("x", { memoryBytes: 1, pids: 1 })
    .every(({ verb }) => verb !== "problem");

/** Command that runs a script. */
export const sh = (script: string, ...args: readonly string[]): Launch["argv"] => [
  "sh",
  "-c",
  script,
  "sh",
  ...args,
];

/** Command that runs a Perl script; it keeps its arguments, by which it can be found. */
export const perl = (script: string, ...args: readonly string[]): Launch["argv"] => [
  "perl",
  "-e",
  script,
  ...args,
];

/** Linux driver in a folder of its own; disposing of it stops all processes and removes the folder. */
export class TestMachine implements AsyncDisposable {
  readonly folder: string;
  readonly #options: Partial<LinuxDriverOptions>;
  #driver: ProcessDriver | undefined;

  private constructor(options: Partial<LinuxDriverOptions>) {
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), "fettle-processes-"));
    this.#options = options;
  }

  static async open(options: Partial<LinuxDriverOptions> = {}): Promise<TestMachine> {
    const machine = new TestMachine(options);
    await machine.reopen();
    return machine;
  }

  /** A machine whose driver is opened by the first `reopen`. */
  static closed(): TestMachine {
    return new TestMachine({});
  }

  get driver(): ProcessDriver {
    if (!this.#driver) throw new Error("the driver is not open");
    return this.#driver;
  }

  async reopen(): Promise<void> {
    await this.#driver?.[Symbol.asyncDispose]();
    this.#driver = await openLinuxDriver({ ...this.#options, folder: this.folder });
  }

  /** Runs steps in a program of its own; returns the signal that ended it, if any. */
  run(
    steps: readonly (readonly unknown[])[],
    failpoint: string,
  ): Promise<{ readonly signal: NodeJS.Signals | null; readonly errors: string }> {
    const program = fileURLToPath(new URL("./driver-process.mjs", import.meta.url));
    const child = spawn(process.execPath, [program, this.folder, JSON.stringify(steps)], {
      env: { ...process.env, FETTLE_PROCESS_FAILPOINT: failpoint },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    child.stderr.on("data", (bytes: Buffer) => void (errors += bytes.toString()));
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (_code, signal) => resolve({ signal, errors }));
    });
  }

  /** Number of the shim of an attempt, if it lives. */
  shim(uid: string, attempt: number): number | undefined {
    const names = readdirSync(join(this.folder, uid, String(attempt)));
    const key = parseKey(names.find((name) => name.startsWith("claim."))?.slice("claim.".length));
    return key && isAlive(key) ? key.pid : undefined;
  }

  /** Folders of its attempts in cgroups. */
  cgroupFolders(): string[] {
    const group = `fettle/${createHash("sha256").update(this.folder).digest("hex").slice(0, 12)}`;
    const steps = findCgroups(group).plan("x", { memoryBytes: 1, cpus: 1, pids: 1 });
    return steps
      .filter(({ verb }) => verb === "folder")
      .map(({ path = "" }) => dirname(path))
      .filter((path) => existsSync(path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#driver) await this.reopen();
    for (const { uid } of await this.driver.list()) {
      for (const { number } of await this.driver.inspect(uid)) {
        await this.driver.stop(uid, number, { reason: "Deleted", signal: "SIGKILL", grace: 0 });
        await untilAttempt(this.driver, [uid, number], exited);
      }
    }
    await this.driver[Symbol.asyncDispose]();
    if (this.#options.folder === undefined) rmSync(this.folder, { recursive: true });
  }
}

/** Numbers of all processes of this machine whose command line contains a text. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    });
}

/** File system of one megabyte, which only root can mount. */
export function mountSmallDisk(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "fettle-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", path]);
  return {
    path,
    [Symbol.dispose]() {
      execFileSync("umount", ["--lazy", path]);
      rmdirSync(path);
    },
  };
}
