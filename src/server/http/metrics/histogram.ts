/** Kubernetes' buckets for the time of a request, in seconds. */
export const requestBuckets: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** How often which values were seen. Counting one costs a few comparisons. */
export class Histogram {
  readonly buckets: readonly number[];
  /** How many values fell into each bucket and no lower one; the last is for those above all. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(buckets: readonly number[]) {
    this.buckets = buckets;
    this.counts = new Float64Array(buckets.length + 1);
  }

  observe(value: number): void {
    const { buckets, counts } = this;
    let index = 0;
    while (index < buckets.length && value > (buckets[index] ?? Infinity)) index++;
    counts[index] = (counts[index] ?? 0) + 1;
    this.sum += value;
  }
}
