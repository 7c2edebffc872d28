import type { Client } from "../../client/client.js";
import { createClient } from "../../client/create-client.js";
import type { Informers } from "../../client/informer/informers.js";
import { readYourWrites } from "../../client/informer/read-your-writes.js";
import type { Clock, Random } from "../../model/core.js";
import { userOf } from "../controller/names.js";
import type { WorkOwnership } from "../lease/work-ownership.js";
import type { ControllerAccess } from "../reconcile/run-context.js";
import { recordingTransport } from "../runs/recording-transport.js";

interface Clients {
  readonly client: Client;
  readonly clientFor?: ((user: string) => Client) | undefined;
  readonly user?: string | undefined;
}

interface Parts {
  readonly informers: Informers;
  readonly ownership: WorkOwnership;
  readonly clock: Clock;
  readonly random: Random;
}

/** Access to the API for controllers, each as its own user where `clientFor` is set, and for schedules. */
export function apiAccess(
  { client, clientFor: create, user }: Clients,
  { informers, ownership, clock, random }: Parts,
): {
  /** Client of a controller; the same one each time. */
  readonly clientFor: (controller: string) => Client;
  readonly accessOf: (controller: string) => ControllerAccess;
  /** Client for work that is no run of a controller; it, too, writes only while this process owns the key. */
  readonly guardedClient: (key: string) => Client;
} {
  const clients = new Map<string, Client>();
  const clientFor = (controller: string): Client => {
    const own = clients.get(controller) ?? create?.(userOf(controller)) ?? client;
    clients.set(controller, own);
    return own;
  };
  const access = (own: Client): Pick<ControllerAccess, "transport" | "clientOver"> => ({
    transport: readYourWrites(own.transport, informers),
    clientOver: (transport) => createClient({ transport, namespace: own.namespace, clock, random }),
  });
  return {
    clientFor,
    accessOf: (controller) => ({
      user: create === undefined ? user : userOf(controller),
      ...access(clientFor(controller)),
    }),
    guardedClient(key) {
      const { transport, clientOver } = access(client);
      return clientOver(
        recordingTransport(transport, { clock, guard: () => ownership.guard(key), wrote: () => {} }),
      );
    },
  };
}
