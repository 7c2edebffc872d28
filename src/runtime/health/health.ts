import {
  duration,
  formatDuration,
  systemClock,
  type Clock,
  type Duration,
  within,
} from "../../model/core.js";

/**
 * What a check is asked for. **Liveness**: whether the process still does its work; when not, somebody should restart it.
 * **Readiness**: whether it can be of use now; when not, others should be asked. A dependency that is down makes a process
 * unready, and restarting it would not help.
 */
export type Probe = "liveness" | "readiness";

/** Well: nothing, true, or a text that says how. Not well: false, an object that says why, or a throw. */
export type CheckResult = void | boolean | string | { readonly ok: boolean; readonly message?: string };

export type Check = (signal: AbortSignal) => CheckResult | Promise<CheckResult>;

export interface CheckOptions {
  /** Default readiness. */
  readonly probes?: readonly Probe[] | undefined;
  /** How long the check may take. Default 5 s. */
  readonly timeout?: Duration | undefined;
  /** Whether the whole is unhealthy when this is; degraded otherwise. Default true. */
  readonly critical?: boolean | undefined;
}

export interface CheckReport {
  readonly name: string;
  readonly ok: boolean;
  readonly critical: boolean;
  readonly message: string;
  /** Milliseconds. */
  readonly duration: number;
}

export interface HealthReport {
  readonly status: "healthy" | "degraded" | "unhealthy";
  /** When the report was asked for, in milliseconds since 1970. */
  readonly at: number;
  readonly checks: readonly CheckReport[];
}

interface Registered {
  readonly name: string;
  readonly check: Check;
  readonly probes: readonly Probe[];
  readonly timeout: number;
  readonly critical: boolean;
  /** A check that is under way is not begun again, however many ask. */
  running: Promise<CheckResult> | undefined;
}

/**
 * Asks everything that can be unwell how it is.
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

  /** Adds a check; returns how to take it away. */
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
   * A check for a loop: it is well as long as no more than `maxAge` has passed since the last beat. The loop calls what is
   * returned in every turn, which costs no more than reading the clock.
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

  /** Runs the checks for one kind of question, or all of them; never throws, and takes no longer than the slowest timeout. */
  async report(probe?: Probe): Promise<HealthReport> {
    const asked = [...this.#checks.values()].filter(
      ({ probes }) => probe === undefined || probes.includes(probe),
    );
    const at = this.#clock.now();
    const checks = await Promise.all(asked.map((registered) => this.#examine(registered)));
    const unwell = checks.filter(({ ok }) => !ok);
    const failed = unwell.some(({ critical }) => critical) ? "unhealthy" : "degraded";
    return { status: unwell.length === 0 ? "healthy" : failed, at, checks };
  }

  async #examine(registered: Registered): Promise<CheckReport> {
    const { name, critical, timeout } = registered;
    const started = this.#clock.now();
    const report = (ok: boolean, message: string): CheckReport => {
      return { name, ok, critical, message, duration: this.#clock.now() - started };
    };
    try {
      const what = `health check ${name}`;
      const result = await within({ clock: this.#clock, limit: timeout, what }, (signal) => {
        registered.running ??= run(registered, signal);
        return registered.running;
      });
      if (typeof result === "string") return report(true, result);
      if (typeof result === "object") return report(result.ok, result.message ?? "");
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
