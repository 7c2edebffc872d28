import type { Client } from "../../client/client.js";
import type { Informers } from "../../client/informer/informers.js";
import type { KindReference } from "../../client/kinds/kind.js";
import { isForbidden, isUnauthorized, sleep, type Clock, type Random } from "../../model/core.js";
import type { Log } from "../../runtime/log/log.js";
import { messageOf } from "../../runtime/log/message-of.js";
import { ConflictLog, type PeerConflict } from "./conflicts.js";
import { connectPeer, planeId } from "./peer-connection.js";
import type { PeerSettings } from "./peer-options.js";
import { PeerReplaced, PeerSession } from "./peer-session.js";
import type { PeerPhase, PeerState, PulledKindState } from "./peer-state.js";
import type { PlaneIds } from "./pulled-kind.js";

export interface PeerLinkOptions {
  readonly peer: PeerSettings;
  /** Client for this plane. */
  readonly local: Client;
  readonly localInformers: Informers;
  /** Id of this plane. */
  readonly here: string;
  readonly peersOf: PlaneIds["peersOf"];
  /** Called when the id of the peer has become known, or has changed. */
  readonly onIdentified: () => void;
  /** Name of another peer with an id. */
  readonly otherWithId: (id: string) => string | undefined;
  readonly syncInterval: number;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onConflict: (conflict: PeerConflict) => void;
}

/** First delay after a failure; it doubles up to the interval. */
const firstDelay = 500;
/** Failures in a row after which files are read again: the peer may have another address or other credentials now. */
const maxFailures = 3;
/** Milliseconds for a request that only checks whether the peer responds. */
const probeTimeout = 10_000;

/**
 * Connection to one peer, which it keeps until it is stopped.
 *
 *     connecting ──► session: compare, wait for the interval, probe, compare …
 *         ▲              │
 *         └── waiting ◄──┴── the peer is another plane than before, does not respond, or was away and its watches still wait
 *
 * A peer that does not respond for a moment keeps its session: its caches are resumed by their own watches. A new session begins with
 * complete lists.
 */
export class PeerLink {
  readonly settings: PeerSettings;
  readonly #options: PeerLinkOptions;
  readonly #log: Log;
  readonly #conflicts: ConflictLog;
  readonly #writes = { created: 0, updated: 0, deleted: 0 };
  #id: string | undefined;
  #session: PeerSession | undefined;
  #error: unknown;
  #lastContact: number;
  #lastSync: number | undefined;

