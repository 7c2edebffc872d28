// Writes to a store until its parent kills it, and prints every acknowledged commit. A line is printed by one system call,
// so a complete line is true.
import { writeSync } from "node:fs";
import { openSqliteStore } from "fettle/store";

const [directory, round, writers] = process.argv.slice(2);
// Small numbers, so that every round has indexing: in odd rounds at its own pace, in even ones because of compaction.
const retention = Number(round) % 2 === 0 ? { count: 200, every: 20 } : { count: 5000, every: 20 };
const store = await openSqliteStore(directory, { retention, indexAfter: 40 });
const print = (line) => writeSync(1, `${line}\n`);
const value = (text) => new TextEncoder().encode(text.padEnd(300 + Math.floor(Math.random() * 2000), "."));

print(`open ${(await store.status()).revision}`);

/** Puts the same text under several keys in each commit, so that a partially applied commit is detected. */
async function write(writer) {
  for (let turn = 0; ; turn++) {
    const text = `${round}.${writer}.${turn}`;
    const keys = [`/pair/${writer}/a`, `/pair/${writer}/b`, `/pair/${writer}/c`];
    const mutations = keys.map((key) => ({ type: "put", key, value: value(`${text};`) }));
    mutations.push({ type: "put", key: `/once/${text}`, value: value(text), expect: 0 });
    if (turn > 20) mutations.push({ type: "delete", key: `/once/${round}.${writer}.${turn - 20}` });
    const { revision } = await store.commit(mutations);
    print(`acknowledged ${revision} ${writer} ${turn}`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
