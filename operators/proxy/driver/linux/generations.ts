import { mkdir, readdir, readFile, readlink, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ProxyDriverError, type Generation } from "../driver.js";
import {
  createFolder,
  ifExists,
  isUnfinished,
  moveLink,
  onDisk,
  syncFolder,
  unfinishedName,
  writeDurably,
} from "./durable-files.js";
import { failpoint } from "./failpoint.js";
import { editedFiles, generationName, manifestName, manifestOf, readManifest, sha256 } from "./manifest.js";

/** Number of generations that are kept besides the active and the good one. */
const keptGenerations = 5;
/** Number of files that are written at the same time. */
const concurrentWrites = 8;

type LinkName = "active" | "good";

/**
 * Configurations on the disk:
 *
 *     generations/N/nginx.conf, …      files of generation N; never changed once the folder has this name
 *     generations/N/generation.conf    its number, for nginx
 *     generations/N/manifest.json      digest, and hash of each file
 *     active, good                     links to `generations/N`
 *
 * Folders and links appear by one rename, so that whatever can be seen is complete.
 */
export class Generations {
  readonly root: string;
  readonly #folder: string;
  readonly #generationFile: (generation: number) => string;
  /** Folders that are being written, which must not be cleaned up. */
  readonly #unfinished = new Set<string>();

  constructor(root: string, generationFile: (generation: number) => string) {
    this.root = root;
    this.#folder = join(root, "generations");
    this.#generationFile = generationFile;
  }

  path(generation: number): string {
    return join(this.#folder, `${generation}`);
  }

  /** Creates the folders, and deletes what a killed process left unfinished. */
  async prepare(): Promise<void> {
    await createFolder(this.#folder);
    for (const folder of [this.root, this.#folder])
      for (const name of await readdir(folder))
        if (isUnfinished(name) && !this.#unfinished.has(name))
          await rm(join(folder, name), { recursive: true, force: true });
  }

  /** Writes a generation. Its number is above all others on the disk, and above `served`. */
  async stage(files: ReadonlyMap<string, string>, digest: string, served: number): Promise<number> {
    const number = Math.max(await this.newest(), served) + 1;
    const all = new Map(files).set(generationName, this.#generationFile(number));
    for (const path of files.keys()) checkPath(path);
    const name = unfinishedName();
    const folder = join(this.#folder, name);
    this.#unfinished.add(name);
    try {
      await onDisk(`Configuration ${number} could not be written`, async () => {
        await createFolder(this.#folder);
        await writeAll(folder, all);
        const manifest = JSON.stringify(manifestOf(all, digest));
        await writeDurably(join(folder, manifestName), manifest, 0o600);
        await syncFolder(folder);
        failpoint("files-written");
        await rename(folder, this.path(number));
        failpoint("files-renamed");
        await syncFolder(this.#folder);
      });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    } finally {
      this.#unfinished.delete(name);
    }
    return number;
  }

  /** Highest number on the disk, also that of a link whose folder was deleted. */
  async newest(): Promise<number> {
    const numbers = await this.#numbers();
    return Math.max(0, ...numbers, (await this.linked("active")) ?? 0, (await this.linked("good")) ?? 0);
  }

  /** Number that a link names, whether its folder exists or not. */
  async linked(link: LinkName): Promise<number | undefined> {
    const target = await readLinkIfPossible(join(this.root, link));
    const [, number] = /^generations\/(\d+)$/.exec(target ?? "") ?? [];
    return number === undefined ? undefined : Number(number);
  }

  /** Generation behind a link; undefined if there is none. */
  async find(link: LinkName): Promise<Generation | undefined> {
    const number = await this.linked(link);
    if (number === undefined || !(await this.#exists(number))) return undefined;
    const manifest = await readManifest(this.path(number));
    return { number, digest: manifest?.digest ?? "" };
  }

  async link(link: LinkName, generation: number): Promise<void> {
    await onDisk(`Configuration ${generation} could not be made the ${link} one`, async () => {
      await this.require(generation);
      await moveLink(join(this.root, link), `generations/${generation}`);
    });
  }

  /** Throws an error if a generation does not exist. */
  async require(generation: number): Promise<void> {
    if (await this.#exists(generation)) return;
    throw new ProxyDriverError(
      "Unreadable",
      `Configuration ${generation} is not in ${this.#folder}: it was deleted; stage it again`,
    );
  }

  /** Files that were changed after they had been staged. */
  async edited(generation: number): Promise<string[]> {
    const folder = this.path(generation);
    return editedFiles(folder, await readManifest(folder));
  }

  async read(generation: number): Promise<ReadonlyMap<string, string> | undefined> {
    if (!(await this.#exists(generation))) return undefined;
    const manifest = await readManifest(this.path(generation));
    if (manifest === undefined) throw editedError(generation, manifestName);
    const files = new Map<string, string>();
    for (const [path, hash] of Object.entries(manifest.files)) {
      const content = await ifExists(readFile(join(this.path(generation), path), "utf8"));
      if (content === undefined || sha256(content) !== hash) throw editedError(generation, path);
      if (path !== generationName) files.set(path, content);
    }
    return files;
  }

  async prune(): Promise<void> {
    const numbers = (await this.#numbers()).toSorted((one, other) => other - one);
    const kept = new Set(numbers.slice(0, keptGenerations));
    for (const link of ["active", "good"] as const) kept.add((await this.linked(link)) ?? 0);
    for (const number of numbers.filter((each) => !kept.has(each))) {
      // Renamed first, so that a folder with a number is always complete.
      const unfinished = join(this.#folder, unfinishedName());
      await onDisk(`Configuration ${number} could not be deleted`, async () => {
        await rename(this.path(number), unfinished);
        failpoint("pruned-renamed");
        await rm(unfinished, { recursive: true, force: true });
      });
    }
  }

  async #numbers(): Promise<number[]> {
    const names = (await ifExists(readdir(this.#folder))) ?? [];
    return names.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number);
  }

  async #exists(generation: number): Promise<boolean> {
    return (await this.#numbers()).includes(generation);
  }
}

async function readLinkIfPossible(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined; // Missing, or replaced by something that is not a link.
  }
}

/** Writes files and their folders, durably. */
async function writeAll(root: string, files: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(root, { mode: 0o700 });
  const folders = new Set<string>();
  for (const path of files.keys())
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) folders.add(folder);
  for (const folder of folders) await createFolder(join(root, folder));
  const left = [...files];
  const writer = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [path, content] = next;
      // Keys of certificates are for the master process only, and nobody else needs the other files.
      await writeDurably(join(root, path), content, path.endsWith(".key") ? 0o600 : 0o640);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: concurrentWrites }, writer));
  for (const result of results) if (result.status === "rejected") throw result.reason;
  for (const folder of folders) await syncFolder(join(root, folder));
}

function checkPath(path: string): void {
  const parts = path.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\0"));
  if (!isPlain || path === manifestName || path === generationName)
    throw new TypeError(`A configuration cannot have a file ${JSON.stringify(path)}: use another path`);
}

function editedError(generation: number, path: string): ProxyDriverError {
  return new ProxyDriverError(
    "Unreadable",
    `${path} of configuration ${generation} was changed or deleted by somebody; stage the configuration again`,
  );
}
