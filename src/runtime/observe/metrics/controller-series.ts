import type { QueueObserver } from "../../queue/options.js";
import type { Run, StepRecord, Trigger, WriteRecord } from "../../runs/run.js";
import {
  Counters,
  Histograms,
  computedFamily,
  type Count,
  type Family,
  type HistogramSeries,
} from "./family.js";

/** The buckets of controller-runtime, in seconds. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** The buckets of client-go's queues: from 10 ns, ten times as much with each, in seconds. */
const queueBuckets = Array.from({ length: 12 }, (_, index) => Number(`1e${index - 8}`));

const results = ["success", "error", "requeue", "requeue_after", "cancelled"] as const;
type Result = (typeof results)[number];

const verbs = ["create", "update", "patch", "apply", "delete", "deleteCollection"] as const;

/** Counters of controllers, under the names that dashboards of controller-runtime use, and some of our own. */
export class ControllerCounts {
  readonly #total = new Counters("controller_runtime_reconcile_total", "Completed runs by result.", [
    "controller",
    "result",
  ]);
  readonly #errors = new Counters("controller_runtime_reconcile_errors_total", "Runs that failed.", [
    "controller",
  ]);
  readonly #terminal = new Counters(
    "controller_runtime_terminal_reconcile_errors_total",
    "Runs that failed permanently; not retried until something changes.",
    ["controller"],
  );
  readonly #timeouts = new Counters(
    "controller_runtime_reconcile_timeouts_total",
    "Runs cancelled by their timeout.",
    ["controller"],
  );
  readonly #time = new Histograms(
    "controller_runtime_reconcile_time_seconds",
    "Duration of runs.",
    ["controller"],
    reconcileBuckets,
  );
  readonly #queued = new Histograms(
    "workqueue_queue_duration_seconds",
    "Time that objects waited for a worker after they were due.",
    ["name", "controller"],
    queueBuckets,
  );
  readonly #worked = new Histograms(
    "workqueue_work_duration_seconds",
    "Time from taking an object from the queue until its run was done.",
    ["name", "controller"],
    queueBuckets,
  );
  readonly #retries = new Counters("workqueue_retries_total", "Retries after a failure.", [
    "name",
    "controller",
  ]);
  readonly #triggers = new Counters(
    "fettle_triggers_total",
    "Triggers added to the queue, including those merged with others.",
    ["controller"],
  );
  readonly #steps = new Counters("fettle_steps_total", "Steps of runs by outcome.", [
    "controller",
    "outcome",
  ]);
  readonly #undone = new Counters("fettle_steps_undone_total", "Steps that were undone, by result.", [
    "controller",
    "result",
  ]);
  readonly #writes = new Counters("fettle_writes_total", "Writes of runs to the API.", [
    "controller",
    "verb",
    "result",
  ]);
  readonly #lingering = new Counters(
    "fettle_lingering_runs_total",
    "Runs whose function ignored that the run was cancelled.",
    ["controller"],
  );
  readonly #series = new Map<string, ControllerSeries>();

  readonly families: readonly Family[] = [
    this.#total,
    this.#errors,
    this.#terminal,
    this.#timeouts,
    this.#time,
    this.#queued,
    this.#worked,
    this.#retries,
    this.#triggers,
    this.#steps,
    this.#undone,
    this.#writes,
    this.#lingering,
    ...this.#totals(),
  ];

  /** The counters of one controller; the same ones each time. */
  of(controller: string): ControllerSeries {
    let series = this.#series.get(controller);
    if (series === undefined) {
      series = this.#open(controller);
      this.#series.set(controller, series);
    }
    return series;
  }

  #open(controller: string): ControllerSeries {
    const outcome = (name: StepRecord["outcome"]): Count => this.#steps.of(controller, name);
    const write = (verb: WriteRecord["verb"]): { readonly ok: Count; readonly failed: Count } => ({
      ok: this.#writes.of(controller, verb, "success"),
      failed: this.#writes.of(controller, verb, "error"),
    });
    return new ControllerSeries({
      results: record(results, (result) => this.#total.of(controller, result)),
      errors: this.#errors.of(controller),
      terminal: this.#terminal.of(controller),
      timeouts: this.#timeouts.of(controller),
      time: this.#time.of(controller),
      queued: this.#queued.of(controller, controller),
      worked: this.#worked.of(controller, controller),
      retries: this.#retries.of(controller, controller),
      triggers: this.#triggers.of(controller),
      steps: record(["done", "skipped", "failed", "planned"], outcome),
      undone: this.#undone.of(controller, "success"),
      notUndone: this.#undone.of(controller, "error"),
      writes: record(verbs, write),
      lingering: this.#lingering.of(controller),
    });
  }

  /** Totals of the same counters, for dashboards without sums. */
  #totals(): Family[] {
    const total = (
      name: string,
      help: string,
      value: (counts: SeriesCounts) => number,
      type: "counter" | "gauge" = "counter",
    ) =>
      computedFamily(type, name, help, ["controller"], (addSample) => {
        for (const [controller, { counts }] of this.#series) addSample(value(counts), controller);
      });
    return [
      total("fettle_reconciliations_total", "Completed runs.", ({ time }) => time.count),
      total(
        "fettle_reconciliations_successful_total",
        "Runs that succeeded.",
        ({ results }) => results.success.value + results.requeue_after.value,
      ),
      total("fettle_reconciliations_failed_total", "Runs that failed.", ({ results }) => results.error.value),
      total(
        "fettle_reconciliations_requeued_total",
        "Runs that requested a requeue.",
        ({ results }) => results.requeue.value + results.requeue_after.value,
      ),
      total(
        "fettle_average_reconciliation_time_seconds",
        "Average duration of a run.",
        ({ time }) => (time.count === 0 ? 0 : time.sum / time.count),
        "gauge",
      ),
    ];
  }
}

