import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UsageError, type CommandOption, type Terminal } from "../command.js";
import type { PlacedManifest } from "./placed-manifests.js";

/** A manifest and where it was found. */
export interface FoundManifest extends PlacedManifest {
  /** A path as it was given, a URL, or `stdin`. */
  readonly source: string;
}

export const fileOptions: readonly CommandOption[] = [
  {
    flags: "-f, --filename <file>",
    summary: "a file, a folder, a URL, or - for standard input; can be given several times",
    repeated: true,
  },
  { flags: "-R, --recursive", summary: "also what is in folders inside the folder" },
];

const extensions = [".yaml", ".yml", ".json"];

/**
 * All manifests in files, folders, at URLs and on standard input, read before anything is done with one of them.
 *
 * @throws what says the file, line and column, when something cannot be read.
 */
export async function readManifests(
  files: readonly string[],
  { recursive, terminal }: { readonly recursive: boolean; readonly terminal: Terminal },
): Promise<readonly FoundManifest[]> {
  if (files.length === 0) {
    throw new UsageError("say which manifests: -f FILE, -f FOLDER, -f URL, or -f - for standard input");
  }
  const { placedManifests } = await import("./placed-manifests.js");
  const found: FoundManifest[] = [];
  for (const file of files) {
    for (const { source, text } of await textsOf(file, recursive, terminal)) {
      for (const placed of placedManifests(text, source)) found.push({ ...placed, source });
    }
  }
  if (found.length === 0) throw new Error(`there are no manifests in ${files.join(", ")}`);
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
    throw new UsageError(`${file} is a module and no manifest: fettle up ${file} starts what it exports`);
  }
  const path = resolve(terminal.cwd, file);
  try {
    if (!(await stat(path)).isDirectory()) return [{ source: file, text: await readFile(path, "utf8") }];
    const names = await manifestFiles(path, recursive);
    if (names.length === 0) {
      const hint = recursive ? "" : " (-R looks into folders inside it)";
      throw new Error(`there is no .yaml, .yml or .json file in ${file}${hint}`);
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

/** Sorted, so that what is applied first does not depend on the disk. */
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
  let answer: Response;
  try {
    answer = await fetch(url, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${url} cannot be read`, { cause: error });
  }
  if (!answer.ok)
    throw new Error(`${url} cannot be read: the server answered ${answer.status} ${answer.statusText}`);
  return answer.text();
}

async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "reading it is not allowed",
  EPERM: "reading it is not allowed",
};

function readError(file: string, error: unknown): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  const reason = reasons[code];
  return reason === undefined ? error : new Error(`${file}: ${reason}`);
}
