import type { Client } from "../../client/client.js";
import { createInformers } from "../../client/informer/create-informers.js";
import type { Informers } from "../../client/informer/informers.js";
import { isConflict, isAlreadyExists, sleep, type Clock, type Random } from "../../model/core.js";
import { messageOf } from "../../runtime/log/message-of.js";
import type { Log } from "../../runtime/log/log.js";
import { exponentialBackoff } from "../../runtime/queue/rate-limiter.js";
import { WorkQueue } from "../../runtime/queue/work-queue.js";
import type { ConflictLog } from "./conflicts.js";
import { planeId } from "./peer-connection.js";
import type { PeerSettings } from "./peer-options.js";
import type { PulledKindState } from "./peer-state.js";
import { PulledKind, type PlaneIds, type PullOperation } from "./pulled-kind.js";

export interface PeerSessionOptions {
  readonly peer: PeerSettings;
  readonly local: Client;
  readonly localInformers: Informers;
  readonly remote: Client;
  readonly ids: PlaneIds;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly conflicts: ConflictLog;
  readonly onWrite: (operation: PullOperation) => void;
}

/** The peer at an address is another plane than before. */
export class PeerReplaced extends Error {
  override readonly name = "PeerReplaced";
}

/** Objects compared in one turn of the event loop. */
const batchSize = 500;
/** Delays between attempts to write an object. */
const retryBackoff = exponentialBackoff("1s", "5m");

/** Pulls the objects of one plane, from when its id is known until it is replaced or stopped. */
export class PeerSession {
  readonly kinds: readonly PulledKind[];
  readonly #options: PeerSessionOptions;
  readonly #informers: Informers;
  /** Keys are the number of the kind, a space and the key of the object. */
  readonly #queue: WorkQueue<string>;
  readonly #stopping = new AbortController();
  readonly #workers: readonly Promise<void>[];
  /** Time at which each waiting object was found, oldest first. */
  readonly #pending = new Map<string, number>();
  /** Errors of objects that are retried. */
  readonly #failing = new Map<string, string>();
  #confirming: Promise<void> | undefined;
  /** Number of times that the peer turned out to lack objects, and the number up to which its identity was confirmed afterwards. */
  #removals = 0;
  #confirmed = 0;
  /** True when the first list of a kind is complete, and its objects have not been compared since. */
  #isListed = false;
  #onListed: () => void = () => {};

