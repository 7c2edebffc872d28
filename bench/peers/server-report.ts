import { availableParallelism } from "node:os";
import { round, type Figure } from "../report.js";
import type { Goals } from "../runtime-figures.js";
import type { Busy, Load, Size } from "../server-load.js";
import type { Starts, Target } from "../server-target.js";

/** One of the compared servers, with its figures. */
export interface Side {
  readonly target: Target;
  readonly load: Load;
  readonly starts: Starts;
  /** Idle memory; MB. */
  readonly idle: number;
  /** Idle memory of the main process, if there are several; MB. */
  readonly idlePart?: number | undefined;
  figures: readonly Figure[];
}

export interface Sides {
  readonly plain: Side;
  readonly secure: Side;
  readonly kube: Side;
}

/** Compares ours with kube-apiserver and etcd, both over TLS; ours also without, which kube-apiserver does not support. */
export function reportPeers(sides: Sides, { clients }: Size, goals: Goals): void {
  const rows = rowsOf(sides);
  printRows(sides, rows);
  const wanted = (text: string, least: number, start: string): void => {
    const row = rows.find(({ name }) => name.startsWith(start));
    if (row === undefined) return;
    const { plain, secure, kube } = row;
    const times = better(secure, kube);
    const shown = `${round(times)}x (${round(secure.value)} and ${round(kube.value)} ${kube.unit})`;
    const open = `without TLS ${round(better(plain, kube))}x`;
    goals.add(`${text}, both over TLS`, times >= least, `${shown}; ${open}`);
    const reason = times >= least ? undefined : obstacle(sides, row);
    if (reason !== undefined) goals.note(`  ${reason}`);
  };
  wanted("create 10x kube-apiserver's rate", 10, `durable create, ${clients}`);
  wanted("get 10x", 10, `get, ${clients}`);
  wanted("status patch 10x", 10, `durable status patch, ${clients}`);
  wanted("list 10x", 10, "list of");
  wanted("fan-out 10x", 10, "events to");
  wanted("ready in a tenth of the time", 10, "from start to ready");
  wanted("idle in a third of the memory of kube-apiserver and etcd", 3, "memory when idle");
  const { idlePart = NaN } = sides.kube;
  const part = idlePart / sides.secure.idle;
  goals.note(`kube-apiserver without etcd has ${round(part)}x our memory (${round(idlePart)} MB)`);
}

/** The same figure of all three. */
interface Row {
  readonly name: string;
  readonly plain: Figure;
  readonly secure: Figure;
  readonly kube: Figure;
}

function rowsOf({ plain, secure, kube }: Sides): Row[] {
  const [safe, theirs] = [figuresOf(secure), figuresOf(kube)];
  return figuresOf(plain).flatMap((figure, index) => {
    const [second, third] = [safe[index], theirs[index]];
    return second && third ? [{ name: figure.name, plain: figure, secure: second, kube: third }] : [];
  });
}

function figuresOf({ starts, idle, figures }: Side): Figure[] {
  return [
    { name: "from start to ready, existing store", value: starts.all, unit: "ms" },
    { name: "memory when idle (RSS)", value: idle, unit: "MB" },
    ...figures,
  ];
}

function printRows(sides: Sides, rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ name }) => name.length)) + 2;
  const cell = (text: string): string => text.padStart(16);
  const { plain, secure, kube } = sides;
  const heads = [...[plain, secure, kube].map(({ target }) => target.name), "better by", "over TLS"];
  const title = "compared with kube-apiserver".padEnd(width);
  console.log(`\n${title}${heads.map(cell).join("")}   processors: client + server, of each`);
  for (const row of rows) {
    const figures = [row.plain, row.secure, row.kube].map(({ value, unit }) => `${round(value)} ${unit}`);
    const times = [row.plain, row.secure].map((each) => `${round(better(each, row.kube))}x`);
    const line = `  ${row.name}`.padEnd(width) + [...figures, ...times].map(cell).join("");
    console.log(`${line}   ${processors(sides, row.name)}`.trimEnd());
  }
  const { idlePart = NaN, idle, starts } = kube;
  const alone = Object.entries(starts.parts).map(([part, time]) => `${part} starts in ${round(time)} ms`);
  console.log(
    `  ${alone.join(", ")} and has ${round(idlePart)} MB when idle; etcd has ${round(idle - idlePart)} MB`,
  );
}

/** Ratio by which one figure is better: rates are better when higher, everything else when lower. */
function better(ours: Figure, theirs: Figure): number {
  return ours.unit === "/s" ? ours.value / theirs.value : theirs.value / ours.value;
}

/** Busy processors of all three; empty for figures without load. */
function processors({ plain, secure, kube }: Sides, name: string): string {
  const all = [plain, secure, kube].map(({ load }) => load.busy(name));
  if (all.some(({ client }) => Number.isNaN(client))) return "";
  return all.map(({ client, server }) => `${client.toFixed(1)} + ${server.toFixed(1)}`).join(", ");
}

/**
 * Likely reason for a missed goal, by processor time: the cost of the same work on both servers, and how busy the load
 * generator kept the machine.
 */
function obstacle({ secure, kube }: Sides, row: Row): string | undefined {
  const ours = secure.load.busy(row.name);
  const theirs = kube.load.busy(row.name);
  if (Number.isNaN(ours.client)) return undefined;
  // The figure of a list is the time of one request; all others are rates.
  const cost = ({ server }: Busy, { unit, value }: Figure): number =>
    unit === "/s" ? (server * 1e6) / value : server * value * 1000;
  const [own, other] = [cost(ours, row.secure), cost(theirs, row.kube)];
  const work = `the server's own work is ${round(own)} µs of processor time and ${round(other)} µs`;
  const machine = `load generator ${ours.client.toFixed(1)} and server ${ours.server.toFixed(1)} processors busy`;
  return `${work} (${round(other / own)}x); ${machine} of ${availableParallelism()}`;
}
