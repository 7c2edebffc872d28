import { cpSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore, type Store, type StoreEvent } from "../../../src/store/index.js";
import { openDirectory } from "../../../src/store/sqlite/directory.js";
import { Writer } from "../../../src/store/sqlite/writer.js";

/** A data folder whose contents are known. */
export interface Specimen {
  readonly name: string;
  readonly folder: string;
  readonly contents: Contents;
}

/** Everything that can be read from a store. */
export interface Contents {
  readonly revision: number;
  readonly floor: number;
  /** States at some revisions, the oldest and the newest included. */
  readonly states: readonly unknown[];
  readonly events: readonly StoreEvent[];
}

/** Keeps everything: a store must not change while it is compared. */
export const keepAll = { retention: { count: Infinity, age: "100000h" } } as const;

/**
 * Folders as a clean close leaves them, as a kill leaves them early and late in the life of a write-ahead log, and with
 * a log that was restarted after checkpoints. All have values of several pages, deleted keys, compacted history, and
 * mutations that are not indexed, where the state allows it.
 */
export async function makeSpecimens(base: string): Promise<Specimen[]> {
  const kinds = [
    { name: "closed", turns: 150, indexAfter: 64, isClosed: true },
    { name: "killed early", turns: 40, indexAfter: 1000, isClosed: false },
    { name: "killed", turns: 200, indexAfter: 64, isClosed: false },
    { name: "killed after checkpoints", turns: 3200, indexAfter: 64, isClosed: false },
  ];
  const specimens: Specimen[] = [];
  for (const kind of kinds) {
    const live = mkdtempSync(join(base, "live-"));
    openDirectory(live).release();
    const writer = new Writer({ path: join(live, "store.db"), indexAfter: kind.indexAfter });
    for (let turn = 0; turn < kind.turns; turn++) writeTurn(writer, turn);
    if (kind.isClosed) writer.close();
    const folder = copyFolder(live, base);
    if (!kind.isClosed) writer.close();
    specimens.push({ name: kind.name, folder, contents: await read(copyFolder(folder, base)) });
  }
  return specimens;
}

/** Copies the files as a process that is killed now would leave them. */
export function copyFolder(folder: string, base: string): string {
  const copy = mkdtempSync(join(base, "copy-"));
  for (const name of readdirSync(folder)) cpSync(join(folder, name), join(copy, name));
  return copy;
}

function writeTurn(writer: Writer, turn: number): void {
  const put = (key: string, bytes: number) => ({
    key,
    expect: -1,
    value: Buffer.alloc(bytes, `${key} ${turn} `),
    expires: turn % 3 === 0 ? 4_000_000_000_000 + turn : undefined,
  });
  const remove = (key: string) => ({ key, expect: -1, value: undefined, expires: undefined });
  const sizes = [10, 300, 1000, 40_000];
  const size = turn % 29 === 0 ? 3 : turn % 3;
  writer.commit([[put(`/objects/${(turn * 7) % 61}`, sizes[size] ?? 10), put("/hot", 100)]], turn);
  if (turn % 5 === 4)
    writer.commit([[remove(`/objects/${(turn * 11) % 61}`)], [put(`/once/${turn}`, 20)]], turn);
  if (turn % 16 === 15) writer.sweep(Math.max(0, turn - 20));
  writer.indexIfDue();
  writer.checkpointIfDue();
}

async function read(folder: string): Promise<Contents> {
  const store = await openSqliteStore(folder, keepAll);
  try {
    return await readContents(store);
  } finally {
    await store.close();
  }
}

/** Reads a store in every way that it can be read. */
export async function readContents(store: Store, newest?: number): Promise<Contents> {
  const status = await store.status();
  const revision = newest ?? status.revision;
  const { floor } = status;
  const states: unknown[] = [];
  for (const at of [floor, Math.floor((floor + revision) / 2), revision]) {
    const { entries } = await store.range({ prefix: "/", revision: at });
    const { count } = await store.count({ prefix: "/", revision: at });
    const single = [];
    for (const { key } of entries) single.push(await store.get(key, { revision: at }));
    states.push({ at, entries, count, single });
  }
  const events: StoreEvent[] = [];
  if (revision > floor) {
    for await (const batch of store.watch({ prefix: "/", from: floor, previous: true })) {
      events.push(...batch.events.filter((event) => event.revision <= revision));
      if (batch.revision >= revision) break;
    }
  }
  return { revision, floor, states, events };
}
