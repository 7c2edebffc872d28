import { closeSync, openSync, writeSync } from "node:fs";

/** Writes a file until there is no space left. */
export function fillDisk(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let size = 2 ** 20; size >= 1024; size /= 2) writeUntilFull(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
