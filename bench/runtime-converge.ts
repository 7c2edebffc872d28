import * as fettlePlane from "fettle/plane";
import { startControllers } from "fettle/runtime";
import type { ConvergePeer } from "./peers/converge.js";
import {
  inRounds,
  lookAtHost,
  printSpread,
  printTitle,
  spread,
  type Goals,
  type Subject,
} from "./runtime-figures.js";
import { createAll, type Plane } from "./runtime-plane.js";
import { problemLog } from "./runtime-problems.js";
import { createNamespace, Part, revision, untilReady, widget, widgetController } from "./runtime-widgets.js";
import { round } from "./report.js";

const creators = 64;
/** Concurrent runs, where a case sets them; group commit in the store needs concurrent writes. */
const concurrency = 64;

interface Convergence {
  readonly milliseconds: number;
  /** Creates, writes of children and of statuses. */
  readonly writes: number;
  /** Processor time of this process, all threads; milliseconds. Other processes on the machine do not distort it. */
  readonly processor: number;
}

interface Case {
  readonly name: string;
  readonly parts: boolean;
  readonly concurrency: number | undefined;
}

const simplest: Case = { name: `status only, ${concurrency} at once`, parts: false, concurrency };
const cases: readonly Case[] = [
  simplest,
  { name: "status only, 4 at once (default)", parts: false, concurrency: undefined },
  { name: `1 child each, ${concurrency} at once`, parts: true, concurrency },
];
/** Number of objects after which V8 has compiled most of the code that runs. */
const warmUpObjects = 5000;

interface Options {
  readonly rounds: number;
  readonly objects: number;
  readonly limit: number;
}

/** Measures the time from the first create until a watch has shown the last object as Ready. */
export async function benchConvergence(
  planes: readonly Plane[],
  { rounds, objects, limit }: Options,
  goals: Goals,
  peer?: ConvergePeer,
): Promise<void> {
  let runs = 0;
  const subjectOf = (plane: Plane, each: Case): Subject<Convergence> => ({
    name: nameOf(plane, each),
    measure: (warmUp) =>
      converge(plane, each, `converge-${runs++}`, warmUp ? Math.min(objects, warmUpObjects) : objects),
  });
  // Peers are slow, and measured in one case only.
  const chosen = peer === undefined ? cases : [simplest];
  // One plane after the other, as in a real program: code that V8 has optimized for several planes is slower for each.
  const groups = planes.map((plane) => chosen.map((each) => subjectOf(plane, each)));
  if (peer !== undefined) {
    const theirs = {
      name: peerName,
      warm: true,
      measure: () => convergePeer(peer, `controller-runtime-${runs++}`, objects),
    };
    // Both on the same API, so that the difference is that of the runtimes.
    groups.push([theirs, { ...subjectOf(peer.plane, simplest), warm: true }]);
  }
  const results = new Map<string, readonly Convergence[]>();
  const taken: string[] = [];
  for (const group of groups) {
    const host = lookAtHost();
    const measured = await inRounds(rounds, group, { limit: limit / groups.length });
    taken.push(host() ?? "?");
    for (const [name, values] of measured) results.set(name, values);
  }

  const count = objects.toLocaleString("en-US");
  printTitle(`${count} objects from the first create to the last Ready, ${creators} clients, durable store`);
  console.log(
    "  processor time: of the process that runs the controllers; in-process that includes the server",
  );
  console.log(`  processor time taken by other guests of the host (steal): ${taken.join(", ")}`);
  for (const [name, values] of results) {
    const time = secondsOf(values);
    const writes = spread(values.map((each) => each.writes)).median / time.median;
    const cost = spread(values.map(({ processor }) => (processor * 1000) / objects)).median;
    const rates = `${round(objects / time.median)} objects/s, ${round(writes)} writes/s`;
    printSpread(name, time, "s", `${rates}, ${round(cost)} µs of processor each`);
  }
  const timeOf = (name: string): number => secondsOf(results.get(name) ?? []).median;
  // The goals are for 10,000 objects.
  const promised = objects === 10_000;
  for (const plane of planes) {
    const key = nameOf(plane, simplest);
    const time = timeOf(key);
    if (!promised) goals.note(`${count} objects in ${round(time)} s (${key}); goals are for 10,000`);
    else if (plane.name === "in-process") {
      goals.add(`10,000 objects in at most 2 s (${key})`, time <= 2, `${round(time)} s`);
    }
    if (peer === undefined) continue;
    const times = timeOf(peerName) / time;
    const wanted = plane.name === "in-process" ? 10 : 3;
    const shown = `${round(times)}x: ${round(time)} s and ${round(timeOf(peerName))} s`;
    const text = `${wanted}x as fast as controller-runtime on kube-apiserver (${key})`;
    if (promised) goals.add(text, times >= wanted, shown);
    else goals.note(`wanted ${text}: ${shown}`);
  }
  if (peer === undefined) return;
  const times = timeOf(peerName) / timeOf(nameOf(peer.plane, simplest));
  goals.note(`${round(times)}x as fast as controller-runtime on the same kube-apiserver`);
}

const peerName = `controller-runtime on kube-apiserver: ${simplest.name}`;

function nameOf(plane: Plane, each: Case): string {
  return `${plane.name}: ${each.name}`;
}

function secondsOf(values: readonly Convergence[]) {
  return spread(values.map(({ milliseconds }) => milliseconds / 1000));
}

async function convergePeer(peer: ConvergePeer, namespace: string, objects: number): Promise<Convergence> {
  const { client } = peer.plane;
  await createNamespace(client, namespace);
  const since = await revision(client, namespace);
  const { milliseconds, processor } = await peer.converge({
    namespace,
    since,
    objects,
    creators,
    concurrency,
  });
  return { milliseconds, processor, writes: Number(await revision(client, namespace)) - Number(since) };
}

/** One measurement, in a namespace of its own that the controller is limited to. */
async function converge(
  plane: Plane,
  { name, parts, concurrency: atOnce }: Case,
  namespace: string,
  objects: number,
): Promise<Convergence> {
  const { client } = plane;
  await createNamespace(client, namespace);
  const problems = problemLog();
  // Older versions, which bench/compare.mjs measures too, have runs in memory only.
  const hasFiles = plane.runs !== undefined && "fileRunStore" in fettlePlane;
  const runs = hasFiles ? fettlePlane.fileRunStore({ folder: plane.runs, log: problems.log }) : undefined;
  const running = startControllers({
    controllers: [widgetController({ namespace, parts, concurrency: atOnce })],
    client: plane.controllers,
    log: problems.log,
    runs,
  });
  const clients = await plane.creators(creators);
  try {
    await running.ready();
    const since = await revision(client, namespace);
    const before = process.cpuUsage();
    const begin = performance.now();
    const ready = untilReady(client, namespace, { count: objects, since });
    await Promise.all([ready, createAll(clients, objects, (index) => widget(namespace, index))]);
    const milliseconds = performance.now() - begin;
    const { user, system } = process.cpuUsage(before);
    const writes = Number(await revision(client, namespace)) - Number(since);
    if (parts) await checkParts(plane, namespace, objects);
    return { milliseconds, writes, processor: (user + system) / 1000 };
  } finally {
    clients.close();
    await running.stop();
    await runs?.close();
    problems.check(`${plane.name}: ${name}`);
  }
}

async function checkParts({ client }: Plane, namespace: string, objects: number): Promise<void> {
  const { items } = await client.list(Part, { namespace, metadataOnly: true });
  if (items.length !== objects) throw new Error(`${items.length} parts exist for ${objects} widgets`);
}
