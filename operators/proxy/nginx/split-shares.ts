/** Parts of a whole that nginx can tell apart: hundredths of a percent. */
const whole = 10_000;

/**
 * Shares of weights in percent, as `split_clients` reads them; the last one is the rest, `*`. Undefined for a weight that is too small for
 * a share. Rounded by the method of the largest remainder, so that each is exact to 0.01 %.
 */
export function splitShares(weights: readonly number[]): readonly (string | undefined)[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const exact = weights.map((weight) => (weight / total) * whole);
  const parts = exact.map(Math.floor);
  const missing = whole - parts.reduce((sum, part) => sum + part, 0);
  const byRemainder = exact.map((share, position) => ({ position, remainder: share - Math.floor(share) }));
  byRemainder.sort((a, b) => b.remainder - a.remainder || a.position - b.position);
  for (const { position } of byRemainder.slice(0, missing)) parts[position] = (parts[position] ?? 0) + 1;
  const last = parts.findLastIndex((part) => part > 0);
  return parts.map((part, position) => {
    if (part === 0) return undefined;
    return position === last ? "*" : `${Math.floor(part / 100)}.${String(part % 100).padStart(2, "0")}%`;
  });
}
