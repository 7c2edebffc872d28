import { type Clock, isNotFound } from "../../../model/core.js";
import type { KindInfo } from "../../kinds/kind.js";
import type { Transport } from "../../transport/transport.js";
import type { View } from "../cache/view.js";

/** How long a kind has to be missing before its objects count as gone, in milliseconds. */
const longEnough = 30_000;

export interface MissingKindOptions {
  readonly transport: Transport;
  readonly kind: KindInfo;
  readonly view: View;
  readonly clock: Clock;
}

/**
 * A kind that is not found. Its definition may be yet to come, or be deleted, and its objects with it; or a server is
 * starting, or something on the way to it answers in its place. Objects that seem to be gone and are not make controllers
 * do harm, and objects that seem to be there and are not are noticed with the first write. So the view is kept, until
 * discovery too has said for half a minute that there is no such kind: then all objects are DELETED.
 */
export class MissingKind {
  readonly #options: MissingKindOptions;
  #since: number | undefined;

  constructor(options: MissingKindOptions) {
    this.#options = options;
  }

  /** It was not found. */
  async seen(signal: AbortSignal): Promise<void> {
    const { clock, view } = this.#options;
    if (!view.synced) return;
    if (!(await this.#isUnknown(signal))) this.#since = undefined;
    else {
      this.#since ??= clock.now();
      if (clock.now() - this.#since >= longEnough) view.replace({ newest: true }).finish(view.version);
    }
  }

  found(): void {
    this.#since = undefined;
  }

  async #isUnknown(signal: AbortSignal): Promise<boolean> {
    const { transport, kind } = this.#options;
    try {
      const served = await transport.discover(kind.apiVersion, { signal });
      return !served.some(({ plural }) => plural === kind.plural);
    } catch (error) {
      return isNotFound(error);
    }
  }
}
