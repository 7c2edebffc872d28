/** Positions of equal elements. */
export type Match = readonly [from: number, to: number];

/**
 * Longest common subsequence as pairs of positions in rising order, by Myers' algorithm. The time grows with
 * the number of differences; undefined if there are more than `maxEdits`.
 */
export function commonSubsequence(
  from: readonly number[],
  to: readonly number[],
  maxEdits: number,
): Match[] | undefined {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let end = 0;
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;

  const middle = myers(from.slice(start, from.length - end), to.slice(start, to.length - end), maxEdits);
  if (middle === undefined) return undefined;
  const matches: Match[] = [];
  for (let index = 0; index < start; index++) matches.push([index, index]);
  for (const [a, b] of middle) matches.push([a + start, b + start]);
  for (let index = end; index > 0; index--) matches.push([from.length - index, to.length - index]);
  return matches;
}

/**
 * On diagonal k, the point (x, x - k) means that x items of `from` and x - k items of `to` are consumed.
 * `reach` holds the furthest x on each diagonal; `trail[d]` is its state before edit d.
 */
function myers(from: readonly number[], to: readonly number[], maxEdits: number): Match[] | undefined {
  const limit = Math.min(from.length + to.length, maxEdits);
  const middle = limit + 1;
  const reach = new Int32Array(2 * limit + 3);
  const trail: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    trail.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      let x = furthest(reach, middle, k, edits);
      while (x < from.length && x - k < to.length && from[x] === to[x - k]) x++;
      reach[middle + k] = x;
      if (x >= from.length && x - k >= to.length) return backtrack(trail, from.length, to.length);
    }
  }
  return undefined;
}

/**
 * Start of diagonal k after one more edit: a removal from the diagonal on the left or an addition from the
 * one on the right.
 */
function furthest(reach: Int32Array, middle: number, k: number, edits: number): number {
  const left = reach[middle + k - 1] ?? 0;
  const right = reach[middle + k + 1] ?? 0;
  return k === -edits || (k !== edits && left < right) ? right : left + 1;
}

function backtrack(trail: readonly Int32Array[], fromLength: number, toLength: number): Match[] {
  const matches: Match[] = [];
  let x = fromLength;
  let y = toLength;
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const reach = trail[edits] ?? new Int32Array();
    const middle = edits + 1;
    const k = x - y;
    const added =
      k === -edits || (k !== edits && (reach[middle + k - 1] ?? 0) < (reach[middle + k + 1] ?? 0));
    const startX = edits === 0 ? 0 : furthest(reach, middle, k, edits);
    while (x > startX) {
      x--;
      y--;
      matches.push([x, y]);
    }
    if (added) y--;
    else x--;
  }
  return matches.reverse();
}

/** Positions of a longest rising subsequence; negative entries are skipped. Takes O(n log n). */
export function risingSubsequence(values: readonly number[]): number[] {
  // tails[n] is the position of the smallest value that ends a rising subsequence of n + 1 values.
  const tails: number[] = [];
  const before: number[] = [];
  for (const [position, value] of values.entries()) {
    if (value < 0) continue;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const half = (low + high) >>> 1;
      if ((values[tails[half] ?? 0] ?? 0) < value) low = half + 1;
      else high = half;
    }
    before[position] = tails[low - 1] ?? -1;
    tails[low] = position;
  }
  const rising: number[] = [];
  for (let position = tails.at(-1) ?? -1; position >= 0; position = before[position] ?? -1) {
    rising.push(position);
  }
  return rising.reverse();
}
