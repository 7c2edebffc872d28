import type { PeerConflict } from "./conflicts.js";
import type { MergePolicy } from "./peer-options.js";

/** State of the pull of one kind. */
export interface PulledKindState {
  readonly apiVersion: string;
  readonly kind: string;
  /** `waiting` until the first list of the peer is complete. */
  readonly state: "waiting" | "following" | "failing";
  /** Selected objects at the peer. */
  readonly objects: number;
  readonly error?: string | undefined;
}

/**
 * State of a peer. `connecting`: not reached yet. `syncing`: objects wait to be pulled. `synced`: everything is pulled. `degraded`:
 * some kinds or objects cannot be pulled. `unreachable`: no response. `refused`: it does not accept the credentials.
 */
export type PeerPhase = "connecting" | "syncing" | "synced" | "degraded" | "unreachable" | "refused";

export interface PeerState {
  readonly name: string;
  /** URL of its API, or the path of its kubeconfig. */
  readonly address: string;
  /** Id of the plane; undefined until it was reached. */
  readonly id?: string | undefined;
  readonly merge: MergePolicy;
  readonly state: PeerPhase;
  /** Time of the last complete comparison, in milliseconds since 1970. */
  readonly lastSync?: number | undefined;
  /** Selected objects at the peer. */
  readonly objects: number;
  /** Objects that wait to be pulled, also those that failed and are retried. */
  readonly pending: number;
  /** Milliseconds since the oldest change that has not been pulled, or since the last response of a peer that is away. */
  readonly lag: number;
  /** Objects here that were created, updated and deleted since the start. */
  readonly writes: { readonly created: number; readonly updated: number; readonly deleted: number };
  /** Conflicts since the start, and the latest ones, newest first. */
  readonly conflicts: number;
  readonly recentConflicts: readonly PeerConflict[];
  readonly kinds: readonly PulledKindState[];
  readonly error?: string | undefined;
}
