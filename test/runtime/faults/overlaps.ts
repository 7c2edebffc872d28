import type { Effect } from "./effects.js";

/** Process that was killed or frozen from outside. */
export interface Halt {
  readonly who: string;
  /** Number of effects when it was stopped. */
  readonly seen: number;
}

/**
 * Objects that two processes worked on at once. The effects that a process had started when it was stopped cannot be
 * undone: they count as ended with its last record before that, and their later records do not count. Effects that it
 * starts afterwards do count.
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

/** Number of objects by process that finished a run of them. */
export function spread(effects: readonly Effect[]): Map<string, number> {
  const names = new Map<string, Set<string>>();
  for (const { who, what, phase, name } of effects) {
    if (what !== "publish" || phase !== "end") continue;
    const done = names.get(who) ?? new Set();
    names.set(who, done.add(name));
  }
  return new Map([...names].map(([who, done]) => [who, done.size]));
}