interface SeriesCounts {
  readonly results: Readonly<Record<Result, Count>>;
  readonly errors: Count;
  readonly terminal: Count;
  readonly timeouts: Count;
  readonly time: HistogramSeries;
  readonly queued: HistogramSeries;
  readonly worked: HistogramSeries;
  readonly retries: Count;
  readonly triggers: Count;
  readonly steps: Readonly<Record<StepRecord["outcome"], Count>>;
  readonly undone: Count;
  readonly notUndone: Count;
  readonly writes: Readonly<Record<WriteRecord["verb"], { readonly ok: Count; readonly failed: Count }>>;
  readonly lingering: Count;
}

/** The counters of one controller. Resolved once, so that counting needs no lookup. */
export class ControllerSeries implements QueueObserver<Trigger> {
  readonly counts: SeriesCounts;
  #taken = 0;
  #adds = 0;

  constructor(counts: SeriesCounts) {
    this.counts = counts;
  }

  ended({ outcome, timedOut, duration, steps, writes }: Run): void {
    const { counts } = this;
    counts.results[resultOf(outcome)].value++;
    counts.time.observe(duration / 1000);
    if (outcome.type === "fail" || (outcome.type === "error" && outcome.reason !== "Requeue"))
      counts.errors.value++;
    if (outcome.type === "fail") counts.terminal.value++;
    if (timedOut) counts.timeouts.value++;
    for (const step of steps) {
      counts.steps[step.outcome].value++;
      if (step.undo !== undefined) (step.undo.ok ? counts.undone : counts.notUndone).value++;
    }
    for (const { verb, error } of writes) {
      const { ok, failed } = counts.writes[verb];
      (error === undefined ? ok : failed).value++;
    }
  }

  added(): void {
    this.counts.triggers.value++;
  }

  taken(_: unknown, waited: number): void {
    this.#taken++;
    this.counts.queued.observe(waited / 1000);
  }

  retried(): void {
    this.counts.retries.value++;
  }

  done(_: unknown, took: number): void {
    this.counts.worked.observe(took / 1000);
  }

  /**
   * Number of objects added to the queue, as client-go counts it: once whatever the number of reasons, and when they are due. That is
   * the number taken plus the number waiting. It never decreases, even if a waiting object is removed.
   */
  adds(depth: number): number {
    this.#adds = Math.max(this.#adds, this.#taken + depth);
    return this.#adds;
  }
}

function resultOf(outcome: Run["outcome"]): Result {
  switch (outcome.type) {
    case "done":
    case "gone":
      return "success";
    case "requeue":
      return "requeue_after";
    case "wait":
      return outcome.after === undefined ? "success" : "requeue_after";
    case "fail":
      return "error";
    case "error":
      return outcome.reason === "Requeue" ? "requeue" : "error";
    case "cancelled":
      return "cancelled";
  }
}

function record<Key extends string, Value>(
  keys: readonly Key[],
  value: (key: Key) => Value,
): Record<Key, Value> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<Key, Value>;
}
