import { watch, type FSWatcher } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timer } from "fettle/model";

/** Milliseconds between two looks at the process, which can end without any trace on the disk. */
const pollInterval = 1000;
/** Milliseconds for which events of the file system are collected. */
const debounce = 50;

/** State of nginx and its files that others can change. */
export interface Observation {
  readonly pid: number | undefined;
  /** Number that the link to the active generation names. */
  readonly active: number | undefined;
  readonly edited: readonly string[];
}

export interface ChangesOptions {
  /** Folder with the link to the active generation. */
  readonly root: string;
  readonly clock: Clock;
  readonly pathOf: (generation: number) => string;
  readonly pid: () => Promise<number | undefined>;
  readonly active: () => Promise<number | undefined>;
  readonly edited: (active: number | undefined) => Promise<readonly string[]>;
  readonly failed: (error: unknown) => void;
}

/**
 * Tells listeners what others have changed. Events of the file system only cause a look: the result is compared with the last one, and
 * with what this driver has done itself (`activate()`), so that its own steps are not reported.
 */
export class Changes {
  readonly #options: ChangesOptions;
  readonly #listeners = new Set<(change: string) => void>();
  #watchers: FSWatcher[] = [];
  #watched: number | undefined;
  #last: Observation | undefined;
  #timer: Timer | undefined;
  #isLooking = false;
  /** True if files may have changed since they were read. */
  #areFilesDirty = false;
  /** Steps of this driver that are under way. */
  #ownSteps = 0;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  subscribe(listener: (change: string) => void): Disposable {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#areFilesDirty = true;
      this.#schedule(0);
    }
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.close();
      },
    };
  }

  /** Records what was seen by others, if nothing is known yet: listeners learn what changes after it. */
  observe(observation: Observation): void {
    this.#last ??= observation;
  }

  /** Performs a step of this driver that makes a generation the active one. */
  async activate(generation: number, step: () => Promise<void>): Promise<void> {
    this.#ownSteps++;
    try {
      await step();
      if (this.#last !== undefined) this.#last = { pid: this.#last.pid, active: generation, edited: [] };
    } finally {
      this.#ownSteps--;
      this.#markDirty();
    }
  }

  close(): void {
    this.#listeners.clear();
    this.#timer?.cancel();
    this.#unwatch();
    this.#last = undefined;
  }

  #schedule(milliseconds: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(milliseconds, () => void this.#look());
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#listeners.size === 0) return;
    this.#isLooking = true;
    const wasDirty = this.#areFilesDirty;
    try {
      if (this.#ownSteps === 0) await this.#compare();
    } catch (error) {
      this.#areFilesDirty ||= wasDirty;
      this.#options.failed(error);
    } finally {
      this.#isLooking = false;
      if (this.#listeners.size > 0) this.#schedule(this.#areFilesDirty ? debounce : pollInterval);
    }
  }

  async #compare(): Promise<void> {
    const before = this.#last;
    const { active, edited, pid } = this.#options;
    const isDirty = this.#areFilesDirty || before === undefined;
    this.#areFilesDirty = false;
    // Watched before they are read, so that no change is missed in between.
    if (isDirty) await this.#watch(await active());
    const number = isDirty ? await active() : before.active;
    const now = { active: number, edited: isDirty ? await edited(number) : before.edited, pid: await pid() };
    // A step of our own began meanwhile: what was read may be a mixture.
    if (this.#ownSteps > 0 || this.#last !== before) {
      this.#areFilesDirty ||= isDirty;
      return;
    }
    this.#last = now;
    if (before === undefined) return;
    for (const change of differences(before, now)) for (const listener of this.#listeners) listener(change);
  }

  /** Watches the folders of a generation, and the one with the links. */
  async #watch(active: number | undefined): Promise<void> {
    if (active !== undefined && this.#watched === active && this.#watchers.length > 0) return;
    this.#unwatch();
    const { root, pathOf } = this.#options;
    const folders = active === undefined ? [] : await foldersIn(pathOf(active));
    if (this.#listeners.size === 0) return;
    this.#watched = active;
    for (const folder of [root, join(root, "generations"), ...folders]) this.#add(folder);
  }

  #markDirty(): void {
    this.#areFilesDirty = true;
    if (!this.#isLooking && this.#listeners.size > 0) this.#schedule(debounce);
  }

  #add(folder: string): void {
    const dirty = (): void => this.#markDirty();
    try {
      const watcher = watch(folder, { persistent: false }, dirty);
      watcher.on("error", dirty);
      this.#watchers.push(watcher);
    } catch (error) {
      // Missing, or no more watches permitted: then only the controller's own interval finds edited files.
      this.#options.failed(error);
    }
  }

  #unwatch(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
    this.#watched = undefined;
  }
}

async function foldersIn(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true, recursive: true });
    const folders = entries.filter((entry) => entry.isDirectory());
    return [root, ...folders.map(({ path, name }) => join(path, name))];
  } catch {
    return []; // The folder was deleted: the one above is watched, too.
  }
}

function differences(before: Observation, now: Observation): string[] {
  const changes: string[] = [];
  if (now.pid === undefined && before.pid !== undefined) changes.push("nginx ended");
  else if (now.pid !== before.pid) changes.push(`nginx was started (process ${now.pid ?? 0})`);
  if (now.active !== before.active)
    changes.push(
      now.active === undefined
        ? "the active configuration was deleted"
        : `configuration ${now.active} was made the active one by somebody else`,
    );
  else if (now.edited.join("\n") !== before.edited.join("\n") && now.edited.length > 0)
    changes.push(`files of the configuration were changed: ${now.edited.join(", ")}`);
  return changes;
}
