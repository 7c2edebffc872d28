import type { Run } from "../../runs/run.js";
import { eachVersion, isManual, selfOf, subjectOf, versionOf } from "./causes.js";

/** A run that has written something, and what brought it about. */
export interface Link {
  readonly controller: string;
  readonly object: string;
  /** When it had ended. */
  readonly at: number;
  /** The versions whose coming it was run for, and when they came. */
  readonly causes: readonly { readonly version: string; readonly at: number }[];
  /** Somebody asked for it by hand. */
  readonly isAsked: boolean;
  /** The rounds up to here were told of. */
  isTold: boolean;
}

/** How often an object's own writes have come back to it, always by way of the same others. */
export interface Circle {
  readonly rounds: number;
  readonly since: number;
  /** Those that answered: `pages.demo.dev for Page default/hello-1`. */
  readonly via: readonly string[];
}

const mostVersions = 4096;
/** How many runs are looked at to find the way back from one run of an object to the one before. */
const mostLooked = 32;

/**
 * Follows writes from run to run, also of different controllers: a run writes something, the write brings about a run of
 * another object or controller, and what that one writes brings about a run of the first again. What somebody outside has
 * changed, or asked for, begins anew: a run that is (also) due to that is part of no circle.
 *
 * Runs are remembered only from `watch` on and for as long as it was asked for, as most of the time nobody goes round in
 * circles.
 */
export class Rounds {
  #until = -Infinity;
  /** Which run has made which version, by a request that was sent at the time. */
  readonly #makers = new Map<string, { readonly link: Link; readonly at: number }>();

  /** Remembers runs from now on. */
  watch(until: number): void {
    this.#until = Math.max(this.#until, until);
  }

  isWatching(now: number): boolean {
    if (now <= this.#until) return true;
    if (this.#makers.size > 0) this.#makers.clear();
    return false;
  }

  /** Takes note of a run; undefined when it has written nothing, and so cannot go on. */
  add(run: Run, now: number): Link | undefined {
    let link: Link | undefined;
    eachVersion(run.writes, (version, { at }) => {
      link ??= linkOf(run, now);
      // A write that changes nothing is answered with a version that somebody has made before.
      if ((this.#makers.get(version)?.at ?? Infinity) <= at) return;
      this.#makers.set(version, { link, at });
      if (this.#makers.size > mostVersions) this.#makers.delete(this.#makers.keys().next().value ?? "");
    });
    return link;
  }

  /** Goes back from a run to earlier ones of its object, by way of the same others each time, but no further than asked. */
  circleOf(run: Link, most: number): Circle | undefined {
    const seen = new Set<Link>([run]);
    let last = run;
    let via: readonly string[] | undefined;
    let rounds = 0;
    while (rounds < most) {
      const back = this.#back(last, seen);
      if (back === undefined || (via !== undefined && via.join() !== back.via.join())) break;
      via = back.via;
      last = back.link;
      seen.add(last);
      rounds++;
    }
    return via && { rounds, since: last.at, via };
  }

  /** The nearest earlier run of the same controller for the same object that led to this one by way of others. */
  #back(
    run: Link,
    known: ReadonlySet<Link>,
  ): { readonly link: Link; readonly via: readonly string[] } | undefined {
    const seen = new Set<Link>([run]);
    let reached: readonly { readonly link: Link; readonly via: readonly string[] }[] = [
      { link: run, via: [] },
    ];
    while (reached.length > 0 && seen.size < mostLooked) {
      const next = [];
      for (const { link, via } of reached) {
        for (const before of this.#before(link)) {
          if (isSame(before, run)) {
            // What comes back at once is the object's own loop, and no circle.
            if (via.length === 0) continue;
            return before.isTold || known.has(before) ? undefined : { link: before, via };
          } else if (!seen.has(before)) {
            seen.add(before);
            next.push({ link: before, via: [nameOf(before, run), ...via] });
          }
        }
      }
      reached = next;
    }
    return undefined;
  }

  /** The runs that brought one about; none when somebody else had to do with it. */
  #before({ causes, isAsked }: Link): readonly Link[] {
    if (isAsked) return [];
    const links: Link[] = [];
    for (const { version, at } of causes) {
      const maker = this.#makers.get(version);
      if (maker === undefined || maker.at > at) return [];
      links.push(maker.link);
    }
    return links;
  }
}

function linkOf(run: Run, at: number): Link {
  const object = selfOf(run);
  const causes: { version: string; at: number }[] = [];
  for (const trigger of run.triggers) {
    const subject = subjectOf(trigger, object);
    if (subject !== undefined) causes.push({ version: versionOf(trigger, subject), at: trigger.at });
  }
  const isAsked = run.triggers.some(isManual);
  return { controller: run.controller, object, at, causes, isAsked, isTold: false };
}

function isSame(one: Link, other: Link): boolean {
  return one.controller === other.controller && one.object === other.object;
}

function nameOf({ controller, object }: Link, from: Link): string {
  return object === from.object ? controller : `${controller} for ${object}`;
}
