import { randomUUID } from "node:crypto";
import { chmod, link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** A folder that nobody else may look into. */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

/** Writes a file that nobody else may read, whole or not at all. */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  await withTemporary(path, content, (temporary) => rename(temporary, path));
}

/** The same, unless there is one already: false when somebody else came first. */
export async function createPrivateFile(path: string, content: string): Promise<boolean> {
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

async function withTemporary(
  path: string,
  content: string,
  place: (temporary: string) => Promise<void>,
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
    await place(temporary);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Some systems cannot sync a folder, and need not. */
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
