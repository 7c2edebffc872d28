import assert from "node:assert/strict";
import {
  openSqliteStore,
  StoreDamaged,
  StoreForeign,
  verifySqliteStore,
  type Store,
} from "../../../src/store/index.js";
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
