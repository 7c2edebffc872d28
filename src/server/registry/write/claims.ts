import { createHash } from "node:crypto";
import type { KubeObject } from "../../../model/core.js";
import { Conflict, type Mutation } from "../../../store/index.js";
import type { Claims, Draft, Pool, ResourceType } from "../../resources/resource-type.js";
import type { RegistryContext } from "../context.js";
import { claimPrefix } from "../keys.js";
import { fromStore } from "../store-failures.js";

// A claim is written in the same commit as the object that holds it, so none is held twice or forgotten.

/** Values that are tried before all claims of a set are read. */
const maxTries = 16;

/** True when another object took a value that this commit claims; the write can be tried again with another value. */
export function isClaimConflict(error: unknown): boolean {
  return error instanceof Conflict && error.key.startsWith(claimPrefix);
}

/** Mutations that claim what an object holds from now on, and free what it no longer holds. */
export function claimMutations(
  { strategy }: ResourceType,
  key: string,
  before: KubeObject | undefined,
  after: Draft | KubeObject | undefined,
): readonly Mutation[] {
  const { claims } = strategy;
  if (claims === undefined) return [];
  const held = new Set(before && claims(before));
  const wanted = new Set(after && claims(after));
  return [
    ...[...wanted]
      .filter((claim) => !held.has(claim))
      .map((claim): Mutation => ({
        type: "put",
        key: claimPrefix + claim,
        value: Buffer.from(JSON.stringify({ holder: key })),
        expect: 0,
      })),
    ...[...held]
      .filter((claim) => !wanted.has(claim))
      .map((claim): Mutation => ({ type: "delete", key: claimPrefix + claim })),
  ];
}

/** Claims in the store, for a strategy that allocates values. */
export function claimsIn({ store }: RegistryContext): Claims {
  const isFree = async (claim: string): Promise<boolean> =>
    (await fromStore(store.get(claimPrefix + claim))) === undefined;
  return {
    isFree,
    async pick(set, pool) {
      for (let attempt = 0; attempt < maxTries && pool.size > pool.preferred; attempt++) {
        const value = pool.valueAt(indexOf(pool, attempt));
        if (pool.except?.(value) !== true && (await isFree(`${set}/${value}`))) return value;
      }
      const prefix = `${claimPrefix}${set}/`;
      const { entries } = await fromStore(store.range({ prefix }));
      return firstFree(pool, new Set(entries.map(({ key }) => key.slice(prefix.length))));
    },
  };
}

/** Index that a seed chooses, spread evenly over the pool. */
function indexOf({ seed, preferred, size }: Pool, attempt: number): number {
  const hash = createHash("sha256").update(`${attempt} ${seed}`).digest().readUIntBE(0, 6);
  return preferred + (hash % (size - preferred));
}

function firstFree(pool: Pool, taken: ReadonlySet<string>): string | undefined {
  const { first, preferred, size, valueAt, except } = pool;
  for (const [from, to] of [
    [preferred, size],
    [first, preferred],
  ] as const) {
    for (let index = from; index < to; index++) {
      const value = valueAt(index);
      if (!taken.has(value) && except?.(value) !== true) return value;
    }
  }
  return undefined;
}
