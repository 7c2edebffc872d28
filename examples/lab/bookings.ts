import { plainController, poll, type Clock, type Controller, type Poller } from "fettle";
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

/** Watches what cannot be watched: lists it every ten seconds and tells what differs. */
export function watchBookings(repository: BookingRepository, clock?: Clock): Poller<Lab> {
  const { apiVersion, kind } = LabInstanceRequest;
  return poll({
    name: "bookings",
    interval: "10s",
    clock,
    list: (signal) => repository.list(signal),
    toObject: ({ id, image, start, hours }): Lab => ({
      apiVersion,
      kind,
      metadata: { name: id, namespace: "default" },
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
    async reconcile(which, { client, read, signal }) {
      const booked = read(LabInstanceRequest, which);
      if (booked === undefined) await client.delete(LabInstanceRequest, which, { signal });
      else await client.apply(LabInstanceRequest, booked, { fieldManager: "bookings", force: true, signal });
    },
  });
}
