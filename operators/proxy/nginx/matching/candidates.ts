import type { RoutingRule } from "../../translate/configuration.js";
import { candidate, type Candidate } from "./conditions.js";
import { enclosingPrefixes, isBelow } from "./path.js";

/**
 * List of the rules that a location tries, in order. It ends with a rule without conditions, or with none, and a request is not
 * found then. Locations share the tails of their lists, so that the lists of many nested paths take little room.
 */
export interface CandidateList {
  readonly candidate: Candidate;
  readonly next: CandidateList | undefined;
  /** True if this or a following candidate only concerns some of the locations below. */
  readonly isPartial: boolean;
}

/** Location of nginx with the rules it tries. */
export interface LocationCandidates {
  readonly type: "exact" | "prefix";
  /** Path of the location; that of a prefix ends with a slash. */
  readonly path: string;
  readonly candidates: CandidateList | undefined;
}

/**
 * Locations of a server. nginx takes the exact one, otherwise the one with the longest prefix, and no other: so the list of a
 * location has all rules whose path matches there, those of shorter prefixes included, which are tried if conditions do not hold.
 */
export function locationCandidates(rules: readonly RoutingRule[]): readonly LocationCandidates[] {
  const candidates = rules.map(candidate);
  const exact = groupByPath(candidates, "exact");
  const prefixes = groupByPath(candidates, "prefix");
  const anywhere = candidates.filter(({ location }) => location.type === "any");
  const lists = new Map<string, CandidateList | undefined>();
  lists.set(
    "",
    merge([...(prefixes.get("") ?? []), ...anywhere].sort(byIndex), undefined, () => true),
  );
  for (const path of [...prefixes.keys()].sort((a, b) => a.length - b.length)) {
    if (path === "") continue;
    const parent = enclosing(path.slice(0, path.lastIndexOf("/")));
    lists.set(path, merge(prefixes.get(path) ?? [], parent, concerns(path)));
  }

  const locations: LocationCandidates[] = [];
  for (const [path, list] of lists) {
    locations.push({ type: "prefix", path: `${path}/`, candidates: list });
    // The exact path of a prefix is not below the location with the slash.
    if (path !== "" && !exact.has(path))
      locations.push({ type: "exact", path, candidates: merge([], list, concernsNone) });
  }
  for (const [path, own] of exact)
    locations.push({ type: "exact", path, candidates: merge(own, enclosing(path), concernsNone) });
  return locations.sort(asNginxSorts);

  function enclosing(path: string): CandidateList | undefined {
    for (const prefix of enclosingPrefixes(path)) if (lists.has(prefix)) return lists.get(prefix);
    return undefined;
  }
}

function groupByPath(
  candidates: readonly Candidate[],
  type: "exact" | "prefix",
): ReadonlyMap<string, readonly Candidate[]> {
  const groups = new Map<string, Candidate[]>();
  for (const one of candidates) {
    if (one.location.type !== type) continue;
    const group = groups.get(one.location.path);
    if (group === undefined) groups.set(one.location.path, [one]);
    else group.push(one);
  }
  return groups;
}

const byIndex = (a: Candidate, b: Candidate): number => a.index - b.index;

/** Predicate for the candidates of an enclosing location that also concern a prefix below it. */
function concerns(prefix: string): (one: Candidate) => boolean {
  return ({ location }) =>
    location.type !== "any" || location.below === undefined || isBelow(location.below, prefix);
}

/** Predicate for an exact path: what is below it is longer. */
function concernsNone({ location }: Candidate): boolean {
  return location.type !== "any" || location.below === undefined;
}

/** Merges candidates into the list of the enclosing location, by precedence. The tail of that list is shared, if possible. */
function merge(
  own: readonly Candidate[],
  enclosing: CandidateList | undefined,
  isConcerned: (one: Candidate) => boolean,
): CandidateList | undefined {
  const merged: Candidate[] = [];
  let tail = enclosing;
  let position = 0;
  for (;;) {
    const mine = own[position];
    if (mine === undefined && !(tail?.isPartial ?? false)) break;
    let chosen: Candidate | undefined;
    if (mine !== undefined && (tail === undefined || mine.index < tail.candidate.index)) {
      chosen = mine;
      position++;
    } else if (tail !== undefined) {
      chosen = isConcerned(tail.candidate) ? tail.candidate : undefined;
      tail = tail.next;
    }
    if (chosen === undefined) continue;
    merged.push(chosen);
    if (chosen.conditions.length > 0) continue;
    tail = undefined;
    break;
  }
  return merged.reduceRight<CandidateList | undefined>((next, one) => prepend(one, next), tail);
}

function prepend(one: Candidate, next: CandidateList | undefined): CandidateList {
  const isPartial = one.location.type === "any" && one.location.below !== undefined;
  return { candidate: one, next, isPartial: isPartial || (next?.isPartial ?? false) };
}

/** Compares as nginx does: it sorts locations by insertion, which takes long unless they are sorted already. */
function asNginxSorts(a: LocationCandidates, b: LocationCandidates): number {
  const order = Buffer.compare(sortKey(a.path), sortKey(b.path));
  return order === 0 ? (a.type === "exact" ? -1 : 1) : order;
}

function sortKey(path: string): Buffer {
  return Buffer.from(path.replaceAll("/", "\u0000"));
}
