/** Request that was refused because of a rate limit. */
export interface Refusal {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Name of the zone, as in `LimitZone`. */
  readonly zone: string;
  /** Address of the client. */
  readonly client: string;
}

/** Refused requests of one client, or of all clients beyond the limit. */
export interface ClientCount {
  /** Address of the client, or {@link others}. */
  readonly client: string;
  refused: number;
  /** Time of the first and the last request. */
  since: number;
  until: number;
}

/** Name that stands for clients beyond the limit. It cannot be an address. */
export const others = "others";

/** Refused requests within a window, by zone and client. */
export class RefusalWindow {
  readonly #zones = new Map<string, Map<string, ClientCount>>();
  readonly #maxClients: number;

  /** `maxClients` limits the clients of each zone that are counted on their own. */
  constructor(maxClients: number) {
    this.#maxClients = maxClients;
  }

  get isEmpty(): boolean {
    return this.#zones.size === 0;
  }

  add({ zone, client, time }: Refusal): void {
    const clients = this.#zones.get(zone) ?? new Map<string, ClientCount>();
    this.#zones.set(zone, clients);
    // Clients are named in the order of their first refused request.
    const key = clients.has(client) || clients.size < this.#maxClients ? client : others;
    const count = clients.get(key);
    if (count === undefined) {
      clients.set(key, { client: key, refused: 1, since: time, until: time });
    } else {
      count.refused++;
      count.since = Math.min(count.since, time);
      count.until = Math.max(count.until, time);
    }
  }

  /** Counts by zone, and all of them at once for each zone. */
  *zones(): Generator<{ zone: string; clients: readonly ClientCount[]; total: ClientCount }> {
    for (const [zone, counts] of this.#zones) {
      const clients = [...counts.values()];
      yield { zone, clients, total: sumOf(clients) };
    }
  }
}

function sumOf(clients: readonly ClientCount[]): ClientCount {
  return {
    client: others,
    refused: clients.reduce((sum, { refused }) => sum + refused, 0),
    since: Math.min(...clients.map(({ since }) => since)),
    until: Math.max(...clients.map(({ until }) => until)),
  };
}
