import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { peerOrMissing } from "./peers/missing.js";
import { startPm2 } from "./peers/pm2.js";
import { startProcessCompose } from "./peers/process-compose.js";
import { startFettle } from "./process-fettle.js";
import {
  allPids,
  IdentifiedProcess,
  memoryOf,
  processorTimeOf,
  signal,
  Sleepers,
  supervisingPids,
  until,
  type Supervisor,
  type SupervisorFolder,
} from "./process-supervisor.js";
import { median, printRecorded, Progress, record, round } from "./report.js";
import { Goals, lookAtHost, printTitle } from "./runtime-figures.js";

/**
 * Benchmark of the operator `process`, with pm2 and process-compose beside it: memory of everything that supervises, time to start
 * many processes, time from a crash to the restart, and processor time at rest. The supervised processes are `sleep`, and do not
 * count.
 *
 *   npm run bench:process [-- --rounds 1] [--processes 200] [--crashes 50] [--idle 30] [--only fettle,pm2] [--json]
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "1" },
    processes: { type: "string", default: "200" },
    crashes: { type: "string", default: "50" },
    idle: { type: "string", default: "30" },
    only: { type: "string", default: "fettle,pm2,process-compose" },
    json: { type: "boolean" },
  },
});
const [rounds, processes, idle] = [Number(values.rounds), Number(values.processes), Number(values.idle)];
const crashes = Math.min(Number(values.crashes), processes);
/** Time for a supervisor to come to rest before its memory is read; milliseconds. */
const settleTime = 5000;

const starters = {
  fettle: startFettle,
  pm2: startPm2,
  "process-compose": startProcessCompose,
} as const;
type Name = keyof typeof starters;

/** What is measured, with its unit; less is better for all of them. */
const figures = {
  rss: ["supervisor: resident memory, no processes", "MB"],
  pss: ["supervisor: proportional memory, no processes", "MB"],
  total: [`supervisor: proportional memory, ${processes} processes`, "MB"],
  main: [`of these, the main process alone, ${processes} processes`, "MB"],
  each: ["proportional memory per process", "MB"],
  start: [`start of ${processes} processes`, "ms"],
  restart: [`from a crash to the restart, median of ${crashes}`, "ms"],
  idle: [`processor time in ${idle} s at rest, ${processes} processes`, "ms"],
} as const satisfies Record<string, readonly [string, string]>;
type Figures = Record<keyof typeof figures, number>;

const goals = new Goals();
const progress = new Progress();
const stolen = lookAtHost();
const results = new Map<Name, Figures[]>();
const missing = new Set<Name>();
let runs = 0;
// Handlers of "exit" run only if the process ends by itself.
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => process.exit(1));
for (let number = 1; number <= rounds; number++) {
  for (const name of Object.keys(starters) as Name[]) {
    if (!values.only.split(",").includes(name) || missing.has(name)) continue;
    const measured = await measure(name, number);
    if (measured === undefined) missing.add(name);
    else results.set(name, [...(results.get(name) ?? []), measured]);
  }
}
progress.clear();
report();

