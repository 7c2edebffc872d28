/** One process of a set. */
export interface Replica {
  readonly name: string;
  /** Hash of its template. */
  readonly revision: string;
  readonly ready: boolean;
  /** Why it will not become ready. */
  readonly failure?: string | undefined;
  /** Why it is not ready. */
  readonly problem?: string | undefined;
  /** When it got its template, in milliseconds since 1970. */
  readonly updatedAt: number;
}

export interface UpdateSituation {
  /** Revision of the set's template. */
  readonly wanted: string;
  /** Last revision with which all replicas were ready. */
  readonly current: string | undefined;
  /** Revision from which the set was turned back, and why. */
  readonly failed: { readonly revision: string; readonly reason: string } | undefined;
  readonly hasTemplate: (revision: string) => boolean;
  /** By index; undefined for those that do not exist. */
  readonly replicas: readonly (Replica | undefined)[];
  readonly maxUnavailable: number;
  readonly progressDeadline: number;
  readonly onFailure: "Pause" | "Rollback";
  readonly paused: boolean;
  readonly now: number;
}

export interface UpdatePlan {
  /** Revision that each replica should have; undefined leaves one as it is. */
  readonly revisions: readonly (string | undefined)[];
  readonly phase: "Complete" | "Updating" | "Paused" | "RolledBack";
  readonly current: string | undefined;
  /** The wanted revision, if the set was turned back from it. */
  readonly failed: UpdateSituation["failed"];
  /** Why the update does not go on, and what happens instead. */
  readonly failure: string | undefined;
  /** Why one of the updated replicas is not ready yet. */
  readonly problem: string | undefined;
  /** Revisions whose templates are needed. */
  readonly keep: ReadonlySet<string>;
  readonly readyReplicas: number;
  readonly updatedReplicas: number;
  /** When the update has failed unless it made progress. */
  readonly deadline: number | undefined;
}

/**
 * Plans the next step of a rolling update. Pure. At most `maxUnavailable` replicas are unavailable because of it: a replica that is
 * not ready can be updated at any time, a ready one only while fewer than that are not ready. An updated replica that fails ends
 * the update, or turns it back.
 */
export function planUpdate(situation: UpdateSituation): UpdatePlan {
  const { wanted, replicas, current, paused, onFailure, now, progressDeadline } = situation;
  const updated = replicas.filter((each) => each?.revision === wanted);
  const failure = situation.failed?.revision === wanted ? situation.failed.reason : failureOf(situation);
  const isRolledBack =
    failure !== undefined &&
    onFailure === "Rollback" &&
    current !== undefined &&
    current !== wanted &&
    situation.hasTemplate(current);
  const target = isRolledBack ? current : wanted;
  const isStopped = paused || (failure !== undefined && !isRolledBack);

  let unavailable = replicas.filter((each) => each?.ready !== true).length;
  const revisions = replicas.map((replica) => {
    // New replicas are made even while an update is paused: of the template that is known to work, if there is one.
    if (replica === undefined)
      return isStopped && current !== undefined && situation.hasTemplate(current) ? current : target;
    if (replica.revision === target) return target;
    if (isStopped) return keptRevision(replica, situation);
    if (!replica.ready) return target;
    if (unavailable >= situation.maxUnavailable) return keptRevision(replica, situation);
    unavailable++;
    return target;
  });

  const isComplete = replicas.every((each) => each?.revision === wanted && each.ready);
  const waiting = updated
    .filter((each) => each !== undefined && !each.ready)
    .map((each) => each?.updatedAt ?? now);
  return {
    revisions,
    phase: isComplete ? "Complete" : isRolledBack ? "RolledBack" : isStopped ? "Paused" : "Updating",
    current: isComplete ? wanted : current,
    failed: isRolledBack ? { revision: wanted, reason: failure } : undefined,
    failure: failure === undefined ? undefined : failureText(situation, failure, isRolledBack),
    problem: problemOf(updated),
    keep: new Set(
      [wanted, current, ...replicas.map((each) => each?.revision)].filter((each) => each !== undefined),
    ),
    readyReplicas: replicas.filter((each) => each?.ready).length,
    updatedReplicas: updated.length,
    deadline:
      failure !== undefined || waiting.length === 0 ? undefined : Math.min(...waiting) + progressDeadline,
  };
}

function keptRevision(replica: Replica, { hasTemplate }: UpdateSituation): string | undefined {
  return hasTemplate(replica.revision) ? replica.revision : undefined;
}

function problemOf(replicas: readonly (Replica | undefined)[]): string | undefined {
  const replica = replicas.find((each) => each?.ready === false && each.problem);
  return replica && `${replica.name}: ${replica.problem}`;
}

/** Why an updated replica failed; undefined if none did. A set whose first template fails has nothing to return to. */
function failureOf({ wanted, replicas, progressDeadline, now }: UpdateSituation): string | undefined {
  for (const replica of replicas) {
    if (replica === undefined || replica.revision !== wanted || replica.ready) continue;
    if (replica.failure !== undefined) return replica.failure;
    if (now - replica.updatedAt >= progressDeadline) {
      return `${replica.name} did not become ready in time${replica.problem ? `: ${replica.problem}` : ""}`;
    }
  }
  return undefined;
}

function failureText({ wanted, current }: UpdateSituation, failure: string, isRolledBack: boolean): string {
  const end = isRolledBack ? `; the processes return to revision ${current}` : "; the update is stopped";
  return `revision ${wanted} failed: ${failure}${end}. Change the template to try again`;
}
