import { fraction, type Random } from "../../model/core.js";
import type { Director, RecordedEffect, TimelineEntry, DeliveredEvent } from "./director.js";
import {
  faultKinds,
  isAboutEvents,
  type Fault,
  type FaultKind,
  type Past,
  type FaultSchedule,
} from "./schedule.js";
import type { TrialOutcome } from "./trial.js";

export interface Choice {
  readonly kinds: readonly FaultKind[];
  readonly limit: number;
  readonly random: Random;
}

/** Every fault that could happen in a workload, by kind and in the order of their places. */
export function faultsOf(
  { effects, delivered, writes }: Pick<Director, "effects" | "delivered" | "writes">,
  kinds: readonly FaultKind[] = faultKinds,
): ReadonlyMap<FaultKind, readonly Fault[]> {
  const changing = effects.filter(({ changed }) => changed);
  const acting = actingOf(effects);
  const at = (kind: FaultKind, places: readonly { readonly number: number }[]): readonly Fault[] =>
    places.map(({ number }) => ({ kind, at: number }));
  const all: Record<FaultKind, () => readonly Fault[]> = {
    crash: () => at("crash", acting),
    down: () => at("down", changing),
    stale: () =>
      changing.flatMap((effect) =>
        pastsOf(effect, writes, delivered).map((past) => ({ kind: "stale", at: effect.number, past })),
      ),
    missed: () => at("missed", delivered),
    lag: () => at("lag", changing),
    lost: () => at("lost", acting),
    error: () =>
      at(
        "error",
        effects.filter((effect) => !effect.outside || acting.includes(effect)),
      ),
    // A create cannot conflict.
    conflict: () =>
      at(
        "conflict",
        effects.filter(({ outside, verb }) => !outside && verb !== "create"),
      ),
    slow: () =>
      at(
        "slow",
        changing.filter(({ atOnce }) => atOnce !== true),
      ),
    repeated: () => at("repeated", delivered),
  };
  return new Map(faultKinds.filter((kind) => kinds.includes(kind)).map((kind) => [kind, all[kind]()]));
}

/**
 * Effects that may have changed something: also calls of the outside world that do not change the snapshot. A repeated
 * call without a change in between is left out, since it probably only reads.
 */
function actingOf(effects: readonly RecordedEffect[]): readonly RecordedEffect[] {
  const calls = new Set<string>();
  return effects.filter(({ outside, changed, what }) => {
    if (changed) {
      calls.clear();
      return true;
    }
    if (!outside || calls.has(what)) return false;
    calls.add(what);
    return true;
  });
}

/**
 * States that controllers may still see after an effect: before the effect, before a write of the workload, before a
 * deletion.
 */
function pastsOf(
  { number, revision }: RecordedEffect,
  writes: readonly number[],
  delivered: readonly DeliveredEvent[],
): readonly Past[] {
  const written = writes.map((at, index) => ({ at, number: index + 1 })).filter(({ at }) => at < revision);
  const deleted = delivered.filter((each) => each.deleted && each.revision <= revision);
  return [
    { before: "effect", number },
    ...written.map(({ number }): Past => ({ before: "write", number })).toReversed(),
    ...deleted.map(({ number }): Past => ({ before: "event", number })).toReversed(),
  ];
}

/**
 * Chooses the schedules to run: all, up to the limit; otherwise each kind of fault gets an equal share, spread over the
 * whole workload. Unused parts of a share go to the other kinds.
 */
export function choose(
  reference: Pick<Director, "effects" | "delivered" | "writes">,
  { kinds, limit, random }: Choice,
): { readonly chosen: readonly FaultSchedule[]; readonly possible: number } {
  const faults = faultsOf(reference, kinds);
  const possible = [...faults.values()].reduce((sum, { length }) => sum + length, 0);
  const shares = sharesOf(
    [...faults.values()].map(({ length }) => length),
    limit,
  );
  const singles = [...faults.values()].flatMap((all, index) => spread(all, shares[index] ?? 0, random));
  return { chosen: singles.map((fault) => [fault]), possible };
}

/**
 * Adds a fault after the last one of a schedule; undefined when nothing happened after that. `isOfInterest` filters the
 * candidates.
 */
export function oneMore(
  schedule: FaultSchedule,
  { director, story }: Pick<TrialOutcome, "director" | "story">,
  { kinds, random }: Pick<Choice, "kinds" | "random">,
  isOfInterest: (fault: Fault) => boolean = () => true,
): FaultSchedule | undefined {
  const last = story.findLastIndex((line) => faultIn(line) !== undefined);
  if (last < 0) return undefined;
  const later = new Set(story.slice(last + 1).map(placeOf));
  const faults = [...faultsOf(director, kinds).values()]
    .flat()
    .filter((fault) => later.has(`${isAboutEvents(fault) ? "delivered" : "effect"} ${fault.at}`))
    .filter(isOfInterest);
  const fault = faults[Math.floor(fraction(random) * faults.length)];
  return fault && [...schedule, fault];
}

function placeOf(line: TimelineEntry): string {
  if (line.type === "delivered") return `delivered ${line.delivered.number}`;
  return line.type === "effect" ? `effect ${line.effect.number}` : "";
}

function faultIn(line: TimelineEntry): Fault | undefined {
  if (line.type === "delivered") return line.delivered.fault;
  return line.type === "effect" ? line.effect.fault : undefined;
}

/** Divides a limit as evenly as the needs allow. */
export function sharesOf(needs: readonly number[], limit: number): readonly number[] {
  const shares = needs.map(() => 0);
  for (let left = limit; left > 0;) {
    const unmet = needs.flatMap((need, index) => ((shares[index] ?? 0) < need ? [index] : []));
    if (unmet.length === 0) break;
    for (const index of unmet) {
      if (left === 0) break;
      shares[index] = (shares[index] ?? 0) + 1;
      left--;
    }
  }
  return shares;
}

/** Picks `count` items at even distances, starting at a random offset. */
function spread<T>(all: readonly T[], count: number, random: Random): readonly T[] {
  if (count >= all.length) return all;
  const first = fraction(random);
  return Array.from({ length: count }, (_, index) => Math.floor(((index + first) * all.length) / count))
    .map((place) => all[place])
    .filter((each) => each !== undefined);
}
