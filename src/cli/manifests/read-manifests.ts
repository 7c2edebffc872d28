import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UsageError, type CommandOption, type Terminal } from "../command/command.js";
import type { PlacedManifest } from "./placed-manifests.js";

/** Manifest with its source. */
export interface FoundManifest extends PlacedManifest {
  /** Path as given, URL, or `stdin`. */
  readonly source: string;
}

export const fileOptions: readonly CommandOption[] = [
  {
    flags: "-f, --filename <file>",
    summary: "file, folder, URL, or - for standard input; repeatable",
    repeated: true,
  },
  { flags: "-R, --recursive", summary: "include subfolders" },
];

const extensions = [".yaml", ".yml", ".json"];

/**
 * Reads all manifests of files, folders, URLs and standard input, before any of them is applied.
 *
 * @throws with file, line and column when something cannot be read.
 */
export async function readManifests(
  files: readonly string[],
  { recursive, terminal }: { readonly recursive: boolean; readonly terminal: Terminal },
): Promise<readonly FoundManifest[]> {
  if (files.length === 0) {
    throw new UsageError("missing manifests: -f FILE, -f FOLDER, -f URL, or -f - for standard input");
  }
  const { placedManifests } = await import("./placed-manifests.js");
  const found: FoundManifest[] = [];
  for (const file of files) {
    for (const { source, text } of await textsOf(file, recursive, terminal)) {
      for (const placed of placedManifests(text, source)) found.push({ ...placed, source });
    }
  }
  if (found.length === 0) throw new Error(`no manifests in ${files.join(", ")}`);
  return found;
}

interface SourceText {
  readonly source: string;
  readonly text: string;
}

async function textsOf(file: string, recursive: boolean, terminal: Terminal): Promise<readonly SourceText[]> {
  if (file === "-") return [{ source: "stdin", text: await readAll(terminal.stdin) }];
  if (/^https?:\/\//.test(file)) return [{ source: file, text: await download(file, terminal.signal) }];
  if (/\.[cm]?[jt]s$/.test(file)) {
    throw new UsageError(`${file} is a module, not a manifest; run it with: fettle up ${file}`);
  }
  const path = resolve(terminal.cwd, file);
  try {
    if (!(await stat(path)).isDirectory()) return [{ source: file, text: await readFile(path, "utf8") }];
    const names = await manifestFiles(path, recursive);
    if (names.length === 0) {
      const hint = recursive ? "" : " (include subfolders with -R)";
      throw new Error(`no .yaml, .yml or .json files in ${file}${hint}`);
    }
    return await Promise.all(
      names.map(async (name) => ({
        source: join(file, name),
        text: await readFile(join(path, name), "utf8"),
      })),
    );
  } catch (error) {
    throw readError(file, error);
  }
}

/** Sorted, so that the order does not depend on the file system. */
async function manifestFiles(folder: string, recursive: boolean): Promise<readonly string[]> {
  const names: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      if (!recursive) continue;
      const inner = await manifestFiles(join(folder, entry.name), recursive);
      names.push(...inner.map((name) => join(entry.name, name)));
    } else if (extensions.some((extension) => entry.name.endsWith(extension))) names.push(entry.name);
  }
  return names.sort();
}

async function download(url: string, signal: AbortSignal): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${url} cannot be read`, { cause: error });
  }
  if (!response.ok) throw new Error(`${url} cannot be read: HTTP ${response.status} ${response.statusText}`);
  return response.text();
}

async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
};

function readError(file: string, error: unknown): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  const reason = reasons[code];
  return reason === undefined ? error : new Error(`${file}: ${reason}`);
}
