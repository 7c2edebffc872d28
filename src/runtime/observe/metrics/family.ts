/** One value of a metric, with its labels. */
export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Name of the sample, if it differs from the metric's: `…_bucket`, `…_sum`, `…_count`. */
  readonly name?: string | undefined;
}

/** A metric. Its values are computed when they are read. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  samples(): Iterable<Sample>;
}

/** Counter of one series. Callers keep a reference to it, so that counting is one addition. */
export class Count {
  value = 0;
}

/** One series of a histogram. */
export class HistogramSeries {
  readonly buckets: readonly number[];
  /** Number of values per bucket, not cumulative; the last is for values above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(buckets: readonly number[]) {
    this.buckets = buckets;
    this.counts = new Float64Array(buckets.length + 1);
  }

  get count(): number {
    return this.counts.reduce((total, count) => total + count, 0);
  }

  observe(value: number): void {
    const { buckets, counts } = this;
    let low = 0;
    for (let high = buckets.length; low < high;) {
      const middle = (low + high) >> 1;
      if (value > (buckets[middle] ?? Infinity)) low = middle + 1;
      else high = middle;
    }
    counts[low] = (counts[low] ?? 0) + 1;
    this.sum += value;
  }
}

/** Series of one metric, by the values of its labels. */
class LabelledSeries<T> {
  readonly #names: readonly string[];
  readonly #make: () => T;
  readonly #all = new Map<string, { readonly labels: Record<string, string>; readonly series: T }>();

  constructor(names: readonly string[], make: () => T) {
    this.#names = names;
    this.#make = make;
  }

  of(values: readonly string[]): T {
    const key = JSON.stringify(values);
    let found = this.#all.get(key);
    if (found === undefined) {
      const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? ""]));
      found = { labels, series: this.#make() };
      this.#all.set(key, found);
    }
    return found.series;
  }

  all(): Iterable<{ readonly labels: Record<string, string>; readonly series: T }> {
    return this.#all.values();
  }
}

/** A counter metric. */
export class Counters implements Family {
  readonly type = "counter";
  readonly name: string;
  readonly help: string;
  readonly #counts: LabelledSeries<Count>;

  constructor(name: string, help: string, labels: readonly string[]) {
    this.name = name;
    this.help = help;
    this.#counts = new LabelledSeries(labels, () => new Count());
  }

  /** The series with these values of the labels; created with 0 if there is none. */
  of(...values: readonly string[]): Count {
    return this.#counts.of(values);
  }

  *samples(): Generator<Sample> {
    for (const { labels, series } of this.#counts.all()) yield { labels, value: series.value };
  }
}

/** A histogram metric. */
export class Histograms implements Family {
  readonly type = "histogram";
  readonly name: string;
  readonly help: string;
  readonly #histograms: LabelledSeries<HistogramSeries>;

  constructor(name: string, help: string, labels: readonly string[], buckets: readonly number[]) {
    this.name = name;
    this.help = help;
    this.#histograms = new LabelledSeries(labels, () => new HistogramSeries(buckets));
  }

  of(...values: readonly string[]): HistogramSeries {
    return this.#histograms.of(values);
  }

  *samples(): Generator<Sample> {
    for (const { labels, series } of this.#histograms.all()) {
      let total = 0;
      for (const [index, count] of series.counts.entries()) {
        total += count;
        const le = series.buckets[index] ?? "+Inf";
        yield { name: `${this.name}_bucket`, labels: { ...labels, le }, value: total };
      }
      yield { name: `${this.name}_sum`, labels, value: series.sum };
      yield { name: `${this.name}_count`, labels, value: total };
    }
  }
}

/** Adds a value, with the values of its labels. */
export type AddSample = (value: number, ...labels: readonly string[]) => void;

/** A metric whose values are computed when they are read. Values with the same labels are merged. Default: their sum. */
export function computedFamily(
  type: "counter" | "gauge",
  name: string,
  help: string,
  labels: readonly string[],
  compute: (addSample: AddSample) => void,
  merge: (one: number, other: number) => number = (one, other) => one + other,
): Family {
  return {
    type,
    name,
    help,
    *samples() {
      const found = new LabelledSeries<{ value: number | undefined }>(labels, () => ({ value: undefined }));
      compute((value, ...values) => {
        const at = found.of(values);
        at.value = at.value === undefined ? value : merge(at.value, value);
      });
      for (const { labels: named, series } of found.all()) yield { labels: named, value: series.value ?? 0 };
    },
  };
}
