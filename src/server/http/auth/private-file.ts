import { randomUUID } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Creates a folder that only its owner can read. */
export async function createPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

/**
 * Writes a file atomically that only its owner can read. A file that has the content already is kept, so that a server
 * can start again while the disk is full.
 */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  if ((await readIfExists(path)) === content) {
    await chmod(path, 0o600);
    return;
  }
  await withTemporary(path, content, (temporary) => rename(temporary, path));
}

/** Like {@link writePrivateFile}, but returns false if the file exists. */
export async function createPrivateFile(path: string, content: string): Promise<boolean> {
  if ((await readIfExists(path)) !== undefined) return false;
  let created = true;
  await withTemporary(path, content, async (temporary) => {
    try {
      await link(temporary, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      created = false;
    }
    await rm(temporary, { force: true });
  });
  return created;
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function withTemporary(
  path: string,
  content: string,
  moveIntoPlace: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await moveIntoPlace(temporary);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Syncs a folder, except on systems that do not support it. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EISDIR", "EPERM", "EINVAL", "EACCES"].includes(code)) throw error;
  }
}
