import type { Effect } from "./effects.js";

/** A process that did nothing more for a while, or for good, from outside: it was killed or frozen. */
export interface Halt {
  readonly who: string;
  /** How many effects there were when it had halted. */
  readonly seen: number;
}

/**
 * Objects that two were at work on at once. What a process had begun when it was halted nobody can take back: it counts as
 * over after the last thing it wrote down before, and what it still says of it when it wakes counts for nothing. Whatever
 * it begins after that counts in full.
 */
export function overlaps(effects: readonly Effect[], halts: readonly Halt[]): string[] {
  const halted = new Map<number, string>();
  for (const { who, seen } of halts) {
    const last = effects.slice(0, seen).findLastIndex((each) => each.who === who);
    halted.set(last, who);
  }
  const problems: string[] = [];
  const working = new Map<string, string>();
  for (const [index, { who, what, name, phase }] of effects.entries()) {
    const on = `${what} ${name}`;
    const other = working.get(on);
    if (phase !== "start") {
      if (other === who) working.delete(on);
    } else {
      if (other !== undefined) problems.push(`${on}: ${who} began while ${other} was at it`);
      working.set(on, who);
    }
    const over = halted.get(index);
    if (over === undefined) continue;
    for (const [each, whose] of working) if (whose === over) working.delete(each);
  }
  return problems;
}

/** How many objects each has finished a run of, of those effects. */
export function spread(effects: readonly Effect[]): Map<string, number> {
  const names = new Map<string, Set<string>>();
  for (const { who, what, phase, name } of effects) {
    if (what !== "publish" || phase !== "end") continue;
    const done = names.get(who) ?? new Set();
    names.set(who, done.add(name));
  }
  return new Map([...names].map(([who, done]) => [who, done.size]));
}
