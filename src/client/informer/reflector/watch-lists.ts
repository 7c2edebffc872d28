import type { KindInfo } from "../../kinds/kind.js";

/**
 * Where everything can be read in a stream: a watch with `sendInitialEvents`, which ends with a bookmark and costs the
 * server and the client less memory than pages. Some servers refuse it, for some kinds; old ones ignore it, for all.
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
