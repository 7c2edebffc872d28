import { commonSubsequence } from "./sequence.js";

/** A line of a text and whether it stays, goes or comes. */
export interface LineChange {
  readonly sign: "+" | "-" | " ";
  readonly line: string;
}

/** Texts with more differing lines than this are shown as the old one and the new one. */
const maxEdits = 1000;

/** What became of the lines of a text; where lines were replaced, the old ones stand before the new ones. */
export function diffLines(from: readonly string[], to: readonly string[]): LineChange[] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    return known;
  };
  const matches = commonSubsequence(from.map(numberOf), to.map(numberOf), maxEdits) ?? [];
  const changes: LineChange[] = [];
  let fromNext = 0;
  let toNext = 0;
  const advance = (fromEnd: number, toEnd: number): void => {
    for (const line of from.slice(fromNext, fromEnd)) changes.push({ sign: "-", line });
    for (const line of to.slice(toNext, toEnd)) changes.push({ sign: "+", line });
  };
  for (const [a, b] of matches) {
    advance(a, b);
    changes.push({ sign: " ", line: to[b] ?? "" });
    fromNext = a + 1;
    toNext = b + 1;
  }
  advance(from.length, to.length);
  return changes;
}
