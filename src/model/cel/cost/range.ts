/** From the least to the most that something can be: a size, or a cost. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** More than this does not count: it is what fits into 64 bits. */
export const unlimited = 2 ** 64;

export const unknownSize: Range = { min: 0, max: unlimited };
export const zero: Range = { min: 0, max: 0 };

export function exactly(value: number): Range {
  return { min: value, max: value };
}

function capped(value: number): number {
  return Math.min(value, unlimited);
}

export function add(a: Range, b: Range): Range {
  return { min: capped(a.min + b.min), max: capped(a.max + b.max) };
}

export function addAll(ranges: readonly Range[]): Range {
  return ranges.reduce(add, zero);
}

export function multiply(a: Range, b: Range): Range {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) };
}

/** So many times a factor, rounded up. */
export function scale({ min, max }: Range, factor: number): Range {
  return { min: capped(Math.ceil(min * factor)), max: capped(Math.ceil(max * factor)) };
}

/** What covers both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
