import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startConvergePeer } from "./peers/converge.js";
import { startGoProgram } from "./peers/go-program.js";
import { peerOrMissing } from "./peers/missing.js";
import { benchConvergence } from "./runtime-converge.js";
import { Goals } from "./runtime-figures.js";
import { benchLatency } from "./runtime-latency.js";
import { benchControllersMemory, benchInformerMemory } from "./runtime-memory.js";
import { httpPlane, inProcessPlane, type Plane } from "./runtime-plane.js";
import { benchQueue } from "./runtime-queue.js";
import { printRecorded } from "./report.js";

/**
 * Benchmarks of the runtime: queue, time from create to Ready, latency from a change to its run, and memory; in-process on
 * the durable store, and over HTTP to a server in another process. With `--peers` compared with Go's queues and with
 * controller-runtime on kube-apiserver and etcd, which are built with Go once.
 *
 *   npm run bench:runtime [-- --peers] [--objects 10000] [--rounds 3] [--seconds 2] [--sizes 1000,1000000] [--dir .]
 *                         [--only queue,converge,latency,informer-memory,controller-memory] [--planes in-process,http] [--limit 120]
 *
 * A part starts no other round after `--limit` seconds.
 */
const parts = ["queue", "converge", "latency", "informer-memory", "controller-memory"];
const { objects, rounds, seconds, sizes, directory, only, kinds, peers, limit } = readArguments();
const base = mkdtempSync(join(directory, "fettle-bench-"));
process.on("exit", () => rmSync(base, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));

const wants = (part: string): boolean => only.includes(part);
const goals = new Goals();
console.log(
  `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, median (and range) of ${rounds} rounds`,
);
if (wants("queue")) {
  const go = await peer("Go's queues", () => startGoProgram("queue"));
  await benchQueue({ rounds, sizes, limit }, goals, go);
  await go?.[Symbol.asyncDispose]();
}
if (wants("converge")) {
  const other = await peer("controller-runtime on kube-apiserver", () =>
    startConvergePeer(resolve(directory)),
  );
  await onPlanes("converge", (planes) => benchConvergence(planes, { rounds, objects, limit }, goals, other));
  await other?.[Symbol.asyncDispose]();
}
if (wants("latency")) {
  await onPlanes("latency", (planes) => benchLatency(planes, { rounds, seconds, objects, limit }, goals));
}
if (wants("informer-memory") || wants("controller-memory")) {
  await using plane = await httpPlane(folder("memory"));
  if (wants("informer-memory")) await benchInformerMemory(plane, { rounds, objects, limit }, goals);
  if (wants("controller-memory")) await benchControllersMemory(plane, { rounds, objects, limit }, goals);
}
goals.print();
if (!peers && (wants("queue") || wants("converge")))
  console.log("\n--peers compares with Go's queues and controller-runtime");
printRecorded();
process.exit(0);

function peer<Peer>(what: string, start: () => Promise<Peer>): Promise<Peer | undefined> {
  return peers ? peerOrMissing(what, start, goals) : Promise.resolve(undefined);
}

/** Runs a part on planes of its own, so that the data of one part does not slow down the next. */
async function onPlanes(part: string, bench: (planes: readonly Plane[]) => Promise<void>): Promise<void> {
  const planes: Plane[] = [];
  if (kinds.includes("in-process")) planes.push(await inProcessPlane(folder(part)));
  if (kinds.includes("http")) planes.push(await httpPlane(folder(part)));
  await bench(planes);
  for (const plane of planes) await plane[Symbol.asyncDispose]();
}

function folder(part: string): string {
  const place = join(base, part);
  mkdirSync(place, { recursive: true });
  return place;
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      peers: { type: "boolean", default: false },
      objects: { type: "string", default: "10000" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "2" },
      sizes: { type: "string", default: "1000,1000000" },
      dir: { type: "string", default: "." },
      only: { type: "string", default: parts.join(",") },
      planes: { type: "string", default: "in-process,http" },
      limit: { type: "string", default: "120" },
      json: { type: "boolean" },
    },
  });
  const only = values.only.split(",");
  const unknown = only.find((part) => !parts.includes(part));
  if (unknown !== undefined) {
    console.error(`--only ${unknown}: unknown part; choose from ${parts.join(", ")}`);
    process.exit(2);
  }
  return {
    objects: Number(values.objects),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    sizes: values.sizes.split(",").map(Number),
    directory: values.dir,
    only,
    kinds: values.planes.split(","),
    peers: values.peers,
    limit: Number(values.limit),
  };
}
