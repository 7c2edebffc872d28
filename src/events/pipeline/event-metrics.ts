import { Counters, Histograms, type Family } from "../../runtime/observe/metrics/family.js";
import type { PipelineReport } from "./pipeline-handler.js";

/** Upper bounds in seconds. */
const timeBuckets: readonly number[] = [0.01, 0.05, 0.1, 0.5, 1, 5];

/** Event types with series of their own. Anybody who may emit events can invent types, and each series costs memory. */
const maxTypes = 200;

/** Metrics of the events that passed a pipeline. */
export class EventMetrics {
  readonly #time: Histograms | undefined;
  readonly #observeTime: (milliseconds: number) => void;
  readonly #events = new Counters("events_processed_total", "Events that passed the pipeline, by outcome.", [
    "type",
    "outcome",
  ]);
  readonly #batches = new Histograms(
    "event_batch_size",
    "Events that a handler of the pipeline was given at once.",
    ["handler"],
    [1, 2, 5, 10, 20, 50, 100],
  );
  readonly #types = new Set<string>();

  /** With `observeTime`, the processing time is measured there, and not in a histogram of its own. */
  constructor({ observeTime }: { readonly observeTime?: ((milliseconds: number) => void) | undefined } = {}) {
    const time = new Histograms(
      "event_processing_time",
      "Seconds from the first stage of the pipeline to the last one.",
      [],
      timeBuckets,
    );
    this.#time = observeTime === undefined ? time : undefined;
    this.#observeTime = observeTime ?? ((milliseconds) => time.of().observe(milliseconds / 1000));
  }

  /** Counts an event. */
  add({ event, outcome, duration }: PipelineReport): void {
    this.#observeTime(duration);
    this.#events.of(this.#labelOf(event.type), outcome).value++;
  }

  addBatch(handler: string, size: number): void {
    this.#batches.of(handler).observe(size);
  }

  families(): readonly Family[] {
    return [...(this.#time === undefined ? [] : [this.#time]), this.#events, this.#batches];
  }

  #labelOf(type: string): string {
    if (this.#types.has(type)) return type;
    if (this.#types.size >= maxTypes) return "other";
    this.#types.add(type);
    return type;
  }
}
