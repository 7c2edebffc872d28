import { duration, systemClock, type Clock, type Duration, type Timer } from "../../model/core.js";
import type { CheckReport, Health, HealthReport, HealthStatus } from "./health.js";

export interface HealthMonitorOptions {
  /** Time between two reports. Default: 15s. */
  readonly every?: Duration | undefined;
  /** Called when the overall status or the status of a check has changed. What it throws goes to `onError`. */
  readonly onChange?: ((change: HealthChange) => unknown) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Change of the health of a process between two reports. */
export interface HealthChange {
  readonly status: HealthStatus;
  /** The overall status before; the same if only checks have changed. */
  readonly previous: HealthStatus;
  /** Checks whose status has changed, with the status before. A check that was added or removed counts as healthy meanwhile. */
  readonly checks: readonly (Pick<CheckReport, "name" | "status" | "message"> & {
    readonly previous: HealthStatus;
  })[];
  readonly report: HealthReport;
}

/**
 * Runs the checks of a process at intervals and reports changes. Before the first report everything counts as healthy.
 *
 * @example
 * const monitor = startHealthMonitor(controllers.health, { onChange: ({ status }) => console.log(status) });
 * const report = await monitor.check(); // at once
 * monitor.stop();
 */
export function startHealthMonitor(health: Health, options: HealthMonitorOptions = {}): HealthMonitor {
  return new HealthMonitor(health, options);
}

export class HealthMonitor {
  readonly #health: Health;
  readonly #clock: Clock;
  readonly #every: number;
  readonly #onChange: (change: HealthChange) => unknown;
  readonly #onError: (error: unknown) => void;
  #last: HealthReport | undefined;
  /** The report under way. */
  #running: Promise<HealthReport> | undefined;
  /** The report after it, which all calls meanwhile share. */
  #next: Promise<HealthReport> | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(health: Health, options: HealthMonitorOptions) {
    const { clock = systemClock, every = "15s", onChange = () => {}, onError = () => {} } = options;
    this.#every = duration(every);
    if (!(this.#every > 0)) {
      throw new RangeError(`health cannot be checked every ${every}: give an interval above 0`);
    }
    this.#health = health;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#onError = onError;
    void this.check();
  }

  /** The newest report; undefined until the first one. */
  get last(): HealthReport | undefined {
    return this.#last;
  }

  /** Runs all checks now, or as soon as the report under way has ended. The next one follows an interval later. */
  check(): Promise<HealthReport> {
    if (this.#running === undefined) {
      this.#running = this.#check().finally(() => (this.#running = undefined));
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.check();
    });
    return this.#next;
  }

  /** Ends the reports; one under way changes nothing any more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #check(): Promise<HealthReport> {
    this.#timer?.cancel();
    const report = await this.#health.report();
    if (this.#isStopped) return report;
    const change = changeBetween(this.#last, report);
    this.#last = report;
    this.#timer = this.#clock.after(this.#every, () => void this.check());
    // Not awaited: a callback that hangs must not end the reports.
    if (change !== undefined) void this.#notify(change);
    return report;
  }

  async #notify(change: HealthChange): Promise<void> {
    try {
      await this.#onChange(change);
    } catch (error) {
      this.#onError(error);
    }
  }
}

function changeBetween(before: HealthReport | undefined, report: HealthReport): HealthChange | undefined {
  const previous = before?.status ?? "healthy";
  const old = new Map(before?.checks.map(({ name, status }) => [name, status]));
  const now = new Set(report.checks.map(({ name }) => name));
  const removed = [...old].filter(([name]) => !now.has(name));
  const checks = [
    ...report.checks.map(({ name, status, message }) => ({
      name,
      status,
      message,
      previous: old.get(name) ?? "healthy",
    })),
    ...removed.map(([name, status]) => ({
      name,
      status: "healthy" as const,
      message: "the check was removed",
      previous: status,
    })),
  ].filter((each) => each.status !== each.previous);
  if (checks.length === 0 && report.status === previous) return undefined;
  return { status: report.status, previous, checks, report };
}
