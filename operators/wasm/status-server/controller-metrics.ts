/** Numbers of applications, counted when the metrics are read. */
export interface ApplicationCounts {
  /** Applications that run on at least one device. */
  readonly active: number;
  readonly failed: number;
}

/** Values of all metrics at one time. Times are in seconds; undefined where nothing was measured yet. */
export interface MetricValues {
  readonly applications_reconciled: number;
  readonly reconciliation_errors: number;
  /** Share of the deployments to devices that succeeded, from 0 to 1. */
  readonly deployment_success_rate: number | undefined;
  readonly average_reconciliation_time: number | undefined;
  readonly active_applications: number;
  readonly failed_applications: number;
}

/**
 * Metrics of the controller of applications since the start of the process.
 *
 * @example
 * const metrics = new ControllerMetrics(() => ({ active: 2, failed: 0 }));
 * metrics.reconciled(12);
 * metrics.deployment(true);
 */
export class ControllerMetrics {
  readonly #count: () => ApplicationCounts | Promise<ApplicationCounts>;
  #reconciled = 0;
  #reconciliationMs = 0;
  #errors = 0;
  #deployments = 0;
  #succeeded = 0;

  constructor(count: () => ApplicationCounts | Promise<ApplicationCounts>) {
    this.#count = count;
  }

  /** Counts a run that succeeded. */
  reconciled(durationMs: number): void {
    this.#reconciled++;
    this.#reconciliationMs += durationMs;
  }

  /** Counts a run that failed. */
  failed(): void {
    this.#errors++;
  }

  /** Counts a deployment to one device, once its last attempt has ended. */
  deployment(success: boolean): void {
    this.#deployments++;
    if (success) this.#succeeded++;
  }

  async values(): Promise<MetricValues> {
    const { active, failed } = await this.#count();
    return {
      applications_reconciled: this.#reconciled,
      reconciliation_errors: this.#errors,
      deployment_success_rate: quotient(this.#succeeded, this.#deployments),
      average_reconciliation_time: quotient(this.#reconciliationMs / 1000, this.#reconciled),
      active_applications: active,
      failed_applications: failed,
    };
  }
}

function quotient(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

/** Name in Prometheus without its prefix, type, and help of each metric. */
const families: Readonly<Record<keyof MetricValues, readonly [string, "counter" | "gauge", string]>> = {
  applications_reconciled: ["applications_reconciled_total", "counter", "Runs that succeeded."],
  reconciliation_errors: ["reconciliation_errors_total", "counter", "Runs that failed."],
  deployment_success_rate: [
    "deployment_success_rate",
    "gauge",
    "Share of the deployments to devices that succeeded, from 0 to 1.",
  ],
  average_reconciliation_time: [
    "average_reconciliation_time_seconds",
    "gauge",
    "Mean duration of the runs that succeeded.",
  ],
  active_applications: ["active_applications", "gauge", "Applications that run on at least one device."],
  failed_applications: ["failed_applications", "gauge", "Applications in the phase Failed."],
};

/** Renders metrics in the text format of Prometheus. Those without a value are left out. */
export function prometheusText(values: MetricValues): string {
  return Object.entries(families)
    .flatMap(([key, [suffix, type, help]]) => {
      const value = values[key as keyof MetricValues];
      const name = `wasmbed_controller_${suffix}`;
      return value === undefined
        ? []
        : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`];
    })
    .join("\n")
    .concat("\n");
}
