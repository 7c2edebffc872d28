// Writes to a store for as long as it lives and tells, on standard output, what it is about to write and what was
// acknowledged. Its parent kills it. A line is written in one piece, so a line that arrived whole is true.
import { writeSync } from "node:fs";
import { openSqliteStore } from "fettle/store";

const [directory, round, writers] = process.argv.slice(2);
// Small numbers, so that what happens rarely happens between any two kills: indexing in the odd rounds at its own pace,
// in the even ones driven by compaction.
const retention = Number(round) % 2 === 0 ? { count: 200, every: 20 } : { count: 5000, every: 20 };
const store = await openSqliteStore(directory, { retention, indexAfter: 40 });
const say = (line) => writeSync(1, `${line}\n`);
const value = (text) => new TextEncoder().encode(text.padEnd(300 + Math.floor(Math.random() * 2000), "."));

say(`open ${(await store.status()).revision}`);

/** One writer puts the same text under several keys at once, so that a half-applied commit shows. */
async function write(writer) {
  for (let turn = 0; ; turn++) {
    const text = `${round}.${writer}.${turn}`;
    const keys = [`/pair/${writer}/a`, `/pair/${writer}/b`, `/pair/${writer}/c`];
    const changes = keys.map((key) => ({ type: "put", key, value: value(`${text};`) }));
    changes.push({ type: "put", key: `/once/${text}`, value: value(text), expect: 0 });
    if (turn > 20) changes.push({ type: "delete", key: `/once/${round}.${writer}.${turn - 20}` });
    const { revision } = await store.commit(changes);
    say(`acknowledged ${revision} ${writer} ${turn}`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
