/** Number of slots into which the window is divided; the oldest is dropped as time passes. */
const slots = 6;
/** Ratio of the bounds of neighbouring buckets: percentiles are exact to half a per cent. */
const growth = 1.01;
const logGrowth = Math.log(growth);
/** Values up to this one share a bucket, and so do those above the largest bound. */
const smallest = 1e-6;
const buckets = Math.ceil(Math.log(1e18) / logGrowth);

interface Slot {
  readonly period: number;
  readonly counts: Map<number, number>;
  count: number;
  max: number;
}

/** Percentiles and maximum of the values within a sliding window. Its memory does not grow with the number of values. */
export class PercentileWindow {
  readonly #slotLength: number;
  #slots: Slot[] = [];

  /** @param period Length of the window in milliseconds. */
  constructor(period: number) {
    this.#slotLength = period / slots;
  }

  add(value: number, now: number): void {
    const period = Math.floor(now / this.#slotLength);
    let last = this.#slots.at(-1);
    if (last?.period !== period) {
      this.#dropOld(period);
      last = { period, counts: new Map(), count: 0, max: -Infinity };
      this.#slots.push(last);
    }
    const bucket = bucketOf(value);
    last.counts.set(bucket, (last.counts.get(bucket) ?? 0) + 1);
    last.count++;
    if (value > last.max) last.max = value;
  }

  /** Value that a share of the values does not exceed, such as 0.99; undefined without values. */
  percentile(share: number, now: number): number | undefined {
    this.#dropOld(Math.floor(now / this.#slotLength));
    const total = this.#slots.reduce((sum, { count }) => sum + count, 0);
    if (total === 0) return undefined;
    const merged = new Map<number, number>();
    for (const { counts } of this.#slots)
      for (const [bucket, count] of counts) merged.set(bucket, (merged.get(bucket) ?? 0) + count);
    let left = Math.max(1, Math.ceil(share * total));
    for (const [bucket, count] of [...merged].sort(([one], [other]) => one - other)) {
      left -= count;
      if (left <= 0) return Math.min(valueOf(bucket), this.#max());
    }
    return this.#max();
  }

  /** Undefined without values. */
  max(now: number): number | undefined {
    this.#dropOld(Math.floor(now / this.#slotLength));
    return this.#slots.length === 0 ? undefined : this.#max();
  }

  #max(): number {
    return Math.max(...this.#slots.map(({ max }) => max));
  }

  /** Drops slots in the future, too: the clock was set back. */
  #dropOld(period: number): void {
    this.#slots = this.#slots.filter((slot) => slot.period > period - slots && slot.period <= period);
  }
}

function bucketOf(value: number): number {
  if (!(value > smallest)) return 0;
  return Math.min(buckets, 1 + Math.floor(Math.log(value / smallest) / logGrowth));
}

/** Middle of a bucket. */
function valueOf(bucket: number): number {
  return bucket === 0 ? 0 : smallest * growth ** (bucket - 0.5);
}
