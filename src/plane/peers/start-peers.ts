import type { Client } from "../../client/client.js";
import { formatKind } from "../../client/object-ref.js";
import { createInformers } from "../../client/informer/create-informers.js";
import type { Events } from "../../events/events.js";
import type { Clock, Random } from "../../model/core.js";
import type { Log } from "../../runtime/log/log.js";
import type { MetricFamily } from "../../runtime/observe/metrics.js";
import type { PeerConflict } from "./conflicts.js";
import { planeId } from "./peer-connection.js";
import { PeerLink } from "./peer-link.js";
import { peerFamilies } from "./peer-metrics.js";
import { peersSettings, type PeersOptions } from "./peer-options.js";
import type { PeerState } from "./peer-state.js";
import type { PlaneIds } from "./pulled-kind.js";

/** Type of the event for a conflict. */
const conflictEventType = "peer.conflict";

const failingPhases: ReadonlySet<PeerState["state"]> = new Set(["degraded", "unreachable", "refused"]);

interface StartPeersOptions {
  readonly options: PeersOptions;
  /** Client for this plane. */
  readonly client: Client;
  readonly events: Pick<Events, "emit">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The synchronisation with peers at work. */
export interface Peers {
  states(): readonly PeerState[];
  /** Fails while a peer is away, or some of its objects cannot be pulled. */
  health(): { readonly ok: boolean; readonly message: string };
  /** Current metrics. */
  families(): readonly MetricFamily[];
  stop(): Promise<void>;
}

/** Starts to pull from peers. Does not wait for them: a peer that is away is tried again and again. */
export async function startPeers({
  options,
  client,
  events,
  clock,
  random,
  log,
}: StartPeersOptions): Promise<Peers> {
  const { peers, syncInterval, concurrency } = peersSettings(options);
  const here = await planeId(client);
  const localInformers = createInformers({
    transport: client.transport,
    resolve: (kind) => client.kind(kind),
    clock,
    random,
    onError: (error, { doing }) => log.warn({ err: error }, `peers: ${doing}`),
  });
  const stopping = new AbortController();
  const links: PeerLink[] = [];
  // Asked for every object, and changed only when a peer is identified.
  const identified = new Map<string, ReturnType<PlaneIds["peersOf"]>>();
  const peersOf: PlaneIds["peersOf"] = (kind) => {
    const key = formatKind(kind);
    let found = identified.get(key);
    if (found === undefined) {
      const pulling = links.filter((link) => link.pulls(kind));
      const ids = pulling.flatMap(({ id }) => id ?? []);
      found = { ids: new Set(ids), areAllKnown: ids.length === pulling.length };
      identified.set(key, found);
    }
    return found;
  };
  for (const peer of peers) {
    const link: PeerLink = new PeerLink({
      peer,
      local: client,
      localInformers,
      here,
      peersOf,
      onIdentified: () => identified.clear(),
      otherWithId: (id) => links.find((other) => other !== link && other.id === id)?.settings.name,
      syncInterval,
      concurrency,
      clock,
      random,
      log,
      onConflict: (conflict) => reportConflict(conflict, options, events, log),
    });
    links.push(link);
  }
  const running = Promise.all(links.map((link) => link.run(stopping.signal)));
  const families = peerFamilies(() => links.map((link) => link.state()));
  return {
    states: () => links.map((link) => link.state()),
    health() {
      const failing = links.map((link) => link.state()).filter(({ state }) => failingPhases.has(state));
      const message = failing
        .map(({ name, state, error = "" }) => `${name} is ${state}: ${error}`)
        .join("; ");
      return { ok: failing.length === 0, message };
    },
    families: () =>
      families.map(({ name, help, type, ...family }) => ({ name, help, type, samples: family.samples() })),
    async stop() {
      stopping.abort();
      await running;
      await localInformers.close();
    },
  };
}

function reportConflict(
  conflict: PeerConflict,
  { onConflict }: PeersOptions,
  events: Pick<Events, "emit">,
  log: Log,
): void {
  const { apiVersion, kind, namespace, name } = conflict;
  const subject = [apiVersion, kind, ...(namespace === undefined ? [] : [namespace]), name].join("/");
  events.emit({ type: conflictEventType, subject, data: conflict }).catch((error: unknown) => {
    log.warn({ err: error }, `cannot emit the event ${conflictEventType}`);
  });
  try {
    onConflict?.(conflict);
  } catch (error) {
    log.error({ err: error }, "onConflict failed");
  }
}
