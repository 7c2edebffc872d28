/** One number of a metric, with the labels that tell it from the others. */
export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Name of the sample, if it differs from the metric's: `…_bucket`, `…_sum`, `…_count`. */
  readonly name?: string | undefined;
}

/** A metric; what it stands at is worked out when somebody asks. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  samples(): Iterable<Sample>;
}

/** A number that only grows. Whoever counts holds on to it, so that counting is one addition. */
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

/** Things of one metric, by the values of its labels. */
class Labelled<T> {
  readonly #names: readonly string[];
  readonly #make: () => T;
  readonly #all = new Map<string, { readonly labels: Record<string, string>; readonly thing: T }>();

  constructor(names: readonly string[], make: () => T) {
    this.#names = names;
    this.#make = make;
  }

  of(values: readonly string[]): T {
    const key = JSON.stringify(values);
    let found = this.#all.get(key);
    if (found === undefined) {
      const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? ""]));
      found = { labels, thing: this.#make() };
      this.#all.set(key, found);
    }
    return found.thing;
  }

  all(): Iterable<{ readonly labels: Record<string, string>; readonly thing: T }> {
    return this.#all.values();
  }
}

/** A metric that counts. */
export class Counters implements Family {
  readonly type = "counter";
  readonly name: string;
  readonly help: string;
  readonly #counts: Labelled<Count>;

  constructor(name: string, help: string, labels: readonly string[]) {
    this.name = name;
    this.help = help;
    this.#counts = new Labelled(labels, () => new Count());
  }

  /** The count with these values of the labels, which is 0 from now on if there was none. */
  of(...values: readonly string[]): Count {
    return this.#counts.of(values);
  }

  *samples(): Generator<Sample> {
    for (const { labels, thing } of this.#counts.all()) yield { labels, value: thing.value };
  }
}

/** A metric that tells how often which values were seen. */
export class Histograms implements Family {
  readonly type = "histogram";
  readonly name: string;
  readonly help: string;
  readonly #histograms: Labelled<HistogramSeries>;

  constructor(name: string, help: string, labels: readonly string[], buckets: readonly number[]) {
    this.name = name;
    this.help = help;
    this.#histograms = new Labelled(labels, () => new HistogramSeries(buckets));
  }

  of(...values: readonly string[]): HistogramSeries {
    return this.#histograms.of(values);
  }

  *samples(): Generator<Sample> {
    for (const { labels, thing } of this.#histograms.all()) {
      let total = 0;
      for (const [index, count] of thing.counts.entries()) {
        total += count;
        const le = thing.buckets[index] ?? "+Inf";
        yield { name: `${this.name}_bucket`, labels: { ...labels, le }, value: total };
      }
      yield { name: `${this.name}_sum`, labels, value: thing.sum };
      yield { name: `${this.name}_count`, labels, value: total };
    }
  }
}

/** Tells one number: its value, and the values of its labels. */
export type SetSample = (value: number, ...labels: readonly string[]) => void;

/** A metric that is looked up when somebody asks. Two numbers with the same labels become one: their sum unless told. */
export function lookedUp(
  type: "counter" | "gauge",
  name: string,
  help: string,
  labels: readonly string[],
  look: (put: SetSample) => void,
  merge: (one: number, other: number) => number = (one, other) => one + other,
): Family {
  return {
    type,
    name,
    help,
    *samples() {
      const found = new Labelled<{ value: number | undefined }>(labels, () => ({ value: undefined }));
      look((value, ...values) => {
        const at = found.of(values);
        at.value = at.value === undefined ? value : merge(at.value, value);
      });
      for (const { labels: named, thing } of found.all()) yield { labels: named, value: thing.value ?? 0 };
    },
  };
}
