import { plainController, poll, watch, type Clock, type Controller, type Poller } from "fettle";
import type { Random } from "fettle/model";
import { LabInstanceRequest, type Lab } from "./lab.js";

/** A row of the booking system. */
export interface Booking {
  readonly id: string;
  readonly image: string;
  readonly start: string;
  readonly hours: number;
}

/** The booking system: it can be asked for everything, and tells nobody of changes. */
export interface BookingRepository {
  list(signal: AbortSignal): Promise<readonly Booking[]>;
}

/** Tells requests that come from bookings from those that somebody made by hand. */
const booked = "labs.example.io/booked";

/** Watches what cannot be watched: lists it every ten seconds and tells what differs. */
export function watchBookings(repository: BookingRepository, clock?: Clock, random?: Random): Poller<Lab> {
  const { apiVersion, kind } = LabInstanceRequest;
  return poll({
    name: "bookings",
    interval: "10s",
    clock,
    random,
    list: (signal) => repository.list(signal),
    toObject: ({ id, image, start, hours }): Lab => ({
      apiVersion,
      kind,
      metadata: { name: id, namespace: "default", labels: { [booked]: "true" } },
      spec: { image, scheduledStart: start, duration: `${hours}h` },
    }),
  });
}

/** Has a lab requested for each booking, as it is booked and as long as it is. */
export function bookings(from: Poller<Lab>): Controller {
  return plainController({
    name: "bookings",
    for: LabInstanceRequest,
    from,
    // What was cancelled while nobody looked is in no list any more: only what was requested for it tells.
    watches: [
      watch(LabInstanceRequest, {
        scope: { labelSelector: booked },
        where: ({ initial }) => initial,
        to: (request) => [request],
      }),
    ],
    async reconcile(which, { client, read, signal }) {
      const booking = read(LabInstanceRequest, which);
      if (booking === undefined) await client.delete(LabInstanceRequest, which, { signal });
      else await client.apply(LabInstanceRequest, booking, { fieldManager: "bookings", force: true, signal });
    },
  });
}
