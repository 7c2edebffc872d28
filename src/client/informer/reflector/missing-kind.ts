import { type Clock, isNotFound } from "../../../model/core.js";
import type { KindInfo } from "../../kinds/kind.js";
import type { Transport } from "../../transport/transport.js";
import type { InformerView } from "../cache/view.js";

/** Milliseconds for which discovery has to deny a kind before its objects count as deleted. */
const longEnough = 30_000;

export interface MissingKindOptions {
  readonly transport: Transport;
  readonly kind: KindInfo;
  readonly view: InformerView;
  readonly clock: Clock;
}

/**
 * Handles a kind that returns 404. The definition may not exist yet, or may have been deleted with its objects; or the server
 * is starting, or a proxy responds in its place. Reporting objects as deleted that still exist makes controllers do harm;
 * keeping objects that are gone is noticed with the first write. So the cache is kept until discovery, too, has denied the
 * kind for half a minute; then all objects are DELETED.
 */
export class MissingKind {
  readonly #options: MissingKindOptions;
  #since: number | undefined;

  constructor(options: MissingKindOptions) {
    this.#options = options;
  }

  /** Handles a 404 of the kind. */
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