async function measure(name: Name, number: number): Promise<Figures | undefined> {
  const show = (text: string) => progress.show(`round ${number} of ${rounds}: ${name}: ${text}`);
  mkdirSync(tmpdir(), { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "bench-process-"));
  const sleepers = new Sleepers(processes, runs++);
  let main: readonly IdentifiedProcess[] = [];
  // Supervisors come first: they would start the others again.
  const killAll = () => {
    for (const each of main) each.kill();
    sleepers.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", killAll);
  try {
    const before = new Set(allPids());
    show("start");
    const supervisor = await peerOrMissing(name, () => starters[name](folder), goals);
    if (supervisor === undefined) return undefined;
    main = supervisor.pids.map((pid) => new IdentifiedProcess(pid));
    await using _ = supervisor;
    return await measureSupervisor(supervisor, sleepers, before, show);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.log(`\n*** FAILED: ${name}: ${why}\n`);
    goals.missing(name, why.split("\n")[0] ?? "");
    return undefined;
  } finally {
    killAll();
    process.off("exit", killAll);
  }
}

async function measureSupervisor(
  supervisor: Supervisor & SupervisorFolder,
  sleepers: Sleepers,
  before: ReadonlySet<number>,
  show: (text: string) => void,
): Promise<Figures> {
  const pids = () => supervisingPids(supervisor, [...sleepers.running().values()], before);
  await pause(settleTime);
  const empty = memoryOf(pids());

  show(`start ${processes} processes`);
  const begin = performance.now();
  const accepted = supervisor.add(sleepers.commands);
  // Handled below: it may be rejected while the processes are awaited.
  accepted.catch(() => {});
  await Promise.race([
    until("all processes run", () => sleepers.running().size === processes, { pause: 10 }),
    accepted.then(() => new Promise<never>(() => {})),
  ]);
  const start = performance.now() - begin;
  await accepted;

  show(`${idle} s at rest`);
  await pause(settleTime);
  const supervising = pids();
  const full = memoryOf(supervising);
  const main = memoryOf(supervisor.pids);
  const processorTime = processorTimeOf(supervising);
  await pause(idle * 1000);
  const idleTime = processorTimeOf(supervising) - processorTime;

  const restarts: number[] = [];
  for (const [, seconds = ""] of sleepers.commands.slice(0, crashes)) {
    show(`crash ${restarts.length + 1} of ${crashes}`);
    restarts.push(await restartTime(sleepers, seconds));
    await pause(50);
  }
  return {
    rss: empty.rss / 1e6,
    pss: empty.pss / 1e6,
    total: full.pss / 1e6,
    main: main.pss / 1e6,
    each: (full.pss - empty.pss) / processes / 1e6,
    start,
    restart: median(restarts),
    idle: idleTime,
  };
}

/** Milliseconds from SIGKILL until a new process executes the same command. */
async function restartTime(sleepers: Sleepers, seconds: string): Promise<number> {
  const pid = sleepers.running().get(seconds);
  if (pid === undefined) throw new Error(`no process runs sleep ${seconds}`);
  const known = new Set(allPids());
  const begin = performance.now();
  signal(pid, "SIGKILL");
  await until("the process is restarted", () => sleepers.find(seconds, known) !== undefined, { pause: 1 });
  return performance.now() - begin;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function report(): void {
  const names = [...results.keys()];
  const steal = stolen();
  console.log(
    `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}${steal === undefined ? "" : `, steal time ${steal}`}, median of ${rounds} rounds`,
  );
  const width = 64;
  const cell = (text: string) => text.padStart(26);
  printTitle(`${"supervised processes".padEnd(width)}${names.map(cell).join("")}`);
  const ours = results.get("fettle");
  for (const [key, [title, unit]] of Object.entries(figures) as [
    keyof Figures,
    readonly [string, string],
  ][]) {
    const of = (measured: readonly Figures[]) => median(measured.map((each) => each[key]));
    const own = ours === undefined ? undefined : of(ours);
    const cells = names.map((name) => {
      const value = of(results.get(name) ?? []);
      record(`${name}: ${title}`, value, unit);
      if (own === undefined || name === "fettle") return cell(`${round(value)} ${unit}`);
      // A peer that does nothing at all at rest has no ratio.
      const ratio = value === 0 ? `${round(own)} ${unit}, not 0` : `${(own / value).toFixed(2)}x`;
      goals.add(`${title}: not more than ${name}`, own <= value, ratio);
      return cell(`${round(value)} ${unit}${value === 0 ? "" : ` (${ratio})`}`);
    });
    console.log(`${title.padEnd(width)}${cells.join("")}`);
  }
  if (ours !== undefined)
    console.log("\n(…x): Fettle in relation to the peer; less than 1 is better than it");
  goals.print();
  printRecorded();
}
