import { hostname } from "node:os";
import {
  duration,
  jitter,
  newUid,
  sleep,
  systemClock,
  systemRandom,
  within,
  type Clock,
  type Duration,
  type Random,
} from "../../model/core.js";
import { steadyOf, type Moment, type SteadyClock } from "./moment.js";
import type { Term } from "./term.js";
import { checkTiming } from "./timing.js";

/** Options of everything that holds a Lease: leader election and sharding. */
export interface LeaseOptions {
  /** Namespace of the Lease. */
  readonly namespace: string;
  /** Name of the Lease; processes with the same name coordinate through it. */
  readonly name: string;
  /** Identity of this process, unique among those that run at the same time. Default: host name and a random part. */
  readonly identity?: string | undefined;
  /** Time after which other processes consider a silent one dead. Default 15 s. */
  readonly leaseDuration?: Duration | undefined;
  /** Time a process keeps working without having renewed its Lease; shorter than the lease duration. Default 10 s. */
  readonly renewDeadline?: Duration | undefined;
  /** Interval between renewals; the state of others is read twice as often. Default 2 s. */
  readonly retryPeriod?: Duration | undefined;
  readonly clock?: Clock | undefined;
  /** Monotonic clock. Default: the machine's. */
  readonly steady?: SteadyClock | undefined;
  readonly random?: Random | undefined;
  /** Called with each request that failed; it is tried again. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Random extra length of waits, as a multiple of them, so that processes do not send their requests all at once. */
const jitterFactor = 0.2;

/** Settings of a process that holds a Lease, its clocks, and the loop that renews the Lease. Durations are milliseconds. */
export class LeaseHolder {
  readonly identity: string;
  /** `namespace/name` of the Lease. */
  readonly path: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  readonly onError: (error: unknown) => void;

  constructor(options: LeaseOptions) {
    const { namespace, name, clock = systemClock, random = systemRandom } = options;
    this.leaseDuration = duration(options.leaseDuration ?? "15s");
    this.renewDeadline = duration(options.renewDeadline ?? "10s");
    this.retryPeriod = duration(options.retryPeriod ?? "2s");
    const { leaseDuration, renewDeadline, retryPeriod } = this;
    checkTiming({ leaseDuration, renewDeadline, retryPeriod, jitterFactor });
    this.identity = options.identity || `${hostname()}_${newUid(random)}`;
    this.path = `${namespace}/${name}`;
    this.clock = clock;
    this.steady = options.steady ?? steadyOf(clock);
    this.random = random;
    this.onError = options.onError ?? (() => {});
  }

  now(): Moment {
    return { wall: this.clock.now(), steady: this.steady() };
  }

  /** A wait of about this length. */
  jittered(milliseconds: number): number {
    return jitter(this.random, milliseconds, jitterFactor);
  }

  /** Makes a request, and stops waiting for its response after `limit` milliseconds. */
  request<T>(
    limit: number,
    signal: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return within({ clock: this.clock, limit, what: `a request for the Lease ${this.path}`, signal }, call);
  }

  /**
   * Renews the Lease until `ended` aborts or the term is lost. `renew` returns when its request was sent, or undefined when
   * the Lease is no longer held; `lostBecause` is the reason then.
   */
  async keepRenewing(
    term: Term,
    ended: AbortSignal,
    renew: (signal: AbortSignal) => Promise<Moment | undefined>,
    lostBecause: () => string,
  ): Promise<void> {
    while (!ended.aborted && term.holds) {
      try {
        await sleep(this.clock, this.retryPeriod, ended);
        if (!term.holds) return;
        // A response that never comes must leave time for another attempt.
        const patience = Math.max(this.retryPeriod, this.renewDeadline / 2);
        const renewed = await this.request(Math.min(patience, term.remaining), ended, renew);
        if (renewed !== undefined) term.renew(renewed);
        else term.lose(lostBecause());
      } catch (error) {
        if (!ended.aborted) this.onError(error);
      }
    }
  }
}
