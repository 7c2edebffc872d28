import { mkdir, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { unusable } from "../../store/sqlite/folder.js";

/**
 * Creates a data folder if it does not exist. The returned function removes it with its content and the parent folders that
 * were created for it; it leaves a folder alone that existed before.
 */
export async function makeFolder(path: string): Promise<() => Promise<void>> {
  const highest = await mkdir(dirname(path), { recursive: true }).catch((error: unknown) => {
    throw unusable(path, error);
  });
  try {
    // Of several processes that start at once, only the one that created the folder may remove it.
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unusable(path, error);
    return async () => {};
  }
  return async () => {
    await rm(path, { recursive: true, force: true });
    if (highest === undefined) return;
    for (let parent = dirname(path); parent.startsWith(highest); parent = dirname(parent)) {
      try {
        await rmdir(parent);
      } catch {
        // Not empty.
        return;
      }
    }
  };
}
