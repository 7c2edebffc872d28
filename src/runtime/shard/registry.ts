import { Lease as LeaseKind } from "../../client/kinds/kubernetes.js";
import type { DeleteOptions } from "../../client/transport/transport.js";
import { isAlreadyExists, isConflict, isNotFound, names } from "../../model/core.js";
import { decide, type Candidate, type Lease } from "../lease/lease.js";
import type { Moment } from "../lease/moment.js";
import { Members } from "./members.js";
import { emptyMap, readMap, shardsAnnotation, writeMap, type ShardMap } from "./shard-map.js";
import { shardOf } from "./shard-of.js";
import type { ShardClient } from "./sharding.js";

/** The label of the map and of all members' Leases: what they have to do with each other. */
const shardsLabel = "fettle.dev/shards";

export interface RegistryOptions {
  readonly client: ShardClient;
  readonly namespace: string;
  readonly name: string;
  readonly shards: number;
  readonly me: Candidate;
  readonly now: () => Moment;
}

/**
 * The Leases that members share, as they were last seen: one of each member, and the map. What arrives after its caller
 * gave up waiting is old news, and is not taken note of.
 */
export class Registry {
  readonly members: Members;
  readonly #options: RegistryOptions;
  readonly #label: string;
  #member = "";
  #mine: Lease | undefined;
  /** A renewal was sent whose answer has not been seen: this member's Lease may have another version. */
  #unsure = false;
  /** The Lease that carries the map; undefined when there was none. */
  #carrier: Lease | undefined;
  #map: ShardMap;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.members = new Members(options.me.leaseDuration);
    this.#label = labelOf(options.name);
    this.#map = emptyMap(options.shards);
  }

  get map(): ShardMap {
    return this.#map;
  }

  /** The name of this member's Lease, by which the map knows it. */
  get member(): string {
    return this.#member;
  }

  /** From now on this process is another member. */
  renameTo(suffix: string): void {
    this.#member = `${this.#options.name.slice(0, 200)}-${suffix}`;
    this.#mine = undefined;
    this.#unsure = false;
  }

  /** Makes this member's Lease. Returns when the request was sent. */
  async join(signal: AbortSignal): Promise<Moment> {
    const { client, namespace, me, now } = this.#options;
    const sent = now();
    const action = decide({ lease: undefined, since: 0 }, sent, me);
    if (action.type !== "create") throw new TypeError("a Lease that is not there can only be made");
    const metadata = { name: this.#member, namespace, labels: { [shardsLabel]: this.#label } };
    try {
      const made = await client.create(LeaseKind, { metadata, spec: action.spec }, { signal });
      signal.throwIfAborted();
      this.#mine = made;
      return sent;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // Nobody else has this name: it was made by a request whose answer was lost.
      await this.#find(signal);
      const renewed = await this.renew(signal);
      if (renewed === undefined) throw error;
      return renewed;
    }
  }

  /** Reads everything, as it was at one moment. */
  async look(signal: AbortSignal): Promise<void> {
    const { client, namespace, name, now } = this.#options;
    const labelSelector = `${shardsLabel}=${this.#label}`;
    const asked = now().steady;
    const { items } = await client.list(LeaseKind, { namespace, labelSelector, signal });
    signal.throwIfAborted();
    const leases = items.filter((each) => each.metadata.name !== name);
    this.#carry(items.find((each) => each.metadata.name === name));
    this.members.see(leases, this.#map.owners, { asked, answered: now().steady });
  }

  /**
   * Renews this member's Lease: one request, so that it waits for nothing else. Returns when it was sent; undefined when
   * there is no such Lease any more.
   */
  async renew(signal: AbortSignal): Promise<Moment | undefined> {
    const { client, me, now } = this.#options;
    if (this.#unsure) await this.#find(signal);
    if (this.#mine === undefined) return undefined;
    this.#unsure = true;
    const sent = now();
    const action = decide({ lease: this.#mine, since: 0 }, sent, me);
    if (action.type !== "renew") return undefined;
    try {
      const renewed = await client.update(action.lease, { signal });
      signal.throwIfAborted();
      this.#mine = renewed;
      this.#unsure = false;
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
    this.#unsure = false;
  }

  /** Writes the map over the one that was seen; false, after another look, when it was no longer that one. */
  async write(map: ShardMap, signal: AbortSignal): Promise<boolean> {
    const { client, namespace, name } = this.#options;
    const annotations = { ...this.#carrier?.metadata.annotations, [shardsAnnotation]: writeMap(map) };
    try {
      const labels = { [shardsLabel]: this.#label };
      const written =
        this.#carrier === undefined
          ? await client.create(LeaseKind, { metadata: { namespace, name, labels, annotations } }, { signal })
          : await client.update(
              { ...this.#carrier, metadata: { ...this.#carrier.metadata, annotations } },
              { signal },
            );
      signal.throwIfAborted();
      this.#carry(written);
      return true;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      await this.look(signal);
      if (isAlreadyExists(error) && this.#carrier === undefined) {
        throw new Error(
          `the Lease ${namespace}/${name} is there and is not for shards, perhaps for an election: give the shards another name`,
          { cause: error },
        );
      }
      return false;
    }
  }

  /** Deletes Leases of members that are gone and have nothing any more. That it fails matters to nobody. */
  async sweep(isOver: (name: string) => boolean, signal: AbortSignal): Promise<void> {
    const owners = new Set(this.#map.owners);
    for (const lease of this.members.gone(isOver)) {
      const { name = "", uid, resourceVersion } = lease.metadata;
      if (owners.has(name) || name === this.#member) continue;
      await this.#delete(name, { uid, resourceVersion }, signal).catch(() => {});
    }
  }

  /** Deletes this member's Lease: others need not wait for it. */
  async leave(signal: AbortSignal): Promise<void> {
    await this.#find(signal);
    if (this.#mine === undefined) return;
    // A renewal that was given up may still arrive.
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

  #carry(lease: Lease | undefined): void {
    const { shards } = this.#options;
    const map = lease === undefined ? emptyMap(shards) : readMap(lease);
    // How many there are can be changed while they are nobody's.
    const isFree = map.owners.every((owner) => owner === undefined);
    this.#map = isFree ? { ...map, owners: emptyMap(shards).owners } : map;
    this.#carrier = lease;
  }
}

/** A label's value is shorter than a name may be. */
function labelOf(name: string): string {
  if (names.validateLabelValue(name).length === 0) return name;
  return `${name.slice(0, 50).replace(/[^a-z0-9]+$/, "")}-${shardOf(name, 2 ** 32).toString(36)}`;
}
