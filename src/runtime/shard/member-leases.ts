import { Lease as LeaseKind } from "../../client/kinds/kubernetes.js";
import type { DeleteOptions } from "../../client/transport/transport.js";
import { isAlreadyExists, isConflict, isNotFound, names } from "../../model/core.js";
import { decide, type Candidate, type Lease } from "../lease/lease.js";
import type { Moment } from "../lease/moment.js";
import { Members } from "./members.js";
import { emptyMap, readMap, shardsAnnotation, writeMap, type ShardMap } from "./shard-map.js";
import { shardOf } from "./shard-of.js";
import type { ShardClient } from "./sharding.js";

/** Label of the map and of all members' Leases. */
const shardsLabel = "fettle.dev/shards";

export interface MemberLeasesOptions {
  readonly client: ShardClient;
  readonly namespace: string;
  readonly name: string;
  readonly shards: number;
  readonly me: Candidate;
  readonly now: () => Moment;
}

/**
 * The Leases of all members and the map, as last read. Responses that arrive after their timeout are ignored.
 */
export class MemberLeases {
  readonly members: Members;
  readonly #options: MemberLeasesOptions;
  readonly #label: string;
  #member = "";
  #mine: Lease | undefined;
  /** A renewal was sent whose response has not been seen: this member's Lease may have another version. */
  #uncertain = false;
  /** The Lease with the map; undefined if there was none. */
  #mapLease: Lease | undefined;
  #map: ShardMap;

  constructor(options: MemberLeasesOptions) {
    this.#options = options;
    this.members = new Members(options.me.leaseDuration);
    this.#label = labelOf(options.name);
    this.#map = emptyMap(options.shards);
  }

  get map(): ShardMap {
    return this.#map;
  }

  /** Name of this member's Lease, which identifies it in the map. */
  get member(): string {
    return this.#member;
  }

  /** Makes this process a new member. */
  renameTo(suffix: string): void {
    this.#member = `${this.#options.name.slice(0, 200)}-${suffix}`;
    this.#mine = undefined;
    this.#uncertain = false;
  }

  /** Creates this member's Lease. Returns the time at which the request was sent. */
  async join(signal: AbortSignal): Promise<Moment> {
    const { client, namespace, me, now } = this.#options;
    const sent = now();
    const action = decide({ lease: undefined, since: 0 }, sent, me);
    if (action.type !== "create") throw new TypeError("a Lease that does not exist can only be created");
    const metadata = { name: this.#member, namespace, labels: { [shardsLabel]: this.#label } };
    try {
      const made = await client.create(LeaseKind, { metadata, spec: action.spec }, { signal });
      signal.throwIfAborted();
      this.#mine = made;
      return sent;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // No other process uses this name: it was created by a request whose response was lost.
      await this.#find(signal);
      const renewed = await this.renew(signal);
      if (renewed === undefined) throw error;
      return renewed;
    }
  }

  /** Reads all Leases in one request. */
  async readLeases(signal: AbortSignal): Promise<void> {
    const { client, namespace, name, now } = this.#options;
    const labelSelector = `${shardsLabel}=${this.#label}`;
    const sentAt = now().steady;
    const { items } = await client.list(LeaseKind, { namespace, labelSelector, signal });
    signal.throwIfAborted();
    const leases = items.filter((each) => each.metadata.name !== name);
    this.#setMap(items.find((each) => each.metadata.name === name));
    this.members.update(leases, this.#map.owners, { sentAt, receivedAt: now().steady });
  }

  /**
   * Renews this member's Lease with one request. Returns the time at which it was sent; undefined if the Lease no longer exists.
   */
  async renew(signal: AbortSignal): Promise<Moment | undefined> {
    const { client, me, now } = this.#options;
    if (this.#uncertain) await this.#find(signal);
    if (this.#mine === undefined) return undefined;
    this.#uncertain = true;
    const sent = now();
    const action = decide({ lease: this.#mine, since: 0 }, sent, me);
    if (action.type !== "renew") return undefined;
    try {
      const renewed = await client.update(action.lease, { signal });
      signal.throwIfAborted();
      this.#mine = renewed;
      this.#uncertain = false;
      return sent;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #find(signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#options;
    const found = await client.find(LeaseKind, { namespace, name: this.#member }, { signal });
    signal.throwIfAborted();
    this.#mine = found;
    this.#uncertain = false;
  }

  /** Writes the map over the one that was read; false, after another read, if it had changed. */
  async write(map: ShardMap, signal: AbortSignal): Promise<boolean> {
    const { client, namespace, name } = this.#options;
    const annotations = { ...this.#mapLease?.metadata.annotations, [shardsAnnotation]: writeMap(map) };
    try {
      const labels = { [shardsLabel]: this.#label };
      const written =
        this.#mapLease === undefined
          ? await client.create(LeaseKind, { metadata: { namespace, name, labels, annotations } }, { signal })
          : await client.update(
              { ...this.#mapLease, metadata: { ...this.#mapLease.metadata, annotations } },
              { signal },
            );
      signal.throwIfAborted();
      this.#setMap(written);
      return true;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      await this.readLeases(signal);
      if (isAlreadyExists(error) && this.#mapLease === undefined) {
        throw new Error(
          `the Lease ${namespace}/${name} exists and is not used for shards, perhaps for a leader election: choose another name for the sharding`,
          { cause: error },
        );
      }
      return false;
    }
  }

  /** Deletes Leases of members that are gone and own nothing. Failures are ignored. */
  async sweep(isOver: (name: string) => boolean, signal: AbortSignal): Promise<void> {
    const owners = new Set(this.#map.owners);
    for (const lease of this.members.gone(isOver)) {
      const { name = "", uid, resourceVersion } = lease.metadata;
      if (owners.has(name) || name === this.#member) continue;
      await this.#delete(name, { uid, resourceVersion }, signal).catch(() => {});
    }
  }

  /** Deletes this member's Lease, so that others do not wait for it to expire. */
  async leave(signal: AbortSignal): Promise<void> {
    await this.#find(signal);
    if (this.#mine === undefined) return;
    // No version: a renewal that timed out may still arrive.
    const { uid } = this.#mine.metadata;
    await this.#delete(this.#member, { uid }, signal);
  }

  async #delete(
    name: string,
    preconditions: DeleteOptions["preconditions"],
    signal: AbortSignal,
  ): Promise<void> {
    const { client, namespace } = this.#options;
    await client.delete(LeaseKind, { namespace, name }, { preconditions, signal });
  }

  #setMap(lease: Lease | undefined): void {
    const { shards } = this.#options;
    const map = lease === undefined ? emptyMap(shards) : readMap(lease);
    // The number of shards can be changed while all are free.
    const isFree = map.owners.every((owner) => owner === undefined);
    this.#map = isFree ? { ...map, owners: emptyMap(shards).owners } : map;
    this.#mapLease = lease;
  }
}

/** Names may be longer than label values. */
function labelOf(name: string): string {
  if (names.validateLabelValue(name).length === 0) return name;
  return `${name.slice(0, 50).replace(/[^a-z0-9]+$/, "")}-${shardOf(name, 2 ** 32).toString(36)}`;
}
