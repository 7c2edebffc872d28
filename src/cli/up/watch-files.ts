import { watch, type FSWatcher } from "node:fs";
import { basename, dirname, join } from "node:path";

const source = /\.([cm]?[jt]sx?|json|ya?ml)$/;

/** Milliseconds without further changes before a change is reported: editors write in several steps. */
const settling = 150;

/**
 * Reports changes of files, and files that are created or removed beside them, with the path of the first one. Folders
 * are watched rather than files: many editors replace a file instead of writing to it.
 */
export class FileWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed: (path: string) => void;
  #first: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(changed: (path: string) => void) {
    this.#changed = changed;
  }

  /** Watches these files instead of the previous ones. */
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
    // The folder was deleted.
    watcher.on("error", () => {
      watcher.close();
      this.#watchers.delete(folder);
    });
    this.#watchers.set(folder, watcher);
  }
}
