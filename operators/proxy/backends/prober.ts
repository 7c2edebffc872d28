import type { Clock } from "fettle";
import type { CheckAddress, HealthCheck } from "./check-target.js";
import type { AddressHealth } from "./hysteresis.js";
import { ProbedAddress, type AddressState } from "./probed-address.js";

/** Target of a backend with the addresses to check. */
export interface ProbedTarget {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

/** Backend whose targets are checked. */
export interface ProbedBackend {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly healthCheck: HealthCheck;
  readonly targets: readonly ProbedTarget[];
  /**
   * Health of an address before this process has checked it, from the status. Used when the probing of the backend starts; addresses
   * that are added later are unknown.
   */
  readonly earlierHealth: (target: ProbedTarget, address: string) => AddressHealth;
}

/** Result of a single check, with the health that follows from this and earlier results. */
export interface AddressCheck {
  readonly host: string;
  readonly port: number;
  readonly address: string;
  readonly ok: boolean;
  /** Why the check failed, or could not be performed. */
  readonly message?: string | undefined;
  readonly health: AddressHealth;
}

export interface HealthProberOptions {
  readonly clock: Clock;
  readonly check: CheckAddress;
  /** Called when the health of an address, or the reason for it, has changed. */
  readonly onChange: (backend: Pick<ProbedBackend, "uid" | "namespace" | "name">, text: string) => void;
  /** Checks of one namespace that run at the same time. Default 64. */
  readonly concurrency?: number | undefined;
  /** Number in [0, 1), for the jitter of intervals. */
  readonly random?: (() => number) | undefined;
}

/** States by address of each target: `states.get(targetKey(target))?.get(address)`. */
export type TargetStates = ReadonlyMap<string, ReadonlyMap<string, AddressState>>;

/** Identifies a target within its backend. */
export function targetKey({ host, port }: Pick<ProbedTarget, "host" | "port">): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Milliseconds between two checks of one namespace on average, so that thousands of targets leave time for other work. */
const checkSpacing = 5;

/** Checks of one namespace. */
interface NamespaceChecks {
  readonly places: Places;
  readonly running: Set<ProbedAddress>;
}

/**
 * Checks the targets of backends at their intervals, and keeps the results.
 *
 * Each address has one loop: wait for a free place, check, count the result, wait for the interval. So no address is ever checked twice
 * at a time. A change of the spec keeps the loops of the addresses that remain. Every namespace has places of its own: targets that
 * do not respond hold up no checks but those of their own namespace.
 */
export class HealthProber {
  readonly #options: HealthProberOptions;
  readonly #namespaces = new Map<string, NamespaceChecks>();
  readonly #backends = new Map<string, Map<string, ProbedAddress>>();

  constructor(options: HealthProberOptions) {
    this.#options = options;
  }

  /** Starts, updates and stops checks according to the targets of a backend, and returns the results so far. */
  report(backend: ProbedBackend): TargetStates {
    const before = this.#backends.get(backend.uid);
    const now = new Map<string, ProbedAddress>();
    const states = new Map<string, Map<string, AddressState>>();
    for (const target of backend.targets) {
      const ofTarget = new Map<string, AddressState>();
      for (const address of target.addresses) {
        const key = `${targetKey(target)} ${address}`;
        const probed = now.get(key) ?? before?.get(key) ?? this.#start(backend, target, address, before);
        now.set(key, probed);
        probed.update(backend.healthCheck);
        ofTarget.set(address, probed.state);
      }
      states.set(targetKey(target), ofTarget);
    }
    for (const [key, probed] of before ?? []) if (now.get(key) !== probed) probed.stop();
    this.#backends.set(backend.uid, now);
    return states;
  }

  /**
   * Checks all addresses of a backend at once, and resolves with the results, which count like others. Returns undefined for a backend
   * that is not probed: it has no health check, or has not been reconciled in this process.
   */
  async checkNow(uid: string): Promise<readonly AddressCheck[] | undefined> {
    const addresses = this.#backends.get(uid);
    if (addresses === undefined) return undefined;
    return Promise.all(
      [...addresses.values()].map(async (probed) => {
        const { ok, message } = await probed.checkNow();
        const { address, host, port } = probed.target;
        return { host, port, address, ok, message, health: probed.state.health };
      }),
    );
  }

  /** Stops the checks of a backend, and forgets their results. */
  stop(uid: string): void {
    for (const probed of this.#backends.get(uid)?.values() ?? []) probed.stop();
    this.#backends.delete(uid);
  }

  /** Stops the checks of all other backends: of those that were deleted. Returns how many that were. */
  retain(uids: ReadonlySet<string>): number {
    const others = [...this.#backends.keys()].filter((uid) => !uids.has(uid));
    for (const uid of others) this.stop(uid);
    return others.length;
  }

  stopAll(): void {
    this.retain(new Set());
  }

  #start(
    { uid, namespace, name, healthCheck, earlierHealth }: ProbedBackend,
    target: ProbedTarget,
    address: string,
    before: ReadonlyMap<string, ProbedAddress> | undefined,
  ): ProbedAddress {
    const { clock, check, onChange, random = Math.random } = this.#options;
    const { places, running } = this.#checksOf(namespace);
    const probed = new ProbedAddress({
      target: { host: target.host, port: target.port, address },
      healthCheck,
      initial: before === undefined ? earlierHealth(target, address) : "unknown",
      clock,
      random,
      check: (checked, settings, options) => places.use(() => check(checked, settings, options)),
      onChange: (text) => onChange({ uid, namespace, name }, `${targetKey(target)}: ${text}`),
      shortestInterval: () => running.size * checkSpacing,
      onStop: () => {
        running.delete(probed);
        if (running.size === 0) this.#namespaces.delete(namespace);
      },
    });
    running.add(probed);
    return probed;
  }

  #checksOf(namespace: string): NamespaceChecks {
    let checks = this.#namespaces.get(namespace);
    if (checks === undefined) {
      checks = { places: new Places(this.#options.concurrency ?? 64), running: new Set() };
      this.#namespaces.set(namespace, checks);
    }
    return checks;
  }
}

/** Limit of concurrent work; what exceeds it waits in order. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      return await work();
    } finally {
      // The place passes to the next in line directly, so that no newcomer takes it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
