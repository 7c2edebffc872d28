import { formatDuration } from "../../../model/core.js";
import type { Run, WriteRecord } from "../../runs/run.js";

/** Suspicious behaviour of a controller that a person should look into. */
export interface Finding {
  readonly type: "hot-loop" | "fight";
  readonly controller: string;
  /** Object concerned: `Page default/hello-1`. */
  readonly object: string;
  readonly message: string;
  /** Number of occurrences between `since` and `at`. */
  readonly count: number;
  /** First and last occurrence, in milliseconds since 1970. */
  readonly since: number;
  readonly at: number;
  /** Fields that are fought over. */
  readonly paths?: readonly string[] | undefined;
  /** Field managers of a fight, our own last. */
  readonly managers?: readonly string[] | undefined;
  /** Cause of the next run in a hot loop. */
  readonly causes?: readonly string[] | undefined;
}

const maxFindings = 200;
/** Time after its last occurrence for which a finding is listed, in milliseconds. */
const listedFor = 3_600_000;
/** Time between two reports of the same finding, in milliseconds. */
const reportEvery = 600_000;

/** Recent findings, one per object and cause. */
export class Findings {
  readonly #all = new Map<string, { readonly finding: Finding; readonly reportedAt: number }>();

  /** Adds a finding; true when it should be reported, as it is new or was not reported for a while. */
  add(finding: Finding): boolean {
    const id = JSON.stringify([finding.type, finding.controller, finding.object, finding.managers]);
    const before = this.#all.get(id);
    const report = before === undefined || finding.at - before.reportedAt >= reportEvery;
    // Findings are sorted by their last occurrence.
    this.#all.delete(id);
    this.#all.set(id, { finding, reportedAt: report ? finding.at : before.reportedAt });
    if (this.#all.size > maxFindings) this.#all.delete(this.#all.keys().next().value ?? "");
    return report;
  }

  /** Findings of the last hour, newest first. */
  list(now: number): readonly Finding[] {
    for (const [id, { finding }] of this.#all) if (now - finding.at > listedFor) this.#all.delete(id);
    return [...this.#all.values()].map(({ finding }) => finding).toReversed();
  }
}

/** Adds `now` to times in ascending order, and drops those that are more than `window` before it. */
export function countWithin(times: readonly number[], now: number, window: number): number[] {
  return [...times, now].filter((time) => now - time <= window);
}

/** Time that has passed, rounded for people. */
export function elapsed(since: number, now: number): string {
  const passed = Math.max(1, now - since);
  return formatDuration(passed < 10_000 ? Math.round(passed) : Math.round(passed / 1000) * 1000);
}

/** Name of the object of a run: `Site default/hello`. */
export function runObjectName({ kind, key }: Run): string {
  return `${kind} ${key}`;
}

/** Name of the object of a write. */
export function writtenObject({ kind, namespace, name }: WriteRecord): string {
  return `${kind.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}
