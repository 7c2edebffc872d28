import type { Store } from "../store/index.js";
import type { HealthCheck } from "./http/paths/health.js";

/** Key that is written to find out whether the store can write again; nobody reads it. */
const probeKey = "/fettle/write-probe";
/** Milliseconds after which the key is deleted. */
const probeLifetime = 60_000;

/**
 * Fails while the newest commit could not be written, for example because the disk is full. Then every check tries a small commit,
 * so that the server becomes ready by itself, also when load balancers keep writes away from it.
 */
export function writeHealth(store: Store): HealthCheck {
  return {
    name: "store-writes",
    paths: ["readyz"],
    isPublic: true,
    async check() {
      const { writeError } = await store.status();
      if (writeError === undefined) return;
      await store.commit([{ type: "put", key: probeKey, value: new Uint8Array(), ttl: probeLifetime }]);
    },
  };
}
