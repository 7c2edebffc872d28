import {
  duration,
  formatDuration,
  systemClock,
  type Clock,
  type Duration,
  within,
} from "../../model/core.js";

/**
 * Purpose of a check. **Liveness**: if it fails, the process should be restarted. **Readiness**: if it fails, requests should go
 * elsewhere. A dependency that is down makes a process unready, and restarting it would not help.
 */
export type Probe = "liveness" | "readiness";

/**
 * Success: undefined, true, or a message. Failure: false, or an object with `ok: false`; a check may also throw. `critical` of a
 * failure overrides that of the check.
 */
export type CheckResult =
  | void
  | boolean
  | string
  | { readonly ok: boolean; readonly message?: string; readonly critical?: boolean };

export type Check = (signal: AbortSignal) => CheckResult | Promise<CheckResult>;

export interface CheckOptions {
  /** Default readiness. */
  readonly probes?: readonly Probe[] | undefined;
  /** Time limit of the check. Default 5 s. */
  readonly timeout?: Duration | undefined;
  /** If true, a failure makes the process unhealthy, otherwise degraded. Default true. */
  readonly critical?: boolean | undefined;
}

/** Degraded: works, with restrictions. Unhealthy: a critical check fails. */
export type HealthStatus = "healthy" | "degraded" | "unhealthy";

export interface CheckReport {
  readonly name: string;
  readonly status: HealthStatus;
  readonly ok: boolean;
  /** A failure of the check makes the process unhealthy. */
  readonly critical: boolean;
  readonly message: string;
  /** Milliseconds. */
  readonly duration: number;
}

export interface HealthReport {
  readonly status: HealthStatus;
  /** Time of the report, in milliseconds since 1970. */
  readonly at: number;
  readonly checks: readonly CheckReport[];
}

interface Registered {
  readonly name: string;
  readonly check: Check;
  readonly probes: readonly Probe[];
  readonly timeout: number;
  readonly critical: boolean;
  /** The active call, which concurrent reports share. */
  running: Promise<CheckResult> | undefined;
}

/**
 * Creates a registry of health checks.
 *
 * @example
 * const wellbeing = health();
 * wellbeing.check("store", (signal) => store.ping(signal), { timeout: "2s" });
 * const beat = wellbeing.heartbeat("scheduler", "30s"); // and beat() in every turn of its loop
 * const { status, checks } = await wellbeing.report("readiness");
 */
export function health(options: { readonly clock?: Clock | undefined } = {}): Health {
  return new Health(options.clock ?? systemClock);
}

export class Health {
  readonly #clock: Clock;
  readonly #checks = new Map<string, Registered>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a check; the returned function removes it. */
  check(name: string, check: Check, options: CheckOptions = {}): () => void {
    if (this.#checks.has(name)) {
      throw new Error(`there is a health check ${name} already: give each its own name`);
    }
    const { probes = ["readiness"], critical = true } = options;
    const timeout = duration(options.timeout ?? "5s");
    const registered: Registered = { name, check, probes, critical, timeout, running: undefined };
    this.#checks.set(name, registered);
    return () => {
      if (this.#checks.get(name) === registered) this.#checks.delete(name);
    };
  }

  /**
   * Adds a check for a loop: it fails when more than `maxAge` has passed since the last beat. The loop calls the returned
   * function in every iteration, which costs no more than reading the clock.
   */
  heartbeat(name: string, maxAge: Duration, options: Omit<CheckOptions, "timeout"> = {}): () => void {
    const longest = duration(maxAge);
    let last = this.#clock.now();
    const look = (): CheckResult => {
      const age = Math.max(0, this.#clock.now() - last);
      const message = `last beat ${formatDuration(age)} ago`;
      return age <= longest
        ? message
        : { ok: false, message: `${message}, more than ${formatDuration(longest)}` };
    };
    this.check(name, look, { probes: ["liveness"], ...options });
    return () => {
      last = this.#clock.now();
    };
  }

  /** Runs the checks of one probe, or all; never throws, and takes no longer than the longest timeout. */
  async report(probe?: Probe): Promise<HealthReport> {
    const selected = [...this.#checks.values()].filter(
      ({ probes }) => probe === undefined || probes.includes(probe),
    );
    const at = this.#clock.now();
    const checks = await Promise.all(selected.map((registered) => this.#examine(registered)));
    const failing = checks.filter(({ ok }) => !ok);
    const failed = failing.some(({ critical }) => critical) ? "unhealthy" : "degraded";
    return { status: failing.length === 0 ? "healthy" : failed, at, checks };
  }

  async #examine(registered: Registered): Promise<CheckReport> {
    const { name, critical, timeout } = registered;
    const started = this.#clock.now();
    const report = (ok: boolean, message: string, isCritical = critical): CheckReport => {
      const status = ok ? "healthy" : isCritical ? "unhealthy" : "degraded";
      return { name, status, ok, critical: isCritical, message, duration: this.#clock.now() - started };
    };
    try {
      const what = `health check ${name}`;
      const result = await within({ clock: this.#clock, limit: timeout, what }, (signal) => {
        registered.running ??= run(registered, signal);
        return registered.running;
      });
      if (typeof result === "string") return report(true, result);
      if (typeof result === "object") return report(result.ok, result.message ?? "", result.critical);
      return report(result !== false, "");
    } catch (error) {
      return report(false, error instanceof Error ? error.message : String(error));
    }
  }
}

async function run(registered: Registered, signal: AbortSignal): Promise<CheckResult> {
  try {
    return await registered.check(signal);
  } finally {
    registered.running = undefined;
  }
}
