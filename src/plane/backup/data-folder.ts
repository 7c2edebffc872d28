import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Folder of the store of a data folder; the folder of a store by itself is one, too. */
export function storeFolder(data: string): string {
  const folder = resolve(data);
  const names = ["store.db", "store.mark"];
  return names.some((name) => existsSync(join(folder, name))) ? folder : join(folder, "store");
}
