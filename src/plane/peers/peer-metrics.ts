import { computedFamily, type AddSample, type Family } from "../../runtime/observe/metrics/family.js";
import type { PeerState } from "./peer-state.js";

const phases = ["connecting", "syncing", "synced", "degraded", "unreachable", "refused"] as const;

/** Metrics of the synchronisation with peers. */
export function peerFamilies(states: () => readonly PeerState[]): readonly Family[] {
  const family = (
    name: string,
    help: string,
    each: (state: PeerState, addSample: AddSample) => void,
    labels: readonly string[] = ["peer"],
    type: "counter" | "gauge" = "gauge",
  ): Family =>
    computedFamily(type, name, help, labels, (addSample) => {
      for (const state of states()) each(state, addSample);
    });
  return [
    family(
      "fettle_peer_state",
      "State of a peer: 1 for the current state, 0 for others.",
      ({ name, state }, addSample) => {
        for (const phase of phases) addSample(phase === state ? 1 : 0, name, phase);
      },
      ["peer", "state"],
    ),
    family(
      "fettle_peer_objects",
      "Selected objects at the peer.",
      ({ name, kinds }, addSample) => {
        for (const { apiVersion, kind, objects } of kinds) addSample(objects, name, `${apiVersion}/${kind}`);
      },
      ["peer", "kind"],
    ),
    family("fettle_peer_pending_objects", "Objects that wait to be pulled.", ({ name, pending }, addSample) =>
      addSample(pending, name),
    ),
    family(
      "fettle_peer_lag_seconds",
      "Time since the oldest change that has not been pulled, or since the last response of a peer that is away.",
      ({ name, lag }, addSample) => addSample(lag / 1000, name),
    ),
    family(
      "fettle_peer_last_sync_timestamp_seconds",
      "Time of the last complete comparison, in seconds since 1970.",
      ({ name, lastSync }, addSample) => {
        if (lastSync !== undefined) addSample(lastSync / 1000, name);
      },
    ),
    family(
      "fettle_peer_writes_total",
      "Objects that were created, updated and deleted here for a peer.",
      ({ name, writes }, addSample) => {
        for (const [operation, count] of Object.entries(writes)) addSample(count, name, operation);
      },
      ["peer", "operation"],
      "counter",
    ),
    family(
      "fettle_peer_conflicts_total",
      "Conflicts with objects of a peer.",
      ({ name, conflicts }, addSample) => addSample(conflicts, name),
      ["peer"],
      "counter",
    ),
  ];
}
