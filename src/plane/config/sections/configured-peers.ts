import type { KindName } from "../../../client/kinds/kind.js";
import type { PeerOptions, PeersOptions } from "../../peers/peer-options.js";
import type { Config } from "../config.js";
import type { PeerSection } from "./sections.js";

/** Option `peers` of a control plane; undefined without peers. */
export function peersOptions({
  peers = [],
  sync_interval: syncInterval,
}: Pick<Config, "peers" | "sync_interval">): PeersOptions | undefined {
  return peers.length === 0 ? undefined : { peers: peers.map(configuredPeer), syncInterval };
}

export function configuredPeer({
  token_file: tokenFile,
  ca_file: caFile,
  kinds,
  ...peer
}: PeerSection): PeerOptions {
  // Their form is checked with the other options.
  return { ...peer, tokenFile, caFile, kinds: kinds as readonly KindName[] };
}
