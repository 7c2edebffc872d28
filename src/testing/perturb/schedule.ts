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
 * - `crash`: the controllers are killed right after an effect, before they get the response, and restarted;
 * - `down`: the same, but they are restarted only after the next write of the workload;
 * - `stale`: the same as `crash`, and for a while the restarted controllers see an old state;
 * - `missed`: no events are delivered until the next write of the workload, and those in between never;
 * - `lag`: no events are delivered for a while after an effect;
 * - `lost`: an effect takes place, but its response is an error;
 * - `error`: an effect fails and does not take place;
 * - `conflict`: a write fails with 409, once;
 * - `slow`: the response to an effect is delayed;
 * - `repeated`: an event is delivered twice, and all objects are reconciled again.
 */
export type FaultKind = (typeof faultKinds)[number];

/** Earlier point in the history: before an effect, before a write of the workload, or before the change of an event. */
export interface Past {
  readonly before: "effect" | "write" | "event";
  readonly number: number;
}

export interface Fault {
  readonly kind: FaultKind;
  /** Number of the effect, or of the event for `missed` and `repeated`, counted from 1. */
  readonly at: number;
  /** State that the controllers see after a `stale` fault. */
  readonly past?: Past | undefined;
}

/** Faults of one run of the workload. */
export type FaultSchedule = readonly Fault[];

/** Id of a schedule: `crash@3`, `stale@7:w2` (as it was before the second write of the workload), `crash@3+lag@9`. */
export function scheduleId(schedule: FaultSchedule): string {
  return schedule.map(faultId).join("+");
}

const letters = { effect: "e", write: "w", event: "t" } as const;
const pasts = { e: "effect", w: "write", t: "event" } as const;

function faultId({ kind, at, past }: Fault): string {
  return `${kind}@${at}${past === undefined ? "" : `:${letters[past.before]}${past.number}`}`;
}

export function parseSchedule(id: string): FaultSchedule {
  return id.split("+").map((text): Fault => {
    const [, kind = "", at = "", before, number = ""] =
      /^([a-z]+)@([1-9]\d*)(?::([ewt])([1-9]\d*))?$/.exec(text) ?? [];
    if (!isFaultKind(kind) || (kind === "stale") !== (before !== undefined)) {
      throw new TypeError(
        `invalid schedule ${JSON.stringify(id)}: use an id from a report, such as crash@3, stale@7:w2 or crash@3+lag@9`,
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

/** True for faults that happen at an event, not at an effect. */
export function isAboutEvents({ kind }: Fault): boolean {
  return kind === "missed" || kind === "repeated";
}
