import type { Run, WriteRecord } from "../../runs/run.js";
import { askedDuring, describeAsked, isAlike, type Asked } from "./asked.js";
import { causesOf, eachVersion, isChange, isHasty, selfOf, type Cause } from "./causes.js";
import type { FightOptions } from "./fights.js";
import type { Finding } from "./finding.js";
import { dropOld, elapsed, Recent } from "./recent.js";
import { Rounds, type Link } from "./rounds.js";
import { SetBacks } from "./set-backs.js";

export interface HotLoopOptions {
  /** How many runs for the same reason within `window` are a hot loop. Default 10. */
  readonly runs?: number | undefined;
  /** In milliseconds. Default one minute. */
  readonly window?: number | undefined;
}

const mostObjects = 1000;
/** Of one object; a run that writes more is recognised by the last ones. */
const mostWrites = 64;
const mostCauses = 32;

/** What is remembered of an object that its controller writes for. */
interface Memory {
  generation: number | undefined;
  /** What its runs have written lately, as `Page default/x@17`, with which part of it. */
  readonly writes: Map<string, string>;
  /** When its last run began and ended. */
  startedAt: number | undefined;
  endedAt: number;
  /** When it was run for each cause. */
  causes: Causes | undefined;
  /** How all of its last runs were asked for, and when they ended. */
  asked: { readonly how: Asked; readonly times: number[] } | undefined;
  /** How many runs there were since the time. */
  runs: number;
  since: number;
  /** What is known only of an object that is run often. */
  closer: Closer | undefined;
}

interface Closer {
  readonly setBacks: SetBacks;
  /** Its last runs that wrote something, the last one first. */
  links: readonly Link[];
}

type Causes = Map<string, { readonly cause: Cause; readonly times: number[] }>;
type ChangedBy = (object: string) => string | undefined;

const nothing: readonly Finding[] = [];

/**
 * Finds objects that are run again and again because of what their runs do: a run writes something, the write brings the
 * object back, the next run writes it again. A run counts when it was brought about
 *
 * - by a write of an earlier run, of the object itself or of a child,
 * - by somebody's change to an object which this run then wrote (they change it, we change it back),
 * - by having asked to be run again at once, or by being asked for by hand in the run before,
 *
 * or when it both made and deleted children of one kind. A run for an earlier one's write counts only if it writes as well,
 * as the circle is broken otherwise. Only runs with the same cause (the same object) add up, so a
 * controller that makes its children one after another is no loop; and all is forgotten when the object's spec was changed
 * by others, so neither is somebody who changes it often. Failures are no hot loop: they are spaced.
 *
 * Whether it is due to a run that others change an object can be told only by looking closer, which is done for objects
 * that are run often: whether writes come back by way of other controllers (`Rounds`), and whether somebody sets fields
 * of the object back and forth with us (`SetBacks`).
 */
export class HotLoops {
  readonly #runs: number;
  readonly #window: number;
  readonly #times: number;
  readonly #objects = new Recent<Memory>(mostObjects);
  readonly #rounds = new Rounds();

  constructor({ runs = 10, window = 60_000 }: HotLoopOptions = {}, { times = 3 }: FightOptions = {}) {
    this.#runs = runs;
    this.#window = window;
    this.#times = times;
  }

  /**
   * Looks at a run that has ended; returns the loops and fights it is part of. `changedBy` tells who changed an object
   * last, and is asked only about a loop.
   */
  add(run: Run, now: number, changedBy: ChangedBy = () => undefined): readonly Finding[] {
    const id = `${run.controller} ${run.kind} ${run.key}`;
    if (run.outcome.type === "gone") {
      this.#objects.delete(id);
      return nothing;
    }
    // Most runs write nothing and were brought about by nothing of the kind.
    if (this.#objects.get(id) === undefined && run.writes.length === 0 && !run.triggers.some(isHasty))
      return nothing;
    const memory = this.#objects.use(id, newMemory);
    const loop = this.#loopOf(run, memory, now, changedBy);
    this.#countRun(memory, now);
    const link = this.#rounds.isWatching(now) ? this.#rounds.add(run, now) : undefined;
    if (memory.closer !== undefined)
      return this.#lookCloser(run, memory.runs, memory.closer, link, loop, now);
    return loop === undefined ? nothing : [loop];
  }

  /** A loop that can be told from what the object's own runs do. */
  #loopOf(run: Run, memory: Memory, now: number, changedBy: ChangedBy): Finding | undefined {
    const causes = causesOf(run, memory.writes);
    const asked = askedDuring(memory, run);
    const isChanged = memory.generation !== undefined && memory.generation !== run.generation;
    const isOurs = causes.some((cause) => cause.id === `own ${selfOf(run)}`);
    memory.generation = run.generation;
    memory.startedAt = run.startedAt;
    memory.endedAt = run.startedAt + run.duration;
    remember(memory.writes, run.writes);
    if (isChanged && !isOurs) {
      memory.causes = undefined;
      memory.asked = undefined;
      return undefined;
    }
    return this.#caused(run, memory, causes, now, changedBy) ?? this.#asked(run, memory, asked, now);
  }

