/** Minimum and maximum of a size or cost. */
export interface CostRange {
  readonly min: number;
  readonly max: number;
}

/** Upper bound: the range of 64 bits. */
export const unlimited = 2 ** 64;

export const unknownSize: CostRange = { min: 0, max: unlimited };
export const zero: CostRange = { min: 0, max: 0 };

export function exactly(value: number): CostRange {
  return { min: value, max: value };
}

function capped(value: number): number {
  return Math.min(value, unlimited);
}

export function addRanges(a: CostRange, b: CostRange): CostRange {
  return { min: capped(a.min + b.min), max: capped(a.max + b.max) };
}

export function sumRanges(ranges: readonly CostRange[]): CostRange {
  return ranges.reduce(addRanges, zero);
}

export function multiplyRanges(a: CostRange, b: CostRange): CostRange {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) };
}

/** Multiplies by a factor and rounds up. */
export function scaleRange({ min, max }: CostRange, factor: number): CostRange {
  return { min: capped(Math.ceil(min * factor)), max: capped(Math.ceil(max * factor)) };
}

/** Smallest range that contains both. */
export function unionRange(a: CostRange, b: CostRange): CostRange {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
