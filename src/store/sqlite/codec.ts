import type { CommitReply, CommitRequest, WriterFailure, CommitOutcome, WireMutation } from "./protocol.js";

/** Length of the value of a delete. */
const deleted = -1;
/** Expiry of a key without a time to live. */
const never = -1;

const outcomeCode = { committed: 0, refused: 1, failed: 2 } as const;

/** Encodes each commit as its number of mutations, then `expect`, value length and `expires` of each. */
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
      numbers[at++] = expires ?? never;
      length += value?.byteLength ?? 0;
    }
  }
  return { type: "commit", keys, numbers, values: concatValues(commits, length), time };
}

function concatValues(
  commits: readonly (readonly WireMutation[])[],
  length: number,
): Uint8Array<ArrayBuffer> {
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
  const next = numberReader(numbers);
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
        expires: expires === never ? undefined : expires,
      });
    }
    commits.push(mutations);
  }
  return commits;
}

/** Encodes each outcome as its code, followed by its numbers. */
export function encodeOutcomes(outcomes: readonly CommitOutcome[], requests: number): CommitReply {
  const numbers: number[] = [];
  const failures: WriterFailure[] = [];
  for (const outcome of outcomes) {
    numbers.push(outcomeCode[outcome.type]);
    if (outcome.type === "committed") numbers.push(outcome.revision, ...outcome.replaced, ...outcome.created);
    else if (outcome.type === "refused") numbers.push(outcome.mutation, outcome.actual);
    else failures.push({ reason: outcome.reason, message: outcome.message });
  }
  return { type: "commit", requests, numbers: Float64Array.from(numbers), failures };
}

/** Decodes outcomes; `sizes` are the numbers of mutations of the commits. */
export function decodeOutcomes(reply: CommitReply, sizes: readonly number[]): CommitOutcome[] {
  const next = numberReader(reply.numbers);
  const take = (count: number): number[] => {
    const list: number[] = [];
    for (let left = count; left > 0; left--) list.push(next());
    return list;
  };
  const failures = reply.failures.values();
  return sizes.map((size): CommitOutcome => {
    switch (next()) {
      case outcomeCode.committed:
        return { type: "committed", revision: next(), replaced: take(size), created: take(size) };
      case outcomeCode.refused:
        return { type: "refused", mutation: next(), actual: next() };
      default:
        return { type: "failed", reason: "failed", message: "no reply", ...failures.next().value };
    }
  });
}

function numberReader(numbers: Float64Array): () => number {
  let at = 0;
  return () => numbers[at++] ?? 0;
}
