/** What can go wrong, and what it stands for. */
export const faultKinds = [
  "crash",
  "down",
  "stale",
  "missed",
  "lag",
  "lost",
  "error",
  "conflict",
  "slow",
  "repeated",
] as const;

/**
 * - `crash`: the controllers die right after an effect, before they see its answer, and are started anew;
 * - `down`: they die there, and are started anew only when the workload has gone on;
 * - `stale`: they die there too, and for a while the new ones are shown the past;
 * - `missed`: from an event on nothing is told, until the world has moved on; what was in between is never seen;
 * - `lag`: after an effect, nothing is told for a while;
 * - `lost`: an effect takes place, but its answer is an error;
 * - `error`: an effect fails and does not take place;
 * - `conflict`: a write is refused with a 409, once;
 * - `slow`: the answer to an effect takes its time;
 * - `repeated`: an event is told twice, and everything is looked at again.
 */
export type FaultKind = (typeof faultKinds)[number];

/** A moment of the past: before an effect of the controllers, a write of the workload, or what an event told. */
export interface Past {
  readonly before: "effect" | "write" | "event";
  readonly number: number;
}

/** One thing that goes wrong. */
export interface Fault {
  readonly kind: FaultKind;
  /** The number of the effect, or of the event for `missed` and `repeated`, counted from 1. */
  readonly at: number;
  /** What `stale` controllers are shown. */
  readonly past?: Past | undefined;
}

/** What goes wrong in one repetition of the workload. */
export type Schedule = readonly Fault[];

/** `crash@3`, `stale@7:w2` (as it was before the second write of the workload), `crash@3+lag@9`. */
export function scheduleId(schedule: Schedule): string {
  return schedule.map(faultId).join("+");
}

const letters = { effect: "e", write: "w", event: "t" } as const;
const pasts = { e: "effect", w: "write", t: "event" } as const;

function faultId({ kind, at, past }: Fault): string {
  return `${kind}@${at}${past === undefined ? "" : `:${letters[past.before]}${past.number}`}`;
}

/** The schedule that an id names. */
export function parseSchedule(id: string): Schedule {
  return id.split("+").map((text): Fault => {
    const [, kind = "", at = "", before, number = ""] =
      /^([a-z]+)@([1-9]\d*)(?::([ewt])([1-9]\d*))?$/.exec(text) ?? [];
    if (!isFaultKind(kind) || (kind === "stale") !== (before !== undefined)) {
      throw new TypeError(
        `there is no schedule ${JSON.stringify(id)}: ids look like crash@3, stale@7:w2 or crash@3+lag@9, as reports name them`,
      );
    }
    if (before === undefined) return { kind, at: Number(at) };
    const past = { before: pasts[before as keyof typeof pasts], number: Number(number) };
    return { kind, at: Number(at), past };
  });
}

export function isFaultKind(text: string): text is FaultKind {
  return (faultKinds as readonly string[]).includes(text);
}

/** Faults that happen when an event is told, and not when something is done. */
export function isAboutEvents({ kind }: Fault): boolean {
  return kind === "missed" || kind === "repeated";
}
