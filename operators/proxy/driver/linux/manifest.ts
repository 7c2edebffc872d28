import { createHash } from "node:crypto";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ifExists } from "./durable-files.js";

/** Name of the manifest in the folder of a generation. */
export const manifestName = "manifest.json";
/** Name of the file with the number of the generation, which the driver adds to the rendered ones. */
export const generationName = "generation.conf";

const manifestFormat = z.object({
  /** Digest that the generation was staged with. */
  digest: z.string(),
  /** SHA-256 by path of each file, `generation.conf` included. */
  files: z.record(z.string(), z.string()),
});

export type Manifest = z.infer<typeof manifestFormat>;

export function manifestOf(files: ReadonlyMap<string, string>, digest: string): Manifest {
  return {
    digest,
    files: Object.fromEntries([...files].map(([path, content]) => [path, sha256(content)])),
  };
}

/** Manifest of a generation; undefined if it is missing or malformed. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await ifExists(readFile(join(folder, manifestName), "utf8"));
  if (text === undefined) return undefined;
  try {
    return manifestFormat.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Paths of files that differ from the manifest, are missing or are new, in order. */
export async function editedFiles(folder: string, manifest: Manifest | undefined): Promise<string[]> {
  if (manifest === undefined) return [manifestName];
  const missing = new Set(Object.keys(manifest.files));
  const edited: string[] = [];
  for await (const path of regularPaths(folder)) {
    if (path === manifestName) continue;
    missing.delete(path);
    if ((await hashOf(join(folder, path))) !== manifest.files[path]) edited.push(path);
  }
  return [...edited, ...missing].toSorted();
}

/** Paths of everything in a folder that is not a folder itself. */
async function* regularPaths(folder: string, below = ""): AsyncGenerator<string> {
  const entries = (await ifExists(readdir(join(folder, below), { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* regularPaths(folder, path);
    else yield path;
  }
}

/** Hash of a file; undefined if it is gone, or is a link or device that somebody has put there. */
async function hashOf(path: string): Promise<string | undefined> {
  const stats = await ifExists(lstat(path));
  if (stats?.isFile() !== true) return undefined;
  const content = await ifExists(readFile(path));
  return content === undefined ? undefined : sha256(content);
}

export function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
