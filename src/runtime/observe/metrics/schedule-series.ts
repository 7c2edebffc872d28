import type { PassReport } from "../../schedule/pass.js";
import type { ScheduleObserver } from "../../schedule/start-schedule.js";
import { Counters, Histograms, lookedUp, type Family, type HistogramSeries } from "./family.js";

/** From a pass over nothing to one over a million objects, in seconds. */
const loopBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

/** Counts of what schedules did. */
export class ScheduleCounts implements ScheduleObserver {
  readonly #processed = counters(
    "resources_processed",
    "Items that passes worked on, with those that failed.",
  );
  readonly #transitions = counters("state_transitions", "Changes of state that passes made.");
  readonly #cleanups = counters("cleanup_operations", "Things that passes cleaned up.");
  readonly #failedItems = counters("resources_failed", "Items that failed.");
  readonly #failures = counters("loop_failures", "Passes that failed as a whole.");
  readonly #skipped = counters("loops_skipped", "Passes left out because the one before was still at work.");
  readonly #duration = new Histograms(
    "fettle_scheduler_loop_duration_seconds",
    "How long passes took.",
    ["schedule"],
    loopBuckets,
  );
  readonly #durations = new Map<string, HistogramSeries>();

  readonly families: readonly Family[] = [
    lookedUp(
      "counter",
      "fettle_scheduler_loop_iterations_total",
      "Passes that are over.",
      ["schedule"],
      (put) => {
        for (const [name, { count }] of this.#durations) put(count, name);
      },
    ),
    this.#processed,
    this.#transitions,
    this.#cleanups,
    this.#failedItems,
    this.#failures,
    this.#skipped,
    this.#duration,
    lookedUp(
      "gauge",
      "fettle_scheduler_average_loop_duration_seconds",
      "How long a pass takes, over all of them.",
      ["schedule"],
      (put) => {
        for (const [name, { sum, count }] of this.#durations) put(count === 0 ? 0 : sum / count, name);
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
