import { spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Installs a Debian package and starts none of its services. Resolves with the end of apt-get's output if it failed,
 * otherwise with undefined.
 *
 * The work runs apart from this process and is left to finish when this process is stopped: an interrupted dpkg would
 * leave the machine half configured. Concurrent processes take turns.
 */
export async function install(name: string): Promise<string | undefined> {
  process.stderr.write(`installing ${name} (Debian) …\n`);
  const script = fileURLToPath(new URL("./install.sh", import.meta.url));
  const lock = join(tmpdir(), "fettle-install.lock");
  // A name is needed only to open the file; without one nothing can be left behind.
  const path = join(tmpdir(), `fettle-install-${process.pid}-${name}.log`);
  const log = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn("flock", [lock, "sh", script, name, lock], {
        detached: true,
        stdio: ["ignore", log, log],
      });
      child.once("error", reject).once("exit", resolve);
    });
    return code === 0 ? undefined : tail(log);
  } finally {
    closeSync(log);
  }
}

function tail(file: number, length = 2_000): string {
  const { size } = fstatSync(file);
  const bytes = Buffer.alloc(Math.min(size, length));
  readSync(file, bytes, 0, bytes.length, size - bytes.length);
  return bytes.toString("utf8").trim();
}
