import { formatDuration, type Clock } from "../../model/core.js";
import type { Check } from "../../runtime/health/health.js";
import { PercentileWindow } from "../../runtime/performance/percentile-window.js";
import { writeHealth } from "../../server/write-health.js";
import type { Store } from "../../store/index.js";

/** Milliseconds after which a commit or a read is slow, and after which it counts as hanging. */
const slow = 2000;
const hanging = 10_000;
/** Key that is read to measure a read; there is nothing. */
const probeKey = "/fettle/read-probe";

/** A store whose commits are timed. */
export interface TimedStore {
  readonly store: Store;
  /** Milliseconds for which the oldest commit under way has lasted; 0 if there is none. */
  pending(this: void): number;
  /** Milliseconds that the longest commit of the last minute took; undefined if there was none. */
  longest(this: void): number | undefined;
}

/** Times the commits of a store, so that its health is known without extra writes. */
export function timeCommits(store: Store, clock: Clock): TimedStore {
  const started = new Set<{ readonly at: number }>();
  const durations = new PercentileWindow(60_000);
  const timed: Store = {
    get: (...options) => store.get(...options),
    range: (options) => store.range(options),
    count: (options) => store.count(options),
    watch: (options) => store.watch(options),
    compact: (revision) => store.compact(revision),
    status: () => store.status(),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    async commit(mutations) {
      const commit = { at: clock.now() };
      started.add(commit);
      try {
        return await store.commit(mutations);
      } finally {
        started.delete(commit);
        durations.add(Math.max(0, clock.now() - commit.at), clock.now());
      }
    },
  };
  return {
    store: timed,
    pending() {
      const [oldest] = started;
      return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest.at);
    },
    longest: () => durations.max(clock.now()),
  };
}

/** Unhealthy while the store cannot write or a commit hangs; degraded while it is slow. */
export function storeCheck({ store, pending, longest }: TimedStore, clock: Clock): Check {
  const writes = writeHealth(store);
  return async () => {
    const { writeError } = await store.status();
    if (writeError !== undefined) {
      // Tries to write; until that succeeds, the failure is reported.
      await writes.check();
    }
    const underWay = pending();
    if (underWay >= hanging) {
      return { ok: false, message: `a write has not ended for ${formatDuration(underWay)}` };
    }
    const startedAt = clock.now();
    await store.get(probeKey);
    const read = clock.now() - startedAt;
    const commit = longest();
    const message = `read in ${shown(read)}, ${commit === undefined ? "no write" : `longest write ${shown(commit)}`} within the last minute`;
    const isSlow = Math.max(read, commit ?? 0, underWay) >= slow;
    return isSlow ? { ok: false, critical: false, message: `slow: ${message}` } : message;
  };
}

function shown(milliseconds: number): string {
  return milliseconds < 1 ? "<1ms" : formatDuration(milliseconds);
}
