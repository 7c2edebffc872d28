import { commonSubsequence } from "./sequence.js";

/** Line of a text: kept, removed or added. */
export interface LineChange {
  readonly sign: "+" | "-" | " ";
  readonly line: string;
}

/** Texts with more differing lines are rendered as old and new. */
const maxEdits = 1000;

/** Compares two texts line by line; removed lines precede those added in their place. */
export function diffLines(from: readonly string[], to: readonly string[]): LineChange[] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
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
