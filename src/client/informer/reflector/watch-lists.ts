import type { KindInfo } from "../../kinds/kind.js";

/**
 * Support of streaming lists: a watch with `sendInitialEvents`, whose initial events end with a bookmark, takes less memory on
 * server and client than pages. Some servers reject it for some kinds; old servers ignore it for all.
 */
export class WatchLists {
  readonly #refused = new Set<string>();
  #served: boolean;

  constructor(wanted: boolean) {
    this.#served = wanted;
  }

  served(kind: KindInfo): boolean {
    return this.#served && !this.#refused.has(`${kind.apiVersion}/${kind.plural}`);
  }

  refused(kind: KindInfo): void {
    this.#refused.add(`${kind.apiVersion}/${kind.plural}`);
  }

  ignored(): void {
    this.#served = false;
  }
}
