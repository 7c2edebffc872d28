import type { PassReport } from "../../schedule/pass.js";
import type { ScheduleObserver } from "../../schedule/start-schedule.js";
import { Counters, Histograms, computedFamily, type Family, type HistogramSeries } from "./family.js";

/** Buckets for passes over no objects up to a million, in seconds. */
const loopBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

/** Counters of schedules. */
export class ScheduleCounts implements ScheduleObserver {
  readonly #processed = counters("resources_processed", "Items processed, including failed ones.");
  readonly #transitions = counters("state_transitions", "State changes made by passes.");
  readonly #cleanups = counters("cleanup_operations", "Cleanups made by passes.");
  readonly #failedItems = counters("resources_failed", "Items that failed.");
  readonly #failures = counters("loop_failures", "Passes that failed as a whole.");
  readonly #skipped = counters("loops_skipped", "Passes skipped because the previous one was still running.");
  readonly #duration = new Histograms(
    "fettle_scheduler_loop_duration_seconds",
    "Duration of passes.",
    ["schedule"],
    loopBuckets,
  );
  readonly #durations = new Map<string, HistogramSeries>();

  readonly families: readonly Family[] = [
    computedFamily(
      "counter",
      "fettle_scheduler_loop_iterations_total",
      "Completed passes.",
      ["schedule"],
      (addSample) => {
        for (const [name, { count }] of this.#durations) addSample(count, name);
      },
    ),
    this.#processed,
    this.#transitions,
    this.#cleanups,
    this.#failedItems,
    this.#failures,
    this.#skipped,
    this.#duration,
    computedFamily(
      "gauge",
      "fettle_scheduler_average_loop_duration_seconds",
      "Average duration of a pass.",
      ["schedule"],
      (addSample) => {
        for (const [name, { sum, count }] of this.#durations) addSample(count === 0 ? 0 : sum / count, name);
      },
    ),
  ];

  passed(report: PassReport): void {
    const { name, duration, processed, transitions, cleanups, failed } = report;
    let durations = this.#durations.get(name);
    if (durations === undefined) this.#durations.set(name, (durations = this.#duration.of(name)));
    durations.observe(duration / 1000);
    this.#processed.of(name).value += processed;
    this.#transitions.of(name).value += transitions;
    this.#cleanups.of(name).value += cleanups;
    this.#failedItems.of(name).value += failed;
    this.#failures.of(name).value += "error" in report ? 1 : 0;
  }

  skipped(name: string): void {
    this.#skipped.of(name).value++;
  }
}

function counters(name: string, help: string): Counters {
  return new Counters(`fettle_scheduler_${name}_total`, help, ["schedule"]);
}
