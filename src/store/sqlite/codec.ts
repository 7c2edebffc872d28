import type { CommitReply, CommitRequest, Failure, Outcome, WireMutation } from "./protocol.js";

/** Lengths that stand for the absence of a value. */
const deleted = -1;
const stays = -1;

const outcomeCode = { committed: 0, refused: 1, failed: 2 } as const;

/** The numbers of a group, commit by commit: how many changes, then for each `expect`, value length and `expires`. */
export function encodeCommits(commits: readonly (readonly WireMutation[])[], time: number): CommitRequest {
  const keys: string[] = [];
  const numbers = new Float64Array(commits.reduce((sum, mutations) => sum + 1 + 3 * mutations.length, 0));
  let length = 0;
  let at = 0;
  for (const mutations of commits) {
    numbers[at++] = mutations.length;
    for (const { key, expect, value, expires } of mutations) {
      keys.push(key);
      numbers[at++] = expect;
      numbers[at++] = value === undefined ? deleted : value.byteLength;
      numbers[at++] = expires ?? stays;
      length += value?.byteLength ?? 0;
    }
  }
  return { type: "commit", keys, numbers, values: joined(commits, length), time };
}

function joined(commits: readonly (readonly WireMutation[])[], length: number): Uint8Array<ArrayBuffer> {
  const values = new Uint8Array(length);
  let offset = 0;
  for (const mutations of commits) {
    for (const { value } of mutations) {
      if (value === undefined) continue;
      values.set(value, offset);
      offset += value.byteLength;
    }
  }
  return values;
}

export function decodeCommits({ keys, numbers, values }: CommitRequest): WireMutation[][] {
  const next = reading(numbers);
  const commits: WireMutation[][] = [];
  let key = 0;
  let offset = 0;
  while (key < keys.length) {
    const mutations: WireMutation[] = [];
    for (let left = next(); left > 0; left--) {
      const expect = next();
      const length = next();
      const expires = next();
      const value = length === deleted ? undefined : values.subarray(offset, (offset += length));
      mutations.push({
        key: keys[key++] ?? "",
        expect,
        value,
        expires: expires === stays ? undefined : expires,
      });
    }
    commits.push(mutations);
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
    else if (outcome.type === "refused") numbers.push(outcome.mutation, outcome.actual);
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
        return { type: "refused", mutation: next(), actual: next() };
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
