/** Buckets of Kubernetes for request durations, in seconds. */
export const requestBuckets: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** Prometheus histogram with fixed buckets. */
export class Histogram {
  readonly buckets: readonly number[];
  /** Values per bucket, not cumulative; the last element counts values above all buckets. */
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
