import { readFile } from "node:fs/promises";
import type { Client } from "../../client/client.js";
import { createClient } from "../../client/create-client.js";
import { connectionTo } from "../../client/kubeconfig/connection-to.js";
import { loadConnection } from "../../client/kubeconfig/load-connection.js";
import { httpTransport } from "../../client/transport/http/http-transport.js";
import type { Connection } from "../../client/transport/connection.js";
import type { CallOptions } from "../../client/transport/transport.js";
import { Namespace } from "../../client/kinds/kubernetes.js";
import { isForbidden, type Clock, type Random } from "../../model/core.js";
import type { PeerSettings } from "./peer-options.js";

interface ConnectOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** Connects to a peer. Files are read now; the peer itself need not be there. */
export async function connectPeer(peer: PeerSettings, { clock, random }: ConnectOptions): Promise<Client> {
  const connection = await connectionOfPeer(peer);
  // Failures are retried by the synchronisation, which also reports them.
  const transport = httpTransport({ connection, clock, random, userAgent: "fettle-peer", retries: false });
  return createClient({ transport, clock, random });
}

async function connectionOfPeer(peer: PeerSettings): Promise<Connection> {
  const { kubeconfig, context, server = "", token, tokenFile, ca, caFile } = peer;
  if (kubeconfig !== undefined) return loadConnection({ kubeconfig, context, interactive: false });
  const authority = caFile === undefined ? ca : await readFile(caFile, "utf8");
  return connectionTo({ server, token, tokenFile, ca: authority });
}

/** Namespace whose uid identifies a plane. Every Kubernetes cluster has it, too, and it cannot be deleted. */
const identityNamespace = "kube-system";

/** Id of the plane behind a client: the same as long as its data are. */
export async function planeId(client: Client, options?: CallOptions): Promise<string> {
  try {
    const { metadata } = await client.get(Namespace, identityNamespace, { ...options, metadataOnly: true });
    return metadata.uid ?? "";
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${message} (the uid of the namespace ${identityNamespace} identifies a plane: allow the user to get it)`,
      { cause: error },
    );
  }
}
