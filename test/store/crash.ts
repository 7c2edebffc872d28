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
  /** Commits that were found although nobody was told of them before the kill: allowed, if they are whole. */
  readonly unacknowledged: number;
}

/**
 * Kills a writing process at random moments, over and over on the same data, and each time opens what it left: every
 * acknowledged commit must be there, every other one wholly or not at all, and revisions must go on.
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
    // Now and then before anything was acknowledged, mostly in the middle of it.
    const early = random() < 0.2;
    const told = await writeUntilKilled(directory, round, 1 + random() * 120, early);
    if (told.revision === undefined) continue;
    assert(
      told.revision >= newest,
      `opened at revision ${told.revision}, but ${newest} had been acknowledged`,
    );
    newest = Math.max(newest, ...told.revisions);
    acknowledged += told.revisions.length;
    assert.deepEqual(verifySqliteStore(directory), []);
    const store = await openSqliteStore(directory, { retention: { count: Infinity, age: "1000h" } });
    try {
      unacknowledged += await examine(store, round, told.turns, newest);
      newest = (await store.status()).revision;
    } finally {
      await store.close();
    }
    progress(round + 1);
  }
  return { rounds, acknowledged, unacknowledged };
}

interface Told {
  /** The revision the process opened the store at, if it lived that long. */
  revision: number | undefined;
  revisions: number[];
  /** For each writer the last turn that was acknowledged. */
  turns: Map<number, number>;
}

async function writeUntilKilled(
  directory: string,
  round: number,
  milliseconds: number,
  early: boolean,
): Promise<Told> {
  const child = spawn(process.execPath, [program, directory, String(round), String(writers)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("latin1");
    // The clock starts when the process does its work, not when it is still loading.
    const isAtWork = early || output.indexOf("\n") < output.length - 1;
    if (isAtWork) timer ??= setTimeout(() => child.kill("SIGKILL"), milliseconds);
  });
  const signal = await new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
  assert.equal(signal, "SIGKILL", "the writer must not end by itself");
  const told: Told = { revision: undefined, revisions: [], turns: new Map() };
  for (const line of output.split("\n").slice(0, -1)) {
    const [word, revision, writer, turn] = line.split(" ");
    if (word === "open") told.revision = Number(revision);
    else {
      told.revisions.push(Number(revision));
      told.turns.set(Number(writer), Number(turn));
    }
  }
  return told;
}

/** Returns how many commits are there of which nobody was told. */
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
    assert.equal(new Set(found).size, 1, `writer ${writer} left a half-applied commit: ${found.join()}`);
    const [inRound, , turn] = (found[0] ?? "").split(".").map(Number);
    const told = turns.get(writer);
    if (told === undefined) continue;
    assert.equal(inRound, round, `writer ${writer}: the acknowledged turn ${told} is not there`);
    assert((turn ?? -1) >= told, `writer ${writer}: turn ${told} was acknowledged, turn ${turn} is there`);
    unacknowledged += (turn ?? 0) - told;
    // The turn found last has deleted the one twenty before it.
    for (let each = Math.max(0, (turn ?? 0) - 19); each <= told; each++) {
      assert(
        texts.has(`/once/${round}.${writer}.${each}`),
        `turn ${each} of writer ${writer} was acknowledged and is gone`,
      );
    }
  }
  const next = await store.commit([{ type: "put", key: "/probe", value: new Uint8Array() }]);
  assert(next.revision > revision, "revisions must go on");
  return unacknowledged;
}
