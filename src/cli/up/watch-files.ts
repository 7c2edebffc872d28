import { watch, type FSWatcher } from "node:fs";
import { basename, dirname, join } from "node:path";

const source = /\.([cm]?[jt]sx?|json|ya?ml)$/;

/** How long it stays quiet before a change is told: editors write in several steps. */
const settling = 150;

/**
 * Tells of changes of files, and of files that come and go beside them, with the path of the first one. Folders are watched
 * rather than files: many editors replace a file instead of writing to it.
 */
export class FileWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed: (path: string) => void;
  #first: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(changed: (path: string) => void) {
    this.#changed = changed;
  }

  /** From now on these files, and no others. */
  follow(files: readonly string[]): void {
    const folders = new Set(files.map((file) => dirname(file)));
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string): void {
    const watcher = watch(folder, (_, name) => {
      if (name === null || !source.test(name) || basename(name).startsWith(".")) return;
      this.#first ??= join(folder, name);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        const path = this.#first ?? folder;
        this.#first = undefined;
        this.#changed(path);
      }, settling);
    });
    // A folder that is gone has nothing to tell any more.
    watcher.on("error", () => {
      watcher.close();
      this.#watchers.delete(folder);
    });
    this.#watchers.set(folder, watcher);
  }
}
