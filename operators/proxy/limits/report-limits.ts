import type { Clock, TriggerSource } from "fettle";
import { RateLimitExceeded, type EventInput } from "fettle/events";
import type { Timer } from "fettle/model";
import type { Translation } from "../translate/translation.js";
import { RefusalWindow, type ClientCount, type Refusal } from "./aggregate.js";
import type { RefusedCounts } from "./refused-counts.js";

/** Policy that a zone of nginx comes from. */
export interface LimitedZone {
  readonly uid: string;
  readonly namespace: string;
  readonly policy: string;
  /** Requests per second. */
  readonly limit: number;
  /** True if there is one counter for all clients. */
  readonly isShared: boolean;
}

export interface LimitReporterOptions {
  readonly clock: Clock;
  readonly emit: (event: EventInput) => Promise<unknown>;
  /** Finds the policy of a zone; undefined if it was removed meanwhile. */
  readonly findZone: (zone: string) => LimitedZone | undefined;
  readonly counts: RefusedCounts;
  /** Triggers runs of policies with new counts. */
  readonly changes: TriggerSource;
  /** Milliseconds for which refused requests are counted together. Default 10 s. */
  readonly window?: number | undefined;
  /** Clients of a zone that are named in a window; the rest is summed up. Default 100. */
  readonly maxClients?: number | undefined;
  /** Told of events that could not be emitted. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Counts refused requests, and reports them at the end of each window: an event for each client, and the counts of policies. The first
 * refused request starts a window, so that nothing happens while none is refused.
 */
export class LimitReporter {
  readonly #options: LimitReporterOptions;
  readonly #length: number;
  #window: RefusalWindow;
  #timer: Timer | undefined;

  constructor(options: LimitReporterOptions) {
    this.#options = options;
    this.#length = options.window ?? 10_000;
    this.#window = this.#newWindow();
  }

  /** Counts requests, such as those of the log that a driver follows. */
  add(refusals: readonly Refusal[]): void {
    for (const refusal of refusals) this.#window.add(refusal);
    if (this.#window.isEmpty) return;
    this.#timer ??= this.#options.clock.after(this.#length, () => void this.flush());
  }

  /** Ends the window and reports it; called when the operator stops, too. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    const window = this.#window;
    this.#window = this.#newWindow();
    const { findZone, counts, changes, emit, onError } = this.#options;
    const events: EventInput[] = [];
    for (const { zone, clients, total } of window.zones()) {
      const found = findZone(zone);
      if (found === undefined) continue;
      const { uid, namespace, policy } = found;
      counts.add(uid, total.refused, total.until);
      changes.send({ namespace, name: policy }, `${total.refused} requests were refused`);
      // With one counter for all, no client has exceeded anything by itself.
      if (found.isShared) events.push(exceeded(found, policy, total));
      else events.push(...clients.map((count) => exceeded(found, count.client, count)));
    }
    for (const event of events) {
      try {
        await emit(event);
      } catch (error) {
        onError?.(error);
      }
    }
  }

  #newWindow(): RefusalWindow {
    return new RefusalWindow(this.#options.maxClients ?? 100);
  }
}

function exceeded({ namespace, policy, limit }: LimitedZone, key: string, count: ClientCount): EventInput {
  return RateLimitExceeded.event(
    {
      key,
      limit,
      policy,
      namespace,
      refused: count.refused,
      since: new Date(count.since).toISOString(),
      until: new Date(count.until).toISOString(),
    },
    { subject: `${namespace}/${policy}` },
  );
}

/** Finds the policy of a zone in translations. */
export function limitedZone(translations: Iterable<Translation>, zone: string): LimitedZone | undefined {
  for (const { configuration, policies } of translations) {
    const limit = configuration.limits.find(({ name }) => name === zone);
    if (limit === undefined) continue;
    const { namespace, name } = limit.origin;
    const policy =
      policies.find((each) => each.zone === zone) ??
      policies.find((each) => each.namespace === namespace && each.name === name);
    if (policy === undefined) continue;
    return {
      uid: policy.uid,
      namespace,
      policy: name,
      limit: limit.per === "minute" ? limit.requests / 60 : limit.requests,
      isShared: limit.key.type === "Route",
    };
  }
  return undefined;
}
