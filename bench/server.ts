import { mkdtempSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startKubeTarget } from "./peers/kube-target.js";
import { peerOrMissing } from "./peers/missing.js";
import { reportPeers, type Side } from "./peers/server-report.js";
import { RawConnection, bestRequestRate, requestBytes, requestRate } from "./raw-http.js";
import { inTurn, printRecorded, record, round, type Contender } from "./report.js";
import { Goals } from "./runtime-figures.js";
import { Load, type Size } from "./server-load.js";
import { startTarget, type Target } from "./server-target.js";
import { widget } from "./server-widgets.js";

/**
 * Benchmark of the API server over HTTP, compared with a bare `node:http` server as the practical limit: each in a process
 * of its own, measured in turn by the same client. With `--peers` also compared with kube-apiserver and etcd, which are built with
 * Go once; kube-apiserver speaks TLS only, so ours is then measured over TLS too.
 *
 *   npm run bench:server [-- --peers] [--objects 10000] [--seconds 1] [--rounds 5, with peers 3] [--dir .]
 *                        [--only get,create,patch,list,watcher,processor]
 */
const { objects, seconds, rounds, directory, peers, only } = readArguments();
const size: Size = { objects, period: seconds * 1000, clients: 32, watchers: 100 };
const base = mkdtempSync(join(directory, "fettle-bench-"));
process.on("exit", () => rmSync(base, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));

console.log(
  `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, median of ${rounds} rounds`,
);
const goals = new Goals();
const bare = await startTarget("bare", "bare", base);
const plain = await prepare(await startTarget("fettle", "fettle", base));
const secure = peers ? await prepare(await startTarget("fettle, TLS", "secure", base)) : undefined;
const kube = peers
  ? await peerOrMissing(
      "kube-apiserver and etcd",
      async () => prepare(await startKubeTarget(resolve(directory))),
      goals,
    )
  : undefined;

const sides = [plain, secure, kube].filter((side) => side !== undefined);
// The bare server has fewer rows than the others and comes last.
const columns = [...sides.map(({ load }) => load.contenders()), await bareContenders()].map(chosen);
// Warm-up: V8 has not compiled the code of a server that has just started.
await inTurn(1, columns, () => {});
const figures = await inTurn(rounds, columns, () => {});
for (const [index, side] of sides.entries()) side.figures = figures[index] ?? [];
const bareFigures = figures.at(-1) ?? [];

reportAlone();
if (secure !== undefined && kube !== undefined) reportPeers({ plain, secure, kube }, size, goals);
goals.print();
printRecorded();
for (const { target } of sides) await target[Symbol.asyncDispose]();
process.exit(0);

async function prepare(target: Target): Promise<Side> {
  process.stderr.write(`  filling ${target.name} …\n`);
  const load = new Load(target, size);
  await load.fill();
  const starts = await target.restart();
  await load.served();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const { rss, part } = await target.usage();
  return { target, load, starts, idle: rss / 1e6, idlePart: part && part / 1e6, figures: [] };
}

async function bareContenders(): Promise<Contender[]> {
  const open = (count: number): Promise<RawConnection[]> =>
    Promise.all(Array.from({ length: count }, () => RawConnection.open(bare.endpoint)));
  const one = await open(1);
  const many = await open(size.clients);
  const { period, clients } = size;
  const get = requestBytes("GET", "/", {});
  const post = requestBytes("POST", "/", { "Content-Type": "application/json" }, widget("some"));
  const both = (name: string, rate: (connections: RawConnection[]) => Promise<number>): Contender[] => [
    { name: `${name}, 1 connection`, unit: "/s", measure: () => rate(one) },
    { name: `${name}, ${clients} connections`, unit: "/s", measure: () => rate(many) },
  ];
  return [
    ...both("bare get", (connections) => bestRequestRate(connections, period, () => get)),
    ...both("bare post", (connections) => requestRate(connections, period, () => post)),
  ];
}

/** Measurements selected by `--only`. */
function chosen(contenders: readonly Contender[]): Contender[] {
  return contenders.filter(({ name }) => only === undefined || only.some((word) => name.includes(word)));
}

/** Prints our own figures and goals. */
function reportAlone(): void {
  const { starts, idle } = plain;
  const all = [...bareFigures, ...plain.figures];
  const value = (start: string): number => all.find(({ name }) => name.startsWith(start))?.value ?? NaN;
  console.log(`\nthe API server, objects of 1 kB, ${objects.toLocaleString("en-US")} initial objects`);
  const first = "from start to ready, existing store";
  const width = Math.max(first.length, ...all.map(({ name }) => name.length));
  const line = (name: string, text: string): void =>
    console.log(`  ${name.padEnd(width)}  ${text.padStart(14)}`);
  line(first, `${round(starts.all)} ms`);
  for (const [part, time] of Object.entries(starts.parts)) line(`  ${part}`, `${round(time)} ms`);
  line("memory when idle (RSS)", `${round(idle)} MB`);
  for (const { name, value, unit } of all) {
    line(name, `${round(value)} ${unit}`);
    record(name, value, unit);
  }

  const goal = (text: string, measured: number, met: boolean, unit: string): void => {
    if (!Number.isNaN(measured)) goals.add(text, met, `${round(measured)} ${unit}`);
  };
  goal("ready under 300 ms with an existing store", starts.all, starts.all < 300, "ms");
  goal("idle under 90 MB", idle, idle < 90, "MB");
  for (const connections of ["1 connection", `${size.clients} connections`]) {
    const share = (value(`get, ${connections}`) / value(`bare get, ${connections}`)) * 100;
    goal(`get at least 60 % of the bare server's rate, ${connections}`, share, share >= 60, "%");
  }
  const list = value("list");
  if (objects === 10_000) goal("list of 10,000 under 100 ms", list, list < 100, "ms");
  const creates = value(`durable create, ${size.clients}`);
  goal("durable create with 32 clients at least 5,000/s", creates, creates >= 5000, "/s");
  const events = value("events to");
  goal("fan-out to 100 watchers at least 100,000 events/s", events, events >= 100_000, "/s");
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      peers: { type: "boolean", default: false },
      objects: { type: "string", default: "10000" },
      seconds: { type: "string", default: "1" },
      rounds: { type: "string" },
      dir: { type: "string", default: "." },
      only: { type: "string" },
      json: { type: "boolean" },
    },
  });
  return {
    objects: Number(values.objects),
    seconds: Number(values.seconds),
    rounds: Number(values.rounds ?? (values.peers ? "3" : "5")),
    directory: values.dir,
    peers: values.peers,
    only: values.only?.split(","),
  };
}
