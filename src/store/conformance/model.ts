import type { Mutation } from "../store.js";
import { compareKeys } from "../keys.js";
import { text } from "./harness.js";

interface ModelEntry {
  readonly value: string;
  readonly revision: number;
  readonly created: number;
}

interface Committed {
  readonly revision: number;
  readonly mutations: readonly Mutation[];
}

/**
 * Reference implementation, written to be obviously correct: it keeps all commits and replays them for every question.
 */
export class ReferenceModel {
  readonly commits: Committed[] = [];
  floor = 0;

  get revision(): number {
    return this.commits.at(-1)?.revision ?? 0;
  }

  /** All revisions, including 0. */
  get revisions(): number[] {
    return [0, ...this.commits.map((commit) => commit.revision)];
  }

  /** First mutation whose expectation fails. */
  conflict(mutations: readonly Mutation[]): { key: string; expected: number; actual: number } | undefined {
    const state = this.stateAt(this.revision);
    for (const { key, expect } of mutations) {
      const actual = state.get(key)?.revision ?? 0;
      if (expect !== undefined && expect !== actual) return { key, expected: expect, actual };
    }
    return undefined;
  }

  /** Mutations that change something: all but deletes of missing keys. */
  effective(mutations: readonly Mutation[]): Mutation[] {
    const state = this.stateAt(this.revision);
    return mutations.filter((mutation) => mutation.type === "put" || state.has(mutation.key));
  }

  stateAt(revision: number): Map<string, ModelEntry> {
    const state = new Map<string, ModelEntry>();
    for (const commit of this.commits) {
      if (commit.revision > revision) break;
      for (const mutation of commit.mutations) {
        if (mutation.type === "delete") state.delete(mutation.key);
        else {
          const created = state.get(mutation.key)?.created ?? commit.revision;
          state.set(mutation.key, { value: text(mutation.value), revision: commit.revision, created });
        }
      }
    }
    return state;
  }

  /** Entries below a prefix, formatted by {@link showEntry}. */
  range(prefix: string, revision: number, after?: string): string[] {
    return [...this.stateAt(revision)]
      .filter(([key]) => key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0))
      .sort(([a], [b]) => compareKeys(a, b))
      .map(([key, { value, revision }]) => `${key}=${value}@${revision}`);
  }

  /** Events below a prefix after a revision, formatted by {@link showEvent}. */
  events(prefix: string, from: number, to: number, previous: boolean): string[] {
    const events: string[] = [];
    for (const { revision, mutations } of this.commits) {
      if (revision <= from || revision > to) continue;
      const before = this.stateAt(revision - 1);
      for (const mutation of mutations) {
        if (!mutation.key.startsWith(prefix)) continue;
        const old = previous ? before.get(mutation.key) : undefined;
        const was = old ? ` was ${mutation.key}=${old.value}@${old.revision}` : "";
        const now =
          mutation.type === "put" ? `${mutation.key}=${text(mutation.value)}` : `${mutation.key} deleted`;
        events.push(`${now}@${revision}${was}`);
      }
    }
    return events;
  }
}
