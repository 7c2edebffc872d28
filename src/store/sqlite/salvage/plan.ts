import { chainSum } from "../integrity/checksum.js";
import { revisionOf } from "../schema.js";
import type { SalvageFindings, ProvenMutation } from "./collect.js";

/** Key whose newest version is lost. */
interface LostKey {
  readonly key: string;
  /** Revision that is lost. */
  readonly revision: number;
  /** Revision of the older version that is kept instead; undefined when there is none. */
  readonly kept: number | undefined;
}

/** Mutations that are missing after one revision and before another, of which the keys are not known. */
interface Gap {
  readonly after: number;
  /** Undefined at the end of the log. */
  readonly before: number | undefined;
}

/** Decision what to keep of a damaged store. */
export interface SalvagePlan {
  /** Newest proven version of every key that exists. */
  readonly kept: readonly ProvenMutation[];
  readonly lost: readonly LostKey[];
  readonly gaps: readonly Gap[];
  /** Lost objects of which nothing is known, from before the revision where history starts. */
  readonly lostWithoutName: number;
  /** False when `gaps` and `lostWithoutName` cannot be told. */
  readonly knowsGaps: boolean;
  /** Greatest revision that is known to have existed. */
  readonly revision: number;
  /** Objects that had been deleted may be among those kept. */
  readonly mayHaveDeleted: boolean;
}

/**
 * Decides what to keep: the newest proven mutation of every key.
 *
 * Mutations after the mark `swept` were never deleted from the log, so all that are found anywhere count. Of those before it
 * only some were kept: what is found only in unused pages may have been replaced or deleted long ago.
 */
export function planSalvage(
  { mutations, newest, marks, knowsFreePages }: SalvageFindings,
  marked: number | undefined,
): SalvagePlan {
  const swept = marks.get("swept") ?? Infinity;
  const isKnown = ({ id, key, isCurrent }: ProvenMutation): boolean =>
    id > swept || (isCurrent && (knowsFreePages || newest.get(key) === id));
  const proven = [...mutations.values()].filter(isKnown).toSorted((a, b) => a.id - b.id);
  const byKey = new Map<string, ProvenMutation>();
  for (const mutation of proven) byKey.set(mutation.key, mutation);
  const kept = [...byKey.values()].filter(({ deleted }) => !deleted);
  const lost = [...newest].flatMap(([key, id]): LostKey[] => {
    const found = byKey.get(key);
    if (found !== undefined && found.id >= id) return [];
    const kept = found === undefined || found.deleted ? undefined : revisionOf(found.id);
    return [{ key, revision: revisionOf(id), kept }];
  });
  const last = revisionOf(proven.at(-1)?.id ?? 0);
  const revision = lost.reduce((most, each) => Math.max(most, each.revision), Math.max(last, marked ?? 0));
  const anchor = marks.get("anchor");
  const gaps =
    anchor === undefined
      ? []
      : findGaps(
          proven.filter(({ id }) => id > swept),
          { id: swept, chain: anchor },
        );
  if (last < revision) gaps.push({ after: last, before: undefined });
  const before = proven.filter(({ id }) => id <= swept).length;
  const missing = (marks.get("swept_count") ?? 0) - before;
  const named = lost.filter((each) => each.revision <= revisionOf(swept)).length;
  return {
    kept,
    lost,
    gaps,
    lostWithoutName: swept === Infinity ? 0 : Math.max(0, missing - named),
    // Without the high-water mark, nobody knows whether the newest mutations are missing.
    knowsGaps: marked !== undefined && anchor !== undefined && swept !== Infinity,
    revision,
    mayHaveDeleted: !knowsFreePages,
  };
}

/** Compares every mutation with the chain up to the one before it. */
function findGaps(
  chained: readonly ProvenMutation[],
  start: { readonly id: number; readonly chain: number },
): Gap[] {
  const gaps: Gap[] = [];
  let before = start;
  for (const mutation of chained) {
    if (chainSum(before.chain, mutation) !== mutation.chain)
      gaps.push({ after: revisionOf(before.id), before: revisionOf(mutation.id) });
    before = mutation;
  }
  return gaps;
}

/** True when everything that was committed is kept. */
export function isComplete({ lost, gaps, lostWithoutName, knowsGaps }: SalvagePlan): boolean {
  return knowsGaps && lost.length === 0 && gaps.length === 0 && lostWithoutName === 0;
}
