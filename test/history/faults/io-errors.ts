import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Unavailable, type Component } from "../../components/index.js";
import { obtain } from "../../components/machine/program.js";

const source = fileURLToPath(new URL("./io-errors.c", import.meta.url));

/** Calls that fail; see io-errors.c. */
type IoFault = "write" | "torn" | "sync";

/** Library that makes the writes of a process fail, and the switch for it. */
export interface IoErrors extends AsyncDisposable {
  /** Folder whose files are concerned. */
  readonly folder: string;
  /** Environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes every so many calls fail from now on. */
  start(fault: IoFault, every: number): void;
  stop(): void;
}

/** Compiled with the C compiler of the machine. */
export const ioErrors: Component<IoErrors> = {
  name: "a C compiler",
  async obtain() {
    if (platform() !== "linux") throw new Unavailable("LD_PRELOAD works on Linux; run the tests there");
    return obtain({ name: "cc", package: "build-essential" });
  },
  async start() {
    const folder = mkdtempSync(join(tmpdir(), "fettle-io-errors-"));
    const library = join(folder, "io-errors.so");
    const file = join(folder, "fault");
    execFileSync(await ioErrors.obtain(), ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], {
      stdio: "pipe",
    });
    return {
      folder,
      env: { LD_PRELOAD: library, FAULT_FILE: file, FAULT_FOLDER: join(folder, "fettle-server-") },
      start(fault, every) {
        // By a rename, so that the process never reads half of it.
        writeFileSync(`${file}.new`, `${fault} ${every}`);
        renameSync(`${file}.new`, file);
      },
      stop: () => rmSync(file, { force: true }),
      async [Symbol.asyncDispose]() {
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  with: () => ioErrors,
};