  constructor(options: PeerSessionOptions) {
    this.#options = options;
    const { peer, local, localInformers, remote, ids, clock, random, conflicts } = options;
    // The state of informers has their errors.
    const onError = (): void => {};
    const resolve: Client["kind"] = (kind) => remote.kind(kind);
    this.#informers = createInformers({ transport: remote.transport, resolve, clock, random, onError });
    this.#queue = new WorkQueue({ clock, limiter: retryBackoff });
    this.kinds = peer.kinds.map((reference, index) => {
      const onChange = (key: string): void => this.#add(`${index} ${key}`, "changed");
      const onRemoved = (): void => void this.#removals++;
      const onListed = (): void => {
        this.#removals++;
        this.#isListed = true;
        this.#onListed();
      };
      const confirmIdentity = (): Promise<void> => this.#confirmIdentity();
      const shared = { peer, local, localInformers, remote, ids, clock, conflicts };
      return new PulledKind({
        ...shared,
        reference,
        remoteInformers: this.#informers,
        confirmIdentity,
        onChange,
        onRemoved,
        onListed,
      });
    });
    this.#workers = Array.from({ length: options.concurrency }, () => this.#work());
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Time at which the oldest waiting object was found. */
  get oldestPending(): number | undefined {
    for (const at of this.#pending.values()) return at;
    return undefined;
  }

  /** Number of objects that could not be written, and the last error. */
  get failing(): { readonly count: number; readonly error: string | undefined } {
    return { count: this.#failing.size, error: [...this.#failing.values()].at(-1) };
  }

  /** True when an informer waits after a failure. */
  get isInterrupted(): boolean {
    return this.#informers.states().some(({ phase }) => phase === "waiting");
  }

  kindStates(): readonly PulledKindState[] {
    const states = this.#informers.states();
    return this.kinds.map(({ reference, size, isReady, problem }) => {
      const failed = states.find(
        ({ kind, phase }) =>
          kind.apiVersion === reference.apiVersion && kind.kind === reference.kind && phase === "waiting",
      );
      const error = problem ?? (failed === undefined ? undefined : messageOf(failed.lastError));
      const state = error !== undefined ? "failing" : isReady ? "following" : "waiting";
      return { ...reference, state, objects: size, error };
    });
  }

  /** Starts to follow kinds that are not followed yet, and compares all objects. */
  async compare(signal: AbortSignal): Promise<void> {
    for (const kind of this.kinds) await kind.open(signal);
    let count = 0;
    for (const [index, kind] of this.kinds.entries()) {
      for (const key of kind.keys()) {
        const item = `${index} ${key}`;
        // The queue retries those that failed.
        const isCompared = key !== undefined && !this.#failing.has(item);
        if (isCompared && kind.needsPull(key)) this.#add(item, "compared");
        if (++count % batchSize === 0) await sleep(this.#options.clock, 0, signal);
      }
    }
  }

  /** Waits for the next comparison: until the time is over, or earlier when the first list of a kind is complete. */
  async untilDue(milliseconds: number, signal: AbortSignal): Promise<void> {
    const due = new AbortController();
    this.#onListed = () => due.abort();
    if (!this.#isListed) {
      await sleep(this.#options.clock, milliseconds, AbortSignal.any([signal, due.signal])).catch(() => {});
    }
    this.#isListed = false;
    signal.throwIfAborted();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#queue.close();
    await Promise.all(this.#workers);
    for (const kind of this.kinds) kind.close();
    await this.#informers.close();
  }

  #add(item: string, reason: string): void {
    if (!this.#pending.has(item)) this.#pending.set(item, this.#options.clock.now());
    this.#queue.add(item, reason);
  }

  async #work(): Promise<void> {
    const { log, peer, onWrite } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      const item = await this.#queue.take(signal).catch(() => undefined);
      if (item === undefined) return;
      const space = item.key.indexOf(" ");
      const kind = this.kinds[Number(item.key.slice(0, space))];
      try {
        const operation = await kind?.pull(item.key.slice(space + 1), signal);
        if (operation !== undefined) onWrite(operation);
        this.#pending.delete(item.key);
        this.#failing.delete(item.key);
        this.#queue.done(item, { type: "done" });
      } catch (error) {
        if (signal.aborted) return;
        // Somebody else wrote the object in between: decide again.
        const isRace = isConflict(error) || isAlreadyExists(error);
        if (!isRace) {
          this.#failing.set(item.key, messageOf(error));
          const object = `${kind?.reference.kind ?? ""} ${item.key.slice(space + 1)}`;
          log.warn({}, `cannot pull ${object} from ${peer.name}: ${messageOf(error)}`);
        }
        this.#queue.done(item, { type: "retry", reason: "failed", ...(isRace && { after: raceDelay }) });
      }
    }
  }

  /** Checks the id of the peer, unless that was done after the last removal. Calls at the same time share a request. */
  async #confirmIdentity(): Promise<void> {
    const { remote, ids, peer } = this.#options;
    const { signal } = this.#stopping;
    const needed = this.#removals;
    while (this.#confirmed < needed) {
      const removals = this.#removals;
      this.#confirming ??= planeId(remote, { signal })
        .then((id) => {
          if (id !== ids.peer) throw new PeerReplaced(`${peer.name} is another plane than before`);
          return void (this.#confirmed = removals);
        })
        .finally(() => (this.#confirming = undefined));
      await this.#confirming;
    }
  }
}

/** Milliseconds after which an object that somebody else wrote is decided on again. */
const raceDelay = 50;
