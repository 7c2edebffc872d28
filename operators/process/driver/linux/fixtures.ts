import { readdirSync, readFileSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exited, untilAttempt } from "../contract.js";
import type { Launch, ProcessDriver } from "../driver.js";
import { openLinuxDriver, type LinuxDriverOptions } from "./linux-driver.js";

/** Command that runs a script. */
export const sh = (script: string, ...args: readonly string[]): Launch["argv"] => [
  "sh",
  "-c",
  script,
  "sh",
  ...args,
];

/** Linux driver in a folder of its own; disposing of it stops all processes and removes the folder. */
export class TestMachine implements AsyncDisposable {
  readonly folder: string;
  readonly #options: Partial<LinuxDriverOptions>;
  readonly #ownsFolder: boolean;
  driver!: ProcessDriver;

  private constructor(options: Partial<LinuxDriverOptions>) {
    this.#ownsFolder = options.folder === undefined;
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), "fettle-processes-"));
    this.#options = options;
  }

  static async open(options: Partial<LinuxDriverOptions> = {}): Promise<TestMachine> {
    const machine = new TestMachine(options);
    machine.driver = await openLinuxDriver({ ...options, folder: machine.folder });
    return machine;
  }

  async reopen(): Promise<void> {
    await this.driver[Symbol.asyncDispose]();
    this.driver = await openLinuxDriver({ ...this.#options, folder: this.folder });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { uid } of await this.driver.list()) {
      for (const { number } of await this.driver.inspect(uid)) {
        await this.driver.stop(uid, number, { reason: "Deleted", signal: "SIGKILL", grace: 0 });
        await untilAttempt(this.driver, [uid, number], exited);
      }
    }
    await this.driver[Symbol.asyncDispose]();
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true });
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
