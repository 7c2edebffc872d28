import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Duration, KubeObject } from "../../model/core.js";
import { poll, type Poller, type PollOptions } from "./poll.js";

/** A file of the directory. */
export interface SourceFile {
  /** Name in the directory. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
  /** Modification time in milliseconds since 1970. */
  readonly modified: number;
}

export interface DirectoryOptions<T extends KubeObject> extends Partial<
  Omit<PollOptions<T>, "list" | "toObject" | "version" | "interval">
> {
  /**
   * Parses a file into one, several or no objects. If it throws, the error is reported, and the objects of the file stay
   * unchanged until it is written again.
   */
  readonly parse: (text: string, file: SourceFile) => Parsed<T> | Promise<Parsed<T>>;
  /** Filter by file name. Default: files whose name does not start with a dot. */
  readonly match?: ((name: string) => boolean) | undefined;
  /** Default: 2s. */
  readonly interval?: Duration | undefined;
}

type Parsed<T> = T | readonly T[] | undefined;

interface KnownFile<T> {
  readonly version: string;
  readonly objects: readonly T[];
}

/** Number of files read concurrently. */
const batch = 32;

/**
 * Source of the files of a directory. Every poll checks the size and time of all files and reads the changed ones.
 * Subdirectories are ignored. If two files have an object of the same name, the last file by name wins.
 *
 * @example
 * await using sites = directorySource<SiteObject>("sites", {
 *   match: (name) => name.endsWith(".yaml"),
 *   parse: (text) => YAML.parse(text),
 * });
 * await sites.ready();
 */
export function directorySource<T extends KubeObject>(path: string, options: DirectoryOptions<T>): Poller<T> {
  const { parse, match = (name: string) => !name.startsWith("."), onError, ...rest } = options;
  let lastFiles = new Map<string, KnownFile<T>>();

  const look = async (name: string, signal: AbortSignal): Promise<KnownFile<T> | undefined> => {
    const file = await statFile(join(path, name), name);
    if (file === undefined) return undefined;
    const before = lastFiles.get(name);
    if (before?.version === file.version) return before;
    // Read after the version was determined: a write in between is noticed by the next poll.
    let text: string;
    try {
      text = await readFile(file.path, { encoding: "utf8", signal });
    } catch (error) {
      if (isMissing(error)) return undefined;
      signal.throwIfAborted();
      onError?.(new Error(`${file.path} cannot be read`, { cause: error }));
      // No version, so that the next poll retries.
      return { version: "", objects: before?.objects ?? [] };
    }
    try {
      return { version: file.version, objects: asObjects(await parse(text, file)) };
    } catch (error) {
      onError?.(new Error(`${file.path} cannot be converted to objects`, { cause: error }));
      return { version: file.version, objects: before?.objects ?? [] };
    }
  };

  return poll<T>({
    ...rest,
    name: options.name ?? path,
    interval: options.interval ?? "2s",
    onError,
    async list(signal) {
      const names = (await readdir(path)).filter((name) => match(name)).sort();
      const found = new Map<string, KnownFile<T>>();
      for (let at = 0; at < names.length; at += batch) {
        signal.throwIfAborted();
        const some = names.slice(at, at + batch);
        const files = await Promise.all(some.map((name) => look(name, signal)));
        for (const [index, name] of some.entries()) {
          const file = files[index];
          if (file !== undefined) found.set(name, file);
        }
      }
      lastFiles = found;
      return [...found.values()].flatMap((file) => file.objects);
    },
  });
}

async function statFile(
  path: string,
  name: string,
): Promise<(SourceFile & { readonly version: string }) | undefined> {
  try {
    const entry = await stat(path, { bigint: true });
    if (!entry.isFile()) return undefined;
    const { mtimeNs, mtimeMs, size, ino } = entry;
    // With the inode, since a file may be replaced by an older one.
    return {
      name,
      path,
      size: Number(size),
      modified: Number(mtimeMs),
      version: `${mtimeNs} ${size} ${ino}`,
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function asObjects<T extends KubeObject>(parsed: Parsed<T>): readonly T[] {
  if (parsed === undefined || parsed === null) return [];
  return Array.isArray(parsed) ? (parsed as readonly T[]).map(withoutVersion) : [withoutVersion(parsed as T)];
}

/**
 * Removes the resourceVersion of a manifest that was saved from a server: it would hide edits of the file.
 */
function withoutVersion<T extends KubeObject>(object: T): T {
  if (!object?.metadata?.name) throw new TypeError("it has an object without metadata.name");
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
