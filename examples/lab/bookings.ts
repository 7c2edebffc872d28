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

/** Booking system, which can be listed but not watched. */
export interface BookingRepository {
  list(signal: AbortSignal): Promise<readonly Booking[]>;
}

/** Label that distinguishes requests made from bookings from those made by hand. */
const booked = "labs.example.io/booked";

/** Lists the bookings every ten seconds and reports the differences. */
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

/** Applies a LabInstanceRequest for each booking, and deletes it when the booking is cancelled. */
export function bookings(from: Poller<Lab>): Controller {
  return plainController({
    name: "bookings",
    for: LabInstanceRequest,
    from,
    // Bookings that were cancelled while this process was down are no longer listed, so look for requests without a booking.
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
