import type { Change } from "../store.js";
import { compareKeys } from "../keys.js";
import { text } from "./harness.js";

interface Known {
  readonly value: string;
  readonly revision: number;
  readonly created: number;
}

interface Committed {
  readonly revision: number;
  readonly changes: readonly Change[];
}

/**
 * What a store should do, written to be obviously right: it keeps every commit and computes everything by
 * replaying them.
 */
export class ReferenceModel {
  readonly commits: Committed[] = [];
  floor = 0;

  get revision(): number {
    return this.commits.at(-1)?.revision ?? 0;
  }

  /** The revisions that have been, 0 included. */
  get revisions(): number[] {
    return [0, ...this.commits.map((commit) => commit.revision)];
  }

  /** The first change that meets a revision other than it expects. */
  conflict(changes: readonly Change[]): { key: string; expected: number; actual: number } | undefined {
    const state = this.stateAt(this.revision);
    for (const { key, expect } of changes) {
      const actual = state.get(key)?.revision ?? 0;
      if (expect !== undefined && expect !== actual) return { key, expected: expect, actual };
    }
    return undefined;
  }

  /** The changes that change something: all but deletes of what is not there. */
  effective(changes: readonly Change[]): Change[] {
    const state = this.stateAt(this.revision);
    return changes.filter((change) => change.type === "put" || state.has(change.key));
  }

  stateAt(revision: number): Map<string, Known> {
    const state = new Map<string, Known>();
    for (const commit of this.commits) {
      if (commit.revision > revision) break;
      for (const change of commit.changes) {
        if (change.type === "delete") state.delete(change.key);
        else {
          const created = state.get(change.key)?.created ?? commit.revision;
          state.set(change.key, { value: text(change.value), revision: commit.revision, created });
        }
      }
    }
    return state;
  }

  /** The entries below a prefix, as {@link shown} shows them. */
  range(prefix: string, revision: number, after?: string): string[] {
    return [...this.stateAt(revision)]
      .filter(([key]) => key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0))
      .sort(([a], [b]) => compareKeys(a, b))
      .map(([key, { value, revision }]) => `${key}=${value}@${revision}`);
  }

  /** The events below a prefix after a revision, as {@link shownEvent} shows them. */
  events(prefix: string, from: number, to: number, previous: boolean): string[] {
    const events: string[] = [];
    for (const { revision, changes } of this.commits) {
      if (revision <= from || revision > to) continue;
      const before = this.stateAt(revision - 1);
      for (const change of changes) {
        if (!change.key.startsWith(prefix)) continue;
        const old = previous ? before.get(change.key) : undefined;
        const was = old ? ` was ${change.key}=${old.value}@${old.revision}` : "";
        const now = change.type === "put" ? `${change.key}=${text(change.value)}` : `${change.key} gone`;
        events.push(`${now}@${revision}${was}`);
      }
    }
    return events;
  }
}
