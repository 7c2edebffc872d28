import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openSqliteStore, type Store } from "../../src/store/index.js";
import { verifySqliteStore } from "../../src/store/sqlite/verify.js";

const writers = 16;
const program = fileURLToPath(new URL("./crash-writer.mjs", import.meta.url));

export interface CrashReport {
  readonly rounds: number;
  readonly acknowledged: number;
  /** Commits that are in the store although they were not acknowledged before the kill: allowed if complete. */
  readonly unacknowledged: number;
}

/**
 * Kills a writing process at random moments, repeatedly on the same data, and opens the store each time: every
 * acknowledged commit must be there, every other one completely or not at all, and revisions must continue.
 */
export async function crashRepeatedly(
  directory: string,
  rounds: number,
  random: () => number,
  progress: (round: number) => void = () => {},
): Promise<CrashReport> {
  let acknowledged = 0;
  let unacknowledged = 0;
  let newest = 0;
  for (let round = 0; round < rounds; round++) {
    // Sometimes before anything was acknowledged, mostly during the writes.
    const early = random() < 0.2;
    const output = await writeUntilKilled(directory, round, 1 + random() * 120, early);
    if (output.revision === undefined) continue;
    assert(
      output.revision >= newest,
      `opened at revision ${output.revision}, but ${newest} had been acknowledged`,
    );
    newest = Math.max(newest, ...output.revisions);
    acknowledged += output.revisions.length;
    assert.deepEqual(verifySqliteStore(directory), []);
    const store = await openSqliteStore(directory, { retention: { count: Infinity, age: "1000h" } });
    try {
      unacknowledged += await examine(store, round, output.turns, newest);
      newest = (await store.status()).revision;
    } finally {
      await store.close();
    }
    progress(round + 1);
  }
  return { rounds, acknowledged, unacknowledged };
}

interface WriterOutput {
  /** Revision at which the process opened the store, if it got that far. */
  revision: number | undefined;
  revisions: number[];
  /** Last acknowledged turn of each writer. */
  turns: Map<number, number>;
}

async function writeUntilKilled(
  directory: string,
  round: number,
  milliseconds: number,
  early: boolean,
): Promise<WriterOutput> {
  const child = spawn(process.execPath, [program, directory, String(round), String(writers)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    // The time starts when the process writes, not while it is loading.
    const writing = early || text.indexOf("\n") < text.length - 1;
    if (writing) timer ??= setTimeout(() => child.kill("SIGKILL"), milliseconds);
  });
  const signal = await new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
  assert.equal(signal, "SIGKILL", "the writer ended before it was killed");
  const result: WriterOutput = { revision: undefined, revisions: [], turns: new Map() };
  for (const line of text.split("\n").slice(0, -1)) {
    const [word, revision, writer, turn] = line.split(" ");
    if (word === "open") result.revision = Number(revision);
    else {
      result.revisions.push(Number(revision));
      result.turns.set(Number(writer), Number(turn));
    }
  }
  return result;
}

/** Checks the store and returns the number of commits that were not acknowledged. */
async function examine(
  store: Store,
  round: number,
  turns: Map<number, number>,
  newest: number,
): Promise<number> {
  const { revision } = await store.status();
  assert(revision >= newest, `revision ${newest} was acknowledged, the store is at ${revision}`);
  const texts = new Map<string, string>();
  for (const { key, value } of (await store.range({ prefix: "/" })).entries) {
    texts.set(key, new TextDecoder().decode(value).replace(/\.*$/, "").replace(";", ""));
  }
  let unacknowledged = 0;
  for (let writer = 0; writer < writers; writer++) {
    const found = ["a", "b", "c"].map((part) => texts.get(`/pair/${writer}/${part}`));
    assert.equal(new Set(found).size, 1, `writer ${writer} has a partially applied commit: ${found.join()}`);
    const [inRound, , turn] = (found[0] ?? "").split(".").map(Number);
    const acknowledged = turns.get(writer);
    if (acknowledged === undefined) continue;
    assert.equal(inRound, round, `writer ${writer}: the acknowledged turn ${acknowledged} is missing`);
    assert(
      (turn ?? -1) >= acknowledged,
      `writer ${writer}: turn ${acknowledged} was acknowledged, but the newest is ${turn}`,
    );
    unacknowledged += (turn ?? 0) - acknowledged;
    // The newest turn has deleted the one twenty turns earlier.
    for (let each = Math.max(0, (turn ?? 0) - 19); each <= acknowledged; each++) {
      assert(
        texts.has(`/once/${round}.${writer}.${each}`),
        `turn ${each} of writer ${writer} was acknowledged and is missing`,
      );
    }
  }
  const next = await store.commit([{ type: "put", key: "/probe", value: new Uint8Array() }]);
  assert(next.revision > revision, "revisions must continue");
  return unacknowledged;
}
