import { type Expression, partsOf } from "./expression.js";

/** How high a tree may be: chains inside of nested parts add up. */
const highest = 1500;

/** Whether a tree is too high for what later goes down it by recursion. */
export function isTooDeep(expression: Expression): boolean {
  const seen = new Set<Expression>();
  let level = [expression];
  for (let height = 0; level.length > 0; height++) {
    if (height > highest) return true;
    const next: Expression[] = [];
    for (const node of level) {
      if (seen.has(node)) continue;
      seen.add(node);
      for (const part of partsOf(node)) next.push(part);
    }
    level = next;
  }
  return false;
}
