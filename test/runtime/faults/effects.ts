import type { SiteObject } from "./sites.js";

/** Start or end of an effect on the outside world. */
export interface Effect {
  readonly at: number;
  /** Process or candidate that caused the effect. */
  readonly who: string;
  readonly what: "publish" | "unpublish" | "run";
  /** `cut` is the end of a cancelled effect. */
  readonly phase: "start" | "end" | "cut";
  readonly name: string;
  readonly uid: string;
  /** Published text. */
  readonly text: string;
}

/** Published text of a site. */
export function textOf({ spec }: Pick<SiteObject, "spec">): string {
  return `${spec.title} × ${spec.pages}`;
}

/**
 * Effects on one site that overlapped. With `dead`, processes may have been killed during an effect: it then ends with
 * the next effect on the site.
 */
export function overlapping(effects: readonly Effect[], { dead = false } = {}): string[] {
  const problems: string[] = [];
  const working = new Map<string, Effect>();
  for (const effect of effects) {
    const other = working.get(effect.name);
    if (effect.phase !== "start") {
      if (other?.who === effect.who) working.delete(effect.name);
      continue;
    }
    if (other !== undefined && !(dead && other.who !== effect.who)) {
      problems.push(`${textOfEffect(effect)} while ${textOfEffect(other)} was at work`);
    }
    working.set(effect.name, effect);
  }
  return problems;
}

/**
 * Differences between the outside world and the sites: each site must be published as it is now, and deleted sites must
 * be cleaned up. A site that was deleted before its first effect needs no cleanup.
 */
export function unfinished(effects: readonly Effect[], sites: readonly SiteObject[]): string[] {
  const problems: string[] = [];
  const last = new Map<string, Effect>();
  const open = new Set<string>();
  for (const effect of effects) {
    const { uid, phase } = effect;
    if (phase === "start") open.add(uid);
    if (phase === "end") {
      open.delete(uid);
      last.set(uid, effect);
    }
  }
  const there = new Set<string>();
  for (const site of sites) {
    const { uid = "", name = "" } = site.metadata;
    there.add(uid);
    const done = last.get(uid);
    if (done?.what !== "publish" || done.text !== textOf(site)) {
      problems.push(`${name} is published as ${done?.text ?? "nothing"}, and should be ${textOf(site)}`);
    }
  }
  for (const uid of new Set([...last.keys(), ...open])) {
    if (there.has(uid)) continue;
    const done = last.get(uid);
    if (done?.what !== "unpublish" || open.has(uid))
      problems.push(`${done?.name ?? uid} is gone, and was not unpublished`);
  }
  return problems;
}

function textOfEffect({ who, what, name }: Effect): string {
  return `${what} ${name} by ${who}`;
}
