import { untilAborted } from "../../../async/until-aborted.js";
import type { Connection, HeaderLines } from "../../connection.js";

/** Authentication headers, and the number of renewals before they were read. */
export interface AuthHeaders {
  readonly headers: HeaderLines;
  readonly renewals: number;
}

/** Authentication headers of a connection. Concurrent 401s renew them once. */
export class RenewableCredentials {
  readonly #connection: Connection;
  #renewals = 0;
  #renewing: Promise<unknown> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async headers(signal: AbortSignal): Promise<AuthHeaders> {
    const renewals = this.#renewals;
    const headers = this.#connection.headers?.({ signal });
    return { headers: headers === undefined ? {} : await untilAborted(headers, signal), renewals };
  }

  /** Renews rejected credentials; returns false when the connection has none. */
  async renew(rejected: AuthHeaders, signal: AbortSignal): Promise<boolean> {
    if (this.#connection.headers === undefined) return false;
    if (rejected.renewals === this.#renewals) {
      // Without the signal of the first caller: others wait for the same renewal.
      this.#renewing ??= this.#connection.headers({ renew: true }).finally(() => {
        this.#renewals++;
        this.#renewing = undefined;
      });
      await untilAborted(this.#renewing, signal);
    }
    return true;
  }
}
