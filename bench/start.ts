import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printRecorded } from "./report.js";
import { Goals, printSpread, printTitle, spread } from "./runtime-figures.js";

/**
 * Benchmark of the start: time from the start of `fettle up` until it prints that it is up, compared with `node -e 0`, which no
 * program can beat. Each round runs `node -e 0`, a first start with an empty data folder and a second start on its data.
 *
 *   npm run bench:start [-- --rounds 10] [--example examples/site] [--json]
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    example: { type: "string", default: "examples/site" },
    json: { type: "boolean" },
  },
});
const rounds = Number(values.rounds);
const root = dirname(fileURLToPath(import.meta.resolve("fettle/package.json")));
const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { bin: { fettle: string } };
/** Pause before the memory is read; milliseconds. */
const idleTime = 2000;

interface Start {
  /** Milliseconds. */
  readonly ready: number;
  /** Processor time of all threads until then; milliseconds. */
  readonly processor: number;
  /** Resident memory at rest; MB. */
  readonly memory: number;
}

const bare: number[] = [];
const first: Start[] = [];
const second: Start[] = [];
for (let round = 0; round < rounds; round++) {
  bare.push(await runBare());
  const data = mkdtempSync(join(root, ".cache", "bench-start-"));
  try {
    first.push(await start(data));
    second.push(await start(data));
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}
report();

async function runBare(): Promise<number> {
  const begin = performance.now();
  await once(spawn(process.execPath, ["-e", "0"], { env: environment(), stdio: "ignore" }), "exit");
  return performance.now() - begin;
}

async function start(data: string): Promise<Start> {
  const begin = performance.now();
  const child = spawn(process.execPath, [join(root, bin.fettle), "up", values.example], {
    cwd: root,
    env: { ...environment(), FETTLE_PORT: "0", FETTLE_DATA: data },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    let text = "";
    const isUp = new Promise<void>((resolve) =>
      child.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes(" is up ")) resolve();
      }),
    );
    await Promise.race([isUp, ended]);
    const ready = performance.now() - begin;
    if (child.exitCode !== null) throw new Error(`fettle up ended before it was up:\n${text}`);
    const processor = processorTime(child.pid);
    await new Promise((resolve) => setTimeout(resolve, idleTime));
    return { ready, processor, memory: residentMemory(child.pid) };
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

/** Node reads NODE_EXTRA_CA_CERTS at every start, which takes 60 ms. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...rest } = process.env;
  return rest;
}

/** From Linux's /proc, in ticks of 10 ms. */
function processorTime(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6;
}

function report(): void {
  const readyAfter = (starts: readonly Start[]) => spread(starts.map(({ ready }) => ready));
  console.log(
    `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, median (and range) of ${rounds} rounds`,
  );
  printTitle(`fettle up ${values.example}`);
  printSpread("node -e 0", spread(bare), "ms");
  for (const [name, starts] of [
    ["first start", first],
    ["second start", second],
  ] as const) {
    printSpread(`${name}: ready`, readyAfter(starts), "ms");
    printSpread(`${name}: processor time`, spread(starts.map(({ processor }) => processor)), "ms");
    printSpread(`${name}: memory at rest`, spread(starts.map(({ memory }) => memory)), "MB");
  }
  const goals = new Goals();
  for (const [name, starts] of [
    ["first start", first],
    ["second start", second],
  ] as const) {
    const above = readyAfter(starts).median - spread(bare).median;
    goals.add(`${name} within 300 ms of node -e 0`, above <= 300, `${Math.round(above)} ms above it`);
  }
  goals.print();
  printRecorded();
}
