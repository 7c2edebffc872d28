import { link, lstat, readdir, readlink, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ProxyDriverError } from "../driver.js";
import { errorCode, ifExists, isUnfinished, moveLink, onDisk, syncFolder } from "./durable-files.js";
import { failpoint } from "./failpoint.js";
import { manifestName } from "./manifest.js";

/**
 * Configuration file of an nginx that others start. It becomes a link to the active configuration; the original is kept beside it as
 * `FILE.before-fettle`. nginx looks for files with a relative path beside the link, not beside its target: therefore each entry of
 * the active configuration has a link in the same folder.
 */
export class ExistingConfig {
  readonly #file: string;
  readonly #backup: string;
  readonly #active: string;

  /** @param active link to the active configuration. */
  constructor(file: string, active: string) {
    this.#file = file;
    this.#backup = `${file}.before-fettle`;
    this.#active = active;
  }

  /** Deletes what a killed process left unfinished. */
  async prepare(): Promise<void> {
    const folder = dirname(this.#file);
    for (const name of (await ifExists(readdir(folder))) ?? [])
      if (isUnfinished(name)) await rm(join(folder, name), { force: true });
  }

  /** Links the entries of a configuration that will become active. */
  async linkEntries(generation: string): Promise<void> {
    await onDisk(`${dirname(this.#file)} could not be changed`, async () => {
      for (const name of await readdir(generation)) {
        const path = this.#entryPath(name);
        if (path === undefined || (await linkTarget(path)) === join(this.#active, name)) continue;
        if ((await ifExists(lstat(path))) !== undefined && !(await isDangling(path)))
          throw new ProxyDriverError(
            "NotPermitted",
            `${path} exists, and nginx has to find a file of the proxy there: move it away`,
          );
        await moveLink(path, join(this.#active, name));
      }
    });
  }

  /** Puts the link in place of the file. */
  async takeOver(): Promise<void> {
    const target = join(this.#active, "nginx.conf");
    await onDisk(`${this.#file} could not be replaced`, async () => {
      const before = await linkTarget(this.#file);
      if (before === target) return;
      const isOfAnother = before?.endsWith("/active/nginx.conf") === true;
      if (isOfAnother && !(await isDangling(this.#file)))
        throw new ProxyDriverError(
          "NotPermitted",
          `${this.#file} belongs to another ProxyClass (it is a link to ${before}): give each class its own nginx`,
        );
      if (!isOfAnother) await this.#keepOriginal();
      failpoint("original-kept");
      await moveLink(this.#file, target);
    });
  }

  /** Path of the file if it is not the link that it should be. */
  async edited(): Promise<string[]> {
    const isLinked = (await linkTarget(this.#file)) === join(this.#active, "nginx.conf");
    return isLinked ? [] : [this.#file];
  }

  /** Removes all links and puts the original file back. */
  async restore(): Promise<void> {
    await onDisk(`${this.#file} could not be restored`, async () => {
      const folder = dirname(this.#file);
      const original = await ifExists(lstat(this.#backup));
      const present = await ifExists(lstat(this.#file));
      const isLinked = (await linkTarget(this.#file)) === join(this.#active, "nginx.conf");
      if (original !== undefined && (isLinked || present === undefined))
        await rename(this.#backup, this.#file);
      else if (original !== undefined && original.ino === present?.ino)
        // Kept, but not yet replaced. A rename between two names of one file does nothing.
        await rm(this.#backup);
      else if (isLinked) await rm(this.#file);
      for (const name of (await ifExists(readdir(folder))) ?? []) {
        const path = join(folder, name);
        if ((await linkTarget(path)) === join(this.#active, name)) await rm(path, { force: true });
      }
      if ((await ifExists(stat(folder))) !== undefined) await syncFolder(folder);
    });
  }

  #entryPath(name: string): string | undefined {
    const isOwn = name === "nginx.conf" || name === manifestName;
    return isOwn ? undefined : join(dirname(this.#file), name);
  }

  async #keepOriginal(): Promise<void> {
    try {
      await link(this.#file, this.#backup);
    } catch (error) {
      // The first original counts, and there need not be one.
      if (errorCode(error) !== "EEXIST" && errorCode(error) !== "ENOENT") throw error;
    }
  }
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined;
  }
}

/** True for a link to something that does not exist. */
async function isDangling(path: string): Promise<boolean> {
  return (await linkTarget(path)) !== undefined && (await ifExists(stat(path))) === undefined;
}
