/**
 * The word that was probably meant, if one is near enough.
 *
 * @example
 * nearest("widgt", ["widgets", "widget", "pods"]); // "widget"
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const most = word.length <= 2 ? 0 : word.length <= 5 ? 1 : 2;
  let best: { readonly text: string; readonly distance: number } | undefined;
  for (const text of candidates) {
    if (Math.abs(text.length - word.length) > most) continue;
    const distance = editDistance(word, text);
    if (distance <= most && (best === undefined || distance < best.distance)) best = { text, distance };
  }
  return best?.text;
}

/** Number of letters to insert, delete, replace or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwapped) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
