import { mkdir, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a data folder if there is none. What is returned takes it away again, with all that is in it, and with the folders
 * above it that had to be made; it does nothing to a folder that was there before.
 */
export async function makeFolder(path: string): Promise<() => Promise<void>> {
  const highest = await mkdir(dirname(path), { recursive: true });
  try {
    // Of several who start at the same time only one makes it, and only that one may take it away.
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return async () => {};
  }
  return async () => {
    await rm(path, { recursive: true, force: true });
    if (highest === undefined) return;
    for (let above = dirname(path); above.startsWith(highest); above = dirname(above)) {
      try {
        await rmdir(above);
      } catch {
        // Somebody else has put something there.
        return;
      }
    }
  };
}
