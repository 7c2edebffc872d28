/** Health of one address. */
export type AddressHealth = "healthy" | "unhealthy" | "unknown";

/** Results in a row after which the health changes. */
export interface Thresholds {
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

/**
 * Health with the results that speak against it.
 *
 * Invariant: `contrary` counts the last results in a row that contradict `health`, and is below the threshold for them. An unknown
 * address has only failures to count, since its first success decides.
 */
export interface Hysteresis {
  readonly health: AddressHealth;
  readonly contrary: number;
}

/** State before any result: unknown, or the health that was known earlier. */
export function initialHealth(health: AddressHealth = "unknown"): Hysteresis {
  return { health, contrary: 0 };
}

/**
 * Counts the result of a check. A single result never changes the health, unless its threshold is 1, or the address was unknown and
 * the check has succeeded.
 *
 * @example
 * countResult(initialHealth(), true, thresholds).health; // "healthy"
 */
export function countResult(state: Hysteresis, ok: boolean, thresholds: Thresholds): Hysteresis {
  const { health, contrary } = state;
  const result = ok ? "healthy" : "unhealthy";
  if (health === result || (health === "unknown" && ok)) return { health: result, contrary: 0 };
  const threshold = ok ? thresholds.healthyThreshold : thresholds.unhealthyThreshold;
  return contrary + 1 >= threshold ? { health: result, contrary: 0 } : { health, contrary: contrary + 1 };
}
