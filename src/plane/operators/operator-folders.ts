import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockDirectory } from "../../store/sqlite/directory.js";
import { ensureFolder } from "../../store/sqlite/folder.js";

/** Folder of the lock files. No operator can have this name. */
const locks = ".locks";

/** Folders of operators in a data folder, or in a temporary one. Both are created when they are needed. */
export class OperatorFolders {
  readonly #data: string | undefined;
  #temporary: string | undefined;

  /** @param data Default: a temporary folder, until `remove` is called. */
  constructor(data: string | undefined) {
    this.#data = data;
  }

  /**
   * Creates and locks the folder of an operator. The lock ends with the process, however that ends.
   *
   * @throws {StoreUnusable} @throws {StoreInUse}
   */
  open(operator: string): { readonly path: string; release(): void } {
    const operators = join(this.#data ?? this.#temporaryFolder(), "operators");
    const path = join(operators, operator);
    ensureFolder(operators);
    const lock = lockDirectory(path, join(operators, locks, operator));
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      lock.release();
      throw error;
    }
    return { path, release: () => lock.release() };
  }

  /** Removes the temporary folder. */
  async remove(): Promise<void> {
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
  }

  #temporaryFolder(): string {
    this.#temporary ??= mkdtempSync(join(tmpdir(), "fettle-"));
    return this.#temporary;
  }
}
