import { createHash } from "node:crypto";
import { controller, duration, type Controller, type SpecInput } from "fettle";
import { ControllerRevision } from "fettle/kubernetes";
import { Process, ProcessSet, setLabel, type ProcessObject, type ProcessSetObject } from "./kinds.js";
import { planUpdate, type Replica } from "./rolling-update.js";
import { conditionsOf } from "./status.js";

/** Label of a process: hash of the template that it was made from. */
const revisionLabel = "process.fettle.dev/revision";
/** Annotation of a process: when it got its template. */
const updatedAt = "process.fettle.dev/updatedAt";

type Template = ProcessSetObject["spec"]["template"];

/** Keeps the processes of sets: as many as the set wants, updated a few at a time. */
export const processSets: Controller = controller({
  for: ProcessSet,
  owns: [Process, ControllerRevision],
  resync: "10m",

  reconcile(set, { ensure, children, report, condition, ready, recordEvent, requeue, now }) {
    const { spec, status, name } = set;
    const wanted = hashOf(spec.template);
    const revisions = children(ControllerRevision).toSorted((one, other) => one.revision - other.revision);
    const templates = new Map(
      revisions.map((each) => [each.metadata.labels?.[revisionLabel], each.data as Template]),
    );
    templates.set(wanted, spec.template);

    const existing = new Map(children(Process).map((each) => [each.metadata.name, each]));
    const names = Array.from({ length: spec.replicas }, (_, index) => `${name}-${index}`);
    const plan = planUpdate({
      wanted,
      current: status?.currentRevision,
      failed: status?.failedRevision,
      hasTemplate: (revision) => templates.has(revision),
      replicas: names.map((each) => replicaOf(existing.get(each), spec.suspend)),
      maxUnavailable: countOf(spec.update.maxUnavailable, spec.replicas),
      progressDeadline: duration(spec.update.progressDeadline),
      onFailure: spec.update.onFailure,
      paused: spec.paused,
      now: now(),
    });

    for (const [index, each] of names.entries()) {
      const before = existing.get(each);
      const revision = plan.revisions[index];
      const template = revision === undefined ? undefined : templates.get(revision);
      if (template === undefined && before === undefined) continue;
      const isNew = revision !== undefined && before?.metadata.labels?.[revisionLabel] !== revision;
      const content = (template?.spec ?? before?.spec) as SpecInput<typeof Process>;
      ensure(
        Process,
        each,
        { ...content, suspend: spec.suspend },
        {
          labels: {
            ...template?.labels,
            [setLabel]: name,
            ...(revision !== undefined && { [revisionLabel]: revision }),
          },
          annotations: {
            ...template?.annotations,
            [updatedAt]: isNew
              ? new Date(now()).toISOString()
              : (before?.metadata.annotations?.[updatedAt] ?? ""),
          },
        },
      );
      if (isNew && before !== undefined) recordEvent("Updating", `${each} gets revision ${revision}`);
    }
    keepRevisions(plan.keep);

    const { readyReplicas, updatedReplicas } = plan;
    report({
      replicas: existing.size,
      readyReplicas,
      updatedReplicas,
      unavailableReplicas: spec.replicas - readyReplicas,
      updateRevision: wanted,
      currentRevision: plan.current ?? null,
      failedRevision: plan.failed ?? null,
      selector: `${setLabel}=${name}`,
    });
    if (plan.failure !== undefined && conditionOf(set, "Progressing") !== "False") {
      recordEvent("UpdateFailed", plan.failure, "Warning");
    }
    condition(
      "Progressing",
      plan.failure === undefined,
      plan.failure === undefined ? plan.phase : "UpdateFailed",
      plan.failure ?? "",
    );
    const counts = `${readyReplicas} of ${spec.replicas} processes are ready, ${updatedReplicas} updated`;
    if (plan.phase === "Complete") ready("AllReady", counts);
    else
      condition(
        "Ready",
        false,
        plan.failure === undefined ? plan.phase : "UpdateFailed",
        plan.failure ?? [counts, plan.problem].filter(Boolean).join("; "),
      );
    return plan.deadline === undefined
      ? undefined
      : requeue(Math.max(plan.deadline - now(), 0), "check the progress");

    /** Stages the templates to return to, the newest ones only. */
    function keepRevisions(inUse: ReadonlySet<string>): void {
      const last = revisions.at(-1)?.revision ?? 0;
      const kept = revisions.filter((each, index) => {
        const hash = each.metadata.labels?.[revisionLabel] ?? "";
        return inUse.has(hash) || index >= revisions.length - spec.revisionHistoryLimit;
      });
      const isKnown = revisions.some((each) => each.metadata.labels?.[revisionLabel] === wanted);
      for (const { metadata, revision, data } of kept) {
        ensure(
          ControllerRevision,
          metadata.name ?? "",
          { revision: metadata.labels?.[revisionLabel] === wanted ? newest(revision, last) : revision, data },
          { labels: metadata.labels },
        );
      }
      if (isKnown) return;
      ensure(
        ControllerRevision,
        `${name}-${wanted}`,
        { revision: last + 1, data: spec.template },
        { labels: { [setLabel]: name, [revisionLabel]: wanted } },
      );
    }
  },
});

/** A template that is used again becomes the newest revision. */
function newest(revision: number, last: number): number {
  return revision === last ? revision : last + 1;
}

function conditionOf({ status }: ProcessSetObject, type: string): string | undefined {
  return status?.conditions?.find((each) => each.type === type)?.status;
}

function replicaOf(process: ProcessObject | undefined, suspended: boolean): Replica | undefined {
  if (process === undefined) return undefined;
  const { metadata, status } = process;
  const isObserved = status?.observedGeneration === metadata.generation;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const stalled = status?.conditions?.find(({ type }) => type === "Stalled");
  return {
    revision: metadata.labels?.[revisionLabel] ?? "",
    ready: isObserved && (suspended ? status?.state === "Stopped" : conditionsOf(process).ready === "True"),
    failure: isObserved && stalled?.status === "True" ? `${metadata.name}: ${stalled.message}` : undefined,
    problem: suspended || ready?.status === "True" ? undefined : ready?.message,
    updatedAt: Date.parse(metadata.annotations?.[updatedAt] ?? metadata.creationTimestamp ?? ""),
    name: metadata.name ?? "",
  };
}

function hashOf(template: Template): string {
  return createHash("sha256").update(JSON.stringify(template)).digest("hex").slice(0, 10);
}

/** A number, or a percentage of all replicas, rounded up; at least 1, since nothing could be updated otherwise. */
function countOf(value: number | string, replicas: number): number {
  const text = String(value);
  const count = text.endsWith("%") ? Math.ceil((Number(text.slice(0, -1)) / 100) * replicas) : Number(text);
  return Number.isFinite(count) ? Math.max(1, count) : 1;
}
