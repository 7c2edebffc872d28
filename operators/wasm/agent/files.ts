import {
  appendFileSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Files of an agent, by paths with slashes. Missing files are empty lists, sizes of 0, and undefined. */
export interface Files {
  read(path: string): Uint8Array | undefined;
  /** Replaces a file: after a crash, it has the old content or the new one. */
  write(path: string, bytes: Uint8Array): void;
  append(path: string, bytes: Uint8Array): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  size(path: string): number;
  /** Names of the files in a folder. */
  list(folder: string): readonly string[];
}

/** Files in a folder on the disk, which only this user can read. */
export function diskFiles(folder: string): Files {
  const at = (path: string): string => join(folder, path);
  const prepare = (path: string): string => {
    mkdirSync(dirname(at(path)), { recursive: true, mode: 0o700 });
    return at(path);
  };
  return {
    read: (path) => unlessMissing(() => readFileSync(at(path)), undefined),
    write(path, bytes) {
      const target = prepare(path);
      const file = openSync(`${target}.new`, "w", 0o600);
      try {
        for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(`${target}.new`, target);
    },
    append: (path, bytes) => appendFileSync(prepare(path), bytes, { mode: 0o600 }),
    rename: (from, to) => renameSync(at(from), prepare(to)),
    remove: (path) => rmSync(at(path), { force: true }),
    size: (path) => unlessMissing(() => statSync(at(path)).size, 0),
    list: (path) =>
      unlessMissing(
        () => readdirSync(at(path)).filter((name) => !name.endsWith(".new")),
        [] as readonly string[],
      ),
  };
}

/** Files in memory, for simulations. */
export function memoryFiles(): Files {
  const files = new Map<string, Uint8Array>();
  const read = (path: string): Uint8Array => files.get(path) ?? new Uint8Array();
  return {
    read: (path) => files.get(path),
    write: (path, bytes) => void files.set(path, Uint8Array.from(bytes)),
    append: (path, bytes) => void files.set(path, Buffer.concat([read(path), bytes])),
    rename(from, to) {
      files.set(to, read(from));
      files.delete(from);
    },
    remove: (path) => void files.delete(path),
    size: (path) => read(path).length,
    list: (folder) =>
      [...files.keys()]
        .filter((path) => dirname(path) === folder)
        .map((path) => path.slice(folder.length + 1)),
  };
}

function unlessMissing<Value>(read: () => Value, missing: Value): Value {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return missing;
    throw error;
  }
}
