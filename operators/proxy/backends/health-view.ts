import type { State } from "fettle";
import type { BackendObject, HealthState } from "../kinds/proxy.js";

/** Health of a backend, as served by `GET /api/v2/backends/{id}/health`. */
export interface BackendHealth {
  readonly id: string;
  readonly status: HealthState;
  readonly healthy: number;
  readonly total: number;
  readonly targets: readonly {
    readonly host: string;
    readonly port: number;
    readonly addresses: readonly string[];
    readonly health: HealthState;
    readonly reason?: string | undefined;
    readonly since?: string | undefined;
  }[];
  readonly lastChange: string | null;
}

/** Health of a backend from its status. */
export function backendHealth({ metadata, status }: BackendObject): BackendHealth {
  return {
    id: metadata.name ?? "",
    status: status?.health ?? "unknown",
    healthy: status?.healthy ?? 0,
    total: status?.total ?? 0,
    targets: status?.targets ?? [],
    lastChange: status?.lastChange ?? null,
  };
}

/**
 * Keeps the health of backends for 300 seconds. A later version of a backend is another entry, so that no result is out of date.
 *
 * @example
 * const health = memoizedHealth(state);
 * await health(backend);
 */
export function memoizedHealth(
  state: Pick<State, "memoize">,
  compute: (backend: BackendObject) => BackendHealth = backendHealth,
): (backend: BackendObject) => Promise<BackendHealth> {
  return state.memoize(compute, {
    ttl: "300s",
    key: ({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`,
  });
}
