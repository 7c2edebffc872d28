import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { benchConvergence } from "./runtime-converge.js";
import { Goals } from "./runtime-figures.js";
import { benchLatency } from "./runtime-latency.js";
import { benchControllersMemory, benchInformerMemory } from "./runtime-memory.js";
import { httpPlane, inProcessPlane, type Plane } from "./runtime-plane.js";
import { benchQueue } from "./runtime-queue.js";

/**
 * Controllers at work: the queue, from create to Ready, memory, and how soon a change is looked at. In-process on the
 * durable store, and over HTTP to a server in a process of its own; beside peers where there are any.
 *
 *   npm run bench:runtime [-- --objects 10000] [--rounds 5] [--seconds 2] [--sizes 1000,1000000] [--dir .]
 *                         [--only queue,converge,memory,latency] [--planes in-process,http]
 */
const parts = ["queue", "converge", "memory", "latency"];
const { objects, rounds, seconds, sizes, directory, only, kinds } = readArguments();
const base = mkdtempSync(join(directory, "fettle-bench-"));
process.on("exit", () => rmSync(base, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));

const wants = (part: string): boolean => only.includes(part);
const goals = new Goals();
console.log(
  `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, median (and range) of ${rounds} rounds`,
);
if (wants("queue")) await benchQueue({ rounds, sizes }, goals);
if (wants("converge")) {
  await onPlanes("converge", (planes) => benchConvergence(planes, { rounds, objects }, goals));
}
if (wants("latency")) {
  await onPlanes("latency", (planes) => benchLatency(planes, { rounds, seconds, objects }, goals));
}
if (wants("memory")) {
  await using plane = await httpPlane(folder("memory"));
  await benchInformerMemory(plane, { rounds, objects }, goals);
  await benchControllersMemory(plane, { rounds, objects }, goals);
}
goals.print();
process.exit(0);

/** Each part has planes of its own: what one has stored does not slow down the next. */
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
  const given = new Map<string, string>();
  const words = process.argv.slice(2);
  for (let index = 0; index < words.length; index += 2) given.set(words[index] ?? "", words[index + 1] ?? "");
  const only = given.get("--only")?.split(",") ?? parts;
  const unknown = only.find((part) => !parts.includes(part));
  if (unknown !== undefined) {
    console.error(`--only ${unknown}: there is no such part; choose from ${parts.join(", ")}`);
    process.exit(2);
  }
  return {
    objects: Number(given.get("--objects") ?? "10000"),
    rounds: Number(given.get("--rounds") ?? "5"),
    seconds: Number(given.get("--seconds") ?? "2"),
    sizes: (given.get("--sizes") ?? "1000,1000000").split(",").map(Number),
    directory: given.get("--dir") ?? ".",
    only,
    kinds: (given.get("--planes") ?? "in-process,http").split(","),
  };
}