  #caused(
    run: Run,
    memory: Memory,
    causes: readonly Cause[],
    now: number,
    changedBy: ChangedBy,
  ): Finding | undefined {
    if (causes.length === 0) return undefined;
    const counted = (memory.causes ??= new Map());
    const isGoingOn = run.writes.some(isChange);
    for (const cause of causes) if (!cause.isOwn || isGoingOn) this.#count(counted, cause, now);
    return this.#findingOf(run, counted, now, changedBy);
  }

  /** Who asked can only be guessed, so all runs must have been asked for alike, and there must be twice as many. */
  #asked(run: Run, memory: Memory, how: Asked | undefined, now: number): Finding | undefined {
    if (how === undefined || memory.asked === undefined || !isAlike(how, memory.asked.how)) {
      memory.asked = how && { how, times: [now] };
      return undefined;
    }
    const { times } = memory.asked;
    times.push(now);
    dropOld(times, now, this.#window);
    if (times.length < 2 * this.#runs) return undefined;
    const loop = { count: times.length, since: times[0] ?? now, texts: [describeAsked(how)] };
    times.length = 0;
    return loopFinding(run, loop, now);
  }

  /** From half the runs of a loop on an object is looked at more closely, until there are fewer again. */
  #countRun(memory: Memory, now: number): void {
    const isOften = memory.runs >= this.#runs / 2;
    if (now - memory.since > this.#window) {
      memory.since = now;
      memory.runs = 0;
      if (!isOften) memory.closer = undefined;
    }
    memory.runs++;
    if (memory.closer === undefined) {
      if (memory.runs < this.#runs / 2) return;
      const setBacks = new SetBacks({ times: this.#times, window: this.#window });
      memory.closer = { setBacks, links: [] };
    }
    this.#rounds.watch(now + this.#window);
  }

  #lookCloser(
    run: Run,
    runs: number,
    closer: Closer,
    link: Link | undefined,
    loop: Finding | undefined,
    now: number,
  ): readonly Finding[] {
    closer.setBacks.add(run, now);
    // What brought the last run about may still be under way, and is known only when it has ended: so the one before counts.
    if (link !== undefined) closer.links = [link, ...closer.links.slice(0, 1)];
    if (runs < this.#runs) return loop === undefined ? nothing : [loop];
    const found = loop ?? this.#circleOf(run, closer.links, now);
    const fights = closer.setBacks.findings(run, now);
    return found === undefined ? fights : [found, ...fights];
  }

  /** A loop by way of others. */
  #circleOf(run: Run, links: readonly Link[], now: number): Finding | undefined {
    for (const link of links) {
      if (link.isTold) continue;
      const circle = this.#rounds.circleOf(link, this.#runs);
      if (circle === undefined || circle.rounds < this.#runs) continue;
      link.isTold = true;
      const text = `its own writes, answered by ${circle.via.join(", then ")}`;
      return loopFinding(run, { count: circle.rounds, since: circle.since, texts: [text] }, now);
    }
    return undefined;
  }

  #count(causes: Causes, cause: Cause, now: number): void {
    const counted = causes.get(cause.id) ?? { cause, times: [] };
    causes.delete(cause.id);
    causes.set(cause.id, counted);
    if (causes.size > mostCauses) causes.delete(causes.keys().next().value ?? "");
    counted.times.push(now);
    dropOld(counted.times, now, this.#window);
  }

  #findingOf(run: Run, causes: Causes, now: number, changedBy: ChangedBy): Finding | undefined {
    const hot = [...causes.values()]
      .filter(({ times }) => times.length >= this.#runs && times.at(-1) === now)
      .sort((one, other) => other.times.length - one.times.length);
    const [first] = hot;
    if (first === undefined) return undefined;
    const since = first.times[0] ?? now;
    const count = first.times.length;
    const texts = hot.map(({ cause }) => explain(cause, changedBy));
    for (const { times } of hot) times.length = 0;
    return loopFinding(run, { count, since, texts }, now);
  }
}

interface Loop {
  readonly count: number;
  readonly since: number;
  readonly texts: readonly string[];
}

function loopFinding(run: Run, { count, since, texts }: Loop, now: number): Finding {
  const object = selfOf(run);
  return {
    type: "hot-loop",
    controller: run.controller,
    object,
    message: `${object} is in a hot loop: ${count} runs in ${elapsed(since, now)}, kept going by ${texts.join(" and ")}`,
    count,
    since,
    at: now,
    causes: texts,
  };
}

function newMemory(): Memory {
  return {
    generation: undefined,
    writes: new Map(),
    startedAt: undefined,
    endedAt: 0,
    causes: undefined,
    asked: undefined,
    runs: 0,
    since: 0,
    closer: undefined,
  };
}

function explain({ text, foreign }: Cause, changedBy: ChangedBy): string {
  const who = foreign === undefined ? undefined : changedBy(foreign);
  return who === undefined ? text : `${text} (last by ${who})`;
}

function remember(known: Map<string, string>, writes: readonly WriteRecord[]): void {
  eachVersion(writes, (version, { subresource = "" }) => {
    known.set(version, subresource);
    if (known.size > mostWrites) known.delete(known.keys().next().value ?? "");
  });
}
