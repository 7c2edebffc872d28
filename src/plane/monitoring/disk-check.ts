import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Check } from "../../runtime/health/health.js";
import { formatQuantity } from "../../runtime/performance/quantities.js";

/** Free space below which a disk is nearly full: this share of it, and not more than this many bytes. */
const minShare = 0.05;
const minBytes = 2 ** 30;

interface DiskSpace {
  /** Bytes that this user may still write. */
  readonly free: number;
  readonly size: number;
}

/** Degraded while the disk of a folder is nearly full. */
export function diskCheck(folder: string, read: (folder: string) => Promise<DiskSpace> = diskSpace): Check {
  return async () => {
    const { free, size } = await read(folder);
    const share = size === 0 ? 1 : free / size;
    const message = `${formatQuantity(free, "bytes")} free (${Math.floor(share * 100)} %) at ${folder}`;
    return free >= Math.min(minBytes, size * minShare)
      ? message
      : { ok: false, message: `the disk is nearly full: ${message}` };
  };
}

/** Space on the disk of a folder; of the nearest folder above it, if it does not exist yet. */
async function diskSpace(folder: string): Promise<DiskSpace> {
  let existing = resolve(folder);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, blocks, bsize } = await statfs(existing);
  return { free: bavail * bsize, size: blocks * bsize };
}
