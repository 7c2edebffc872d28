import assert from "node:assert/strict";
import {
  openSqliteStore,
  StoreDamaged,
  StoreForeign,
  verifySqliteStore,
  type Entry,
  type Store,
} from "../../../src/store/index.js";
import { revisionOf } from "../../../src/store/sqlite/schema.js";
import { isComplete } from "../../../src/store/sqlite/salvage/plan.js";
import { salvagedEntries, salvageSteps } from "../../../src/store/sqlite/salvage/salvage.js";
import { keepAll, readContents, type Contents } from "./specimens.js";

/** Outcomes that keep the promise. */
export type Outcome = "refused to open" | "refused to read" | "harmless";

/** Milliseconds after which a store that neither opens nor fails counts as hanging. */
const patience = 60_000;

/**
 * Opens a damaged folder and reads everything.
 *
 * @throws when the store serves anything else than its contents, fails with an error that explains nothing, or hangs.
 */
export async function outcomeOf(folder: string, contents: Contents): Promise<Outcome> {
  let store: Store;
  try {
    store = await inTime(openSqliteStore(folder, keepAll));
  } catch (error) {
    assertExplained(error);
    return "refused to open";
  }
  try {
    const found = await inTime(readContents(store));
    assert.deepEqual(found, contents);
    // What was not noticed must not come to light later, either.
    const { revision } = await inTime(
      store.commit([{ type: "put", key: "/after", value: new Uint8Array(9) }]),
    );
    assert(revision > contents.revision, `revision ${revision} was assigned twice`);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    assertExplained(error);
    return "refused to read";
  } finally {
    await inTime(store.close());
  }
  assert.deepEqual(verifySqliteStore(folder), []);
  store = await inTime(openSqliteStore(folder, keepAll));
  try {
    assert.deepEqual(await inTime(readContents(store, contents.revision)), contents);
    return "harmless";
  } finally {
    await inTime(store.close());
  }
}

/**
 * Checks what would be salvaged from a damaged folder: nothing that was not there, and nothing is missing or old without
 * being reported. Returns true when everything would be.
 */
export function salvageOf(folder: string, contents: Contents): boolean {
  const plan = drainSync(salvageSteps(folder));
  const { entries } = contents.states.at(-1) as { readonly entries: readonly Entry[] };
  const kept = new Map(plan.kept.map(({ key, id }) => [key, revisionOf(id)]));
  const lost = new Set(plan.lost.map(({ key }) => key));
  const isCertain = plan.knowsGaps && plan.gaps.length === 0;
  let isWhole = kept.size === entries.length;
  for (const { key, revision } of entries) {
    const found = kept.get(key);
    kept.delete(key);
    if (found === revision) continue;
    isWhole = false;
    assert(found === undefined || found < revision, `${key} at revision ${found} is from the future`);
    if (found === undefined)
      assert(lost.has(key) || !isCertain || plan.lostWithoutName > 0, `${key} is lost without a word`);
    else assert(lost.has(key) || !isCertain, `${key} is old without a word`);
  }
  if (kept.size > 0) assert(!isCertain || plan.mayHaveDeleted, `${[...kept.keys()].join()} had been deleted`);
  assert(isWhole || !isComplete(plan), "the salvage claims to be complete");
  const values = [...salvagedEntries(folder, plan)];
  assert.equal(values.length, plan.kept.length);
  const expected = new Map(entries.map((entry) => [`${entry.key}@${entry.revision}`, entry]));
  for (const { key, value, expires } of values) {
    const id = plan.kept.find((mutation) => mutation.key === key)?.id ?? 0;
    const entry = expected.get(`${key}@${revisionOf(id)}`);
    if (entry !== undefined)
      assert.deepEqual(
        { value: Buffer.from(value), expires },
        { value: Buffer.from(entry.value), expires: entry.expires },
      );
  }
  return isWhole;
}

function drainSync<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function assertExplained(error: unknown): void {
  const isExplained = error instanceof StoreDamaged || error instanceof StoreForeign;
  assert(isExplained, `failed without an explanation: ${String(error)}`);
}

async function inTime<Result>(promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: "the store hangs" })), patience);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
