// Compares two commits by the same benchmarks, those of the tree that this file is in: they are copied into both trees, where
// their imports of `fettle` lead to that tree's `dist`. The trees take turns, in an order that alternates, so that a
// disturbance hits both. Both have to be built (`npm ci`). From three rounds on, a figure whose ranges do not overlap is
// better or worse.
//
//   node bench/compare.mjs <old folder> <new folder> [--rounds 10] [--objects 10000] [--seconds 1] [--only start,server,converge,memory,store]
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "10" },
    objects: { type: "string", default: "10000" },
    seconds: { type: "string", default: "1" },
    only: { type: "string", default: "start,server,converge,memory,store" },
  },
});
if (positionals.length !== 2) {
  console.error("usage: node bench/compare.mjs <old folder> <new folder> [--rounds 10]");
  process.exit(2);
}
const { objects, seconds } = values;
const size = ["--objects", objects];

/** Benchmarks with their options, and the figures of each: a short name, and the prefix of the benchmark's own name. */
const benchmarks = {
  start: {
    program: ["start.js"],
    figures: {
      "start, empty data folder": "first start: ready",
      "start, existing data": "second start: ready",
      "start, existing data, processor time": "second start: processor time",
      "idle memory": "second start: memory at rest",
    },
  },
  server: {
    program: ["server.js", ...size, "--seconds", seconds, "--only", "get,durable,list,watcher"],
    figures: {
      "create, 32 clients": "durable create, 32",
      "create, 1 client": "durable create, 1 ",
      "get, 32 clients": "get, 32",
      "status update, 32 clients": "durable status patch, 32",
      list: "list of",
      "watch: create to event": "from create to the watcher",
      "fan-out to 100 watchers": "events to",
    },
  },
  converge: {
    program: ["runtime.js", ...size, "--only", "converge", "--planes", "in-process"],
    figures: {
      "converge, status only": "in-process: status only, 64",
      "converge, 1 child each": "in-process: 1 child each",
    },
  },
  memory: {
    program: ["runtime.js", ...size, "--only", "informer-memory"],
    figures: { "memory per object in an informer": "fettle" },
  },
  store: {
    program: ["store.js", "--sizes", objects, "--seconds", seconds],
    figures: {
      "store: creates, 64 writers": "durable creates, 64",
      "store: gets": "gets",
      "store: range of 10,000": "range of",
      "store: events to 1000 watchers": "events delivered, 1000",
    },
  },
};
const chosen = values.only.split(",");
const unknown = chosen.find((name) => !(name in benchmarks));
if (unknown !== undefined) {
  console.error(`--only ${unknown}: unknown benchmark; choose from ${Object.keys(benchmarks).join(", ")}`);
  process.exit(2);
}

const own = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const trees = positionals.map((folder, index) => ({
  name: index === 0 ? "old" : "new",
  folder: resolve(folder),
  copy: join(resolve(folder), ".cache/compare"),
}));
for (const { folder } of trees) {
  if (existsSync(join(folder, "dist")) && existsSync(join(folder, "node_modules"))) continue;
  console.error(`${folder} is not built: run npm ci there`);
  process.exit(2);
}
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "bench"], {
  cwd: own,
  stdio: "inherit",
});
for (const { copy } of trees) {
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(own, ".cache/bench"), copy, { recursive: true });
}

/** Figures by name: the unit, and the values of every round by tree. */
const results = new Map();
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const name of chosen) {
      for (const tree of round % 2 === 0 ? trees : trees.toReversed()) {
        process.stderr.write(`  round ${round + 1} of ${values.rounds}: ${name}, ${tree.name}\n`);
        await measure(benchmarks[name], tree);
      }
    }
  }
} finally {
  for (const { copy } of trees) rmSync(copy, { recursive: true, force: true });
}
print();

async function measure({ program: [file, ...options], figures }, { name: tree, folder, copy }) {
  const words = [join(copy, file), ...options, "--rounds", "1", "--json"];
  const { stdout } = await run(process.execPath, words, { cwd: folder, maxBuffer: 2 ** 26 });
  const measured = JSON.parse(stdout.trimEnd().split("\n").at(-1));
  for (const [name, start] of Object.entries(figures)) {
    const found = measured.find((each) => each.name.startsWith(start));
    if (found === undefined) throw new Error(`${file} has no figure that begins with "${start}"`);
    const result = results.get(name) ?? { unit: found.unit, old: [], new: [] };
    result[tree].push(found.value);
    results.set(name, result);
  }
}

function print() {
  console.log(`\n${"".padEnd(38)}${"old".padStart(26)}${"new".padStart(26)}${"new / old".padStart(12)}`);
  for (const [name, { unit, old, new: other }] of results) {
    const ratio = median(other) / median(old);
    // Rates are better the higher they are, everything else the lower it is.
    const isBetter = unit === "/s" ? ratio > 1 : ratio < 1;
    const overlap = Math.max(...other) >= Math.min(...old) && Math.max(...old) >= Math.min(...other);
    const verdict = old.length < 3 ? "" : overlap ? "within the spread" : isBetter ? "better" : "WORSE";
    console.log(
      `${name.padEnd(38)}${cell(old, unit)}${cell(other, unit)}${ratio.toFixed(2).padStart(12)}  ${verdict}`.trimEnd(),
    );
  }
}

function cell(values, unit) {
  const range = values.length > 1 ? ` (${short(Math.min(...values))}…${short(Math.max(...values))})` : "";
  return `${short(median(values))} ${unit}${range}`.padStart(26);
}

function short(value) {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