  constructor(options: PeerLinkOptions) {
    this.settings = options.peer;
    this.#options = options;
    this.#log = options.log.child({ peer: options.peer.name });
    this.#lastContact = options.clock.now();
    this.#conflicts = new ConflictLog((conflict) => {
      const { message, reason, kept } = conflict;
      this.#log.warn({ reason, kept }, `conflict with ${conflict.peer}: ${message}`);
      options.onConflict(conflict);
    });
  }

  /** Id of the peer; undefined until it was reached. */
  get id(): string | undefined {
    return this.#id;
  }

  pulls({ apiVersion, kind }: KindReference): boolean {
    return this.settings.kinds.some((each) => each.apiVersion === apiVersion && each.kind === kind);
  }

  /** Pulls until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#connect(signal, () => (failures = 0));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof PeerReplaced)
          this.#log.warn({}, `${error.message}; it is read again from the start`);
        else this.#failed(error);
      }
      await sleep(this.#options.clock, this.#delay(++failures), signal).catch(() => {});
    }
  }

  state(): PeerState {
    const { clock } = this.#options;
    const { name, merge, server, kubeconfig = "" } = this.settings;
    const session = this.#session;
    const kinds: readonly PulledKindState[] =
      session?.kindStates() ?? this.settings.kinds.map((kind) => ({ ...kind, state: "waiting", objects: 0 }));
    const failing = session?.failing;
    const phase = this.#phase();
    const isAway = phase === "unreachable" || phase === "refused" || phase === "connecting";
    const since = isAway ? this.#lastContact : session?.oldestPending;
    const error =
      this.#error !== undefined
        ? messageOf(this.#error)
        : (kinds.find((kind) => kind.state === "failing")?.error ?? failing?.error);
    return {
      name,
      address: server ?? kubeconfig,
      id: this.#id,
      merge,
      state: phase,
      lastSync: this.#lastSync,
      objects: kinds.reduce((sum, { objects }) => sum + objects, 0),
      pending: session?.pending ?? 0,
      lag: since === undefined ? 0 : Math.max(0, clock.now() - since),
      writes: { ...this.#writes },
      conflicts: this.#conflicts.total,
      recentConflicts: this.#conflicts.recent,
      kinds,
      error,
    };
  }

  #phase(): PeerPhase {
    const session = this.#session;
    if (this.#error !== undefined) {
      return isUnauthorized(this.#error) || isForbidden((this.#error as Error).cause ?? this.#error)
        ? "refused"
        : "unreachable";
    }
    if (session === undefined) return "connecting";
    const kinds = session.kindStates();
    if (session.failing.count > 0 || kinds.some(({ state }) => state === "failing")) return "degraded";
    return session.pending > 0 || kinds.some(({ state }) => state === "waiting") ? "syncing" : "synced";
  }

  /** Runs one session. Returns when a new one is needed. */
  async #connect(signal: AbortSignal, onConnected: () => void): Promise<void> {
    const { clock, random, local, localInformers, here, peersOf, concurrency } = this.#options;
    await using remote = await connectPeer(this.settings, { clock, random });
    const id = await planeId(remote, { timeout: probeTimeout, signal });
    this.#checkId(id);
    this.#id = id;
    this.#options.onIdentified();
    this.#reached();
    onConnected();
    const session = new PeerSession({
      peer: this.settings,
      local,
      localInformers,
      remote,
      ids: { here, peer: id, peersOf },
      concurrency,
      clock,
      random,
      log: this.#log,
      conflicts: this.#conflicts,
      onWrite: (operation) => this.#writes[operation]++,
    });
    this.#session = session;
    try {
      await this.#follow(session, remote, id, signal);
    } finally {
      this.#session = undefined;
      await session.close();
    }
  }

  async #follow(session: PeerSession, remote: Client, id: string, signal: AbortSignal): Promise<void> {
    const { clock, syncInterval } = this.#options;
    for (let failures = 0; ;) {
      try {
        await session.compare(signal);
        const isComplete = session.kinds.every((kind) => kind.isReady || kind.problem !== undefined);
        if (failures === 0 && isComplete) this.#lastSync = clock.now();
        await session.untilDue(failures === 0 ? syncInterval : this.#delay(failures), signal);
        const found = await planeId(remote, { timeout: probeTimeout, signal });
        if (found !== id) throw new PeerReplaced(`${this.settings.name} is another plane than before`);
        this.#reached();
        // It was away and responds again: a new session does not wait for the backoff of the old one.
        if (failures > 0 && session.isInterrupted) return;
        failures = 0;
      } catch (error) {
        if (signal.aborted || error instanceof PeerReplaced) throw error;
        failures++;
        this.#failed(error);
        if (failures === maxFailures) return;
      }
    }
  }

  /** @throws if the id belongs to this plane or to another peer. */
  #checkId(id: string): void {
    const { here, otherWithId } = this.#options;
    if (id === here) throw new Error("this peer is the control plane itself; remove it from the peers");
    const other = otherWithId(id);
    if (other !== undefined) throw new Error(`it is the same plane as the peer ${other}; remove one of them`);
  }

  #reached(): void {
    if (this.#error !== undefined) this.#log.info({}, `the peer ${this.settings.name} responds again`);
    this.#error = undefined;
    this.#lastContact = this.#options.clock.now();
  }

  /** Logs the first failure, and others that differ from the one before. */
  #failed(error: unknown): void {
    const message = messageOf(error);
    const isNew = this.#error === undefined || messageOf(this.#error) !== message;
    this.#error = error;
    if (isNew) this.#log.warn({}, `cannot pull from the peer ${this.settings.name}: ${message}`);
  }

  #delay(failures: number): number {
    return Math.min(this.#options.syncInterval, firstDelay * 2 ** Math.min(failures - 1, 16));
  }
}
