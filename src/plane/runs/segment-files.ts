import { mkdir, open, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";

/** A file with runs, one JSON line each, in the order in which they ended. */
export interface Segment {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** File operations on a folder of segments; tests replace them to inject faults. */
export interface SegmentFiles {
  list(): Promise<readonly Segment[]>;
  /** Creates the file if there is none. Resolves when the data is on disk. */
  append(name: string, data: Uint8Array): Promise<void>;
  /** Bytes of a file in the range `[start, end)`; fewer when the file is shorter. */
  read(name: string, start: number, end: number): Promise<Buffer>;
  remove(name: string): Promise<void>;
}

/** Only the owner may read the files: runs show what was written to objects. */
export function segmentFiles(folder: string): SegmentFiles {
  return {
    async list() {
      const names = await readdir(folder).catch(nothingIfMissing);
      const segments = await Promise.all(
        (names ?? []).map(async (name) => {
          const found = await stat(join(folder, name)).catch(nothingIfMissing);
          return found?.isFile() === true ? { name, size: found.size } : undefined;
        }),
      );
      return segments.filter((segment) => segment !== undefined);
    },
    async append(name, data) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await using file = await open(join(folder, name), "a", 0o600);
      await file.appendFile(data);
      // Without it, a power failure loses what the system has not written yet: up to half a minute.
      await file.datasync();
    },
    async read(name, start, end) {
      await using file = await open(join(folder, name));
      const buffer = Buffer.allocUnsafe(end - start);
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    },
    async remove(name) {
      await unlink(join(folder, name)).catch(nothingIfMissing);
    },
  };
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function nothingIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
