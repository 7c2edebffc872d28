import type { CommitReply, CommitRequest, Failure, Outcome, WireChange } from "./protocol.js";

/** Lengths that stand for the absence of a value. */
const deleted = -1;
const stays = -1;

const outcomeCode = { committed: 0, refused: 1, failed: 2 } as const;

/** The numbers of a group, commit by commit: how many changes, then for each `expect`, value length and `expires`. */
export function encodeCommits(commits: readonly (readonly WireChange[])[], time: number): CommitRequest {
  const keys: string[] = [];
  const numbers = new Float64Array(commits.reduce((sum, changes) => sum + 1 + 3 * changes.length, 0));
  let length = 0;
  let at = 0;
  for (const changes of commits) {
    numbers[at++] = changes.length;
    for (const { key, expect, value, expires } of changes) {
      keys.push(key);
      numbers[at++] = expect;
      numbers[at++] = value === undefined ? deleted : value.byteLength;
      numbers[at++] = expires ?? stays;
      length += value?.byteLength ?? 0;
    }
  }
  return { type: "commit", keys, numbers, values: joined(commits, length), time };
}

function joined(commits: readonly (readonly WireChange[])[], length: number): Uint8Array<ArrayBuffer> {
  const values = new Uint8Array(length);
  let offset = 0;
  for (const changes of commits) {
    for (const { value } of changes) {
      if (value === undefined) continue;
      values.set(value, offset);
      offset += value.byteLength;
    }
  }
  return values;
}

export function decodeCommits({ keys, numbers, values }: CommitRequest): WireChange[][] {
  const next = reading(numbers);
  const commits: WireChange[][] = [];
  let key = 0;
  let offset = 0;
  while (key < keys.length) {
    const changes: WireChange[] = [];
    for (let left = next(); left > 0; left--) {
      const expect = next();
      const length = next();
      const expires = next();
      const value = length === deleted ? undefined : values.subarray(offset, (offset += length));
      changes.push({
        key: keys[key++] ?? "",
        expect,
        value,
        expires: expires === stays ? undefined : expires,
      });
    }
    commits.push(changes);
  }
  return commits;
}

/** The numbers of an answer, commit by commit: the code of the outcome, then what belongs to it. */
export function encodeOutcomes(outcomes: readonly Outcome[], requests: number): CommitReply {
  const numbers: number[] = [];
  const failures: Failure[] = [];
  for (const outcome of outcomes) {
    numbers.push(outcomeCode[outcome.type]);
    if (outcome.type === "committed") numbers.push(outcome.revision, ...outcome.replaced, ...outcome.created);
    else if (outcome.type === "refused") numbers.push(outcome.change, outcome.actual);
    else failures.push({ reason: outcome.reason, message: outcome.message });
  }
  return { type: "commit", requests, numbers: Float64Array.from(numbers), failures };
}

/** Needs to know how many changes each commit had. */
export function decodeOutcomes(reply: CommitReply, sizes: readonly number[]): Outcome[] {
  const next = reading(reply.numbers);
  const several = (count: number): number[] => {
    const list: number[] = [];
    for (let left = count; left > 0; left--) list.push(next());
    return list;
  };
  const failures = reply.failures.values();
  return sizes.map((size): Outcome => {
    switch (next()) {
      case outcomeCode.committed:
        return { type: "committed", revision: next(), replaced: several(size), created: several(size) };
      case outcomeCode.refused:
        return { type: "refused", change: next(), actual: next() };
      default:
        return { type: "failed", reason: "failed", message: "no answer", ...failures.next().value };
    }
  });
}

/** Reads numbers one after the other. */
function reading(numbers: Float64Array): () => number {
  let at = 0;
  return () => numbers[at++] ?? 0;
}
