/** Range of neighbours that are all visible or all hidden. */
export interface VisibleRange {
  readonly start: number;
  readonly end: number;
  readonly visible: boolean;
}

/** Splits neighbours into ranges. Changed ones, and up to `context` others on either side, are visible. */
export function visibleRanges(changed: readonly boolean[], context: number): VisibleRange[] {
  // Distance to the nearest change, computed from the left and then from the right.
  const distance: number[] = [];
  let since = Infinity;
  for (const change of changed) distance.push((since = change ? 0 : since + 1));
  since = Infinity;
  for (let index = changed.length - 1; index >= 0; index--) {
    since = changed[index] ? 0 : since + 1;
    distance[index] = Math.min(distance[index] ?? Infinity, since);
  }
  const runs: VisibleRange[] = [];
  let start = 0;
  for (let end = 1; end <= distance.length; end++) {
    const visible = (distance[start] ?? 0) <= context;
    const next = distance[end];
    if (next !== undefined && next <= context === visible) continue;
    runs.push({ start, end, visible });
    start = end;
  }
  return runs;
}
