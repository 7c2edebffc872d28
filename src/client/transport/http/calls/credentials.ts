import { untilAborted } from "../../../async/until-aborted.js";
import type { Connection, HeaderLines } from "../../connection.js";

/** Headers that say who asks, and how many times they had been renewed by then. */
export interface Proof {
  readonly headers: HeaderLines;
  readonly renewals: number;
}

/** Headers of a connection. However many calls are refused at once, they are renewed once. */
export class Credentials {
  readonly #connection: Connection;
  #renewals = 0;
  #renewing: Promise<unknown> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async proof(signal: AbortSignal): Promise<Proof> {
    const renewals = this.#renewals;
    const asked = this.#connection.headers?.({ signal });
    return { headers: asked === undefined ? {} : await untilAborted(asked, signal), renewals };
  }

  /** The server has not accepted a proof. False when there is no other to be had. */
  async renew(refused: Proof, signal: AbortSignal): Promise<boolean> {
    if (this.#connection.headers === undefined) return false;
    if (refused.renewals === this.#renewals) {
      // Not with the signal of the one that happens to come first: the others wait for it too.
      this.#renewing ??= this.#connection.headers({ renew: true }).finally(() => {
        this.#renewals++;
        this.#renewing = undefined;
      });
      await untilAborted(this.#renewing, signal);
    }
    return true;
  }
}
