import type { Transport, WatchEvent } from "../../client/transport/transport.js";
import { failures, type Clock } from "../../model/core.js";
import { hooked, isWrite, type Batches, type Call } from "../api/calls.js";
import type { Director, Life } from "./director.js";
import { Turns } from "../time/stillness.js";
import { later, never } from "./views.js";

/** Kinds whose writes are not effects, because no end depends on them. */
const ignoredKinds = new Set(["Event", "Lease"]);

const initialEventsEnd = "k8s.io/initial-events-end";

/** Transport of the controllers for one lifetime: writes are effects, and watches can be delayed, stale or interrupted. */
export function faultyTransport(base: Transport, director: Director, life: Life, clock: Clock): Transport {
  const turns = new Turns();
  const staleUntil = clock.now() + director.pastTime;
  const isPast = (): boolean => life.past !== undefined && clock.now() < staleUntil;

  async function call<T>(about: Call, next: () => Promise<T>): Promise<T> {
    await turns.take();
    if (!life.alive) return never();
    if (isWrite(about) && !ignoredKinds.has(about.kind.kind)) return director.write(life, about, next);
    director.happened++;
    const response = (async () => {
      // Only lists at resourceVersion 0, which accept any state, are stale.
      const old = about.verb === "list" && about.options["resourceVersion"] === "0" && isPast();
      return old ? ((await pastOf(about)) as T) : next();
    })();
    const [end] = await Promise.allSettled([response]);
    director.happened++;
    if (!life.alive) return never();
    if (end.status === "rejected") throw end.reason;
    return end.value;
  }

  function pastOf({ kind, namespace, options }: Call) {
    const { labelSelector, fieldSelector, metadataOnly } = options as Record<string, never>;
    return base.list(kind, scopeOf(namespace), {
      labelSelector,
      fieldSelector,
      metadataOnly,
      resourceVersion: String(life.past),
      resourceVersionMatch: "Exact",
    });
  }

  async function* watch(about: Call, next: () => Batches): Batches {
    if (!life.alive) await never();
    const initial = about.options["sendInitialEvents"] === true;
    if (initial && isPast()) yield* fromThePast(about);
    else yield* present(next(), initial);
  }

  async function* fromThePast(about: Call): Batches {
    const { items, resourceVersion } = await pastOf(about);
    const added = items.map((object): WatchEvent => ({ type: "ADDED", object }));
    const { apiVersion, kind } = about.kind;
    const metadata = { resourceVersion, annotations: { [initialEventsEnd]: "true" } };
    director.happened++;
    yield [...added, { type: "BOOKMARK", object: { apiVersion, kind, metadata } }];
    await later(clock, Math.max(0, staleUntil - clock.now()));
    const { sendInitialEvents: _, resourceVersionMatch: __, ...options } = about.options;
    const following = { ...options, resourceVersion };
    yield* present(base.watch(about.kind, scopeOf(about.namespace), following), false);
  }

  /** Delivers initial events at once; numbers those after them, which can be delayed or dropped. */
  async function* present(batches: Batches, initial: boolean): Batches {
    let listing = initial;
    for await (const batch of batches) {
      if (!life.alive) await never();
      director.happened++;
      if (listing) {
        listing = !batch.some(({ object }) => object.metadata.annotations?.[initialEventsEnd] === "true");
        yield batch;
        continue;
      }
      const delivered = director.deliver(batch);
      const missed = director.views.isBlind;
      await director.views.opened();
      if (!life.alive) await never();
      if (missed) {
        throw failures.resourceExpired("too old resource version: what happened meanwhile is not kept");
      }
      yield delivered;
    }
  }

  return hooked(base, { call, watch, close: async () => {} });
}

function scopeOf(namespace: string): { readonly namespace?: string } {
  return namespace === "" ? {} : { namespace };
}
