import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { cpus } from "node:os";
import { join } from "node:path";
import { RawConnection, requestBytes, requestRate } from "./raw-http.js";
import { duration, inTurn, median, round, type Contender } from "./report.js";

/**
 * The API server over HTTP beside a bare `node:http` server, the practical limit: each in a process of its own, asked
 * by the same client on the same machine, in turn.
 *
 *   npm run bench:server [-- --objects 10000] [--seconds 1] [--rounds 5] [--dir .]
 */
const { objects, seconds, rounds, directory } = readArguments();
const period = seconds * 1000;
const clients = 32;
const watchers = 100;
const base = mkdtempSync(join(directory, "fettle-bench-"));
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(base, { recursive: true, force: true });
});
process.on("SIGINT", () => process.exit(130));

interface Ready {
  readonly port: number;
  readonly token: string;
  readonly ready: number;
  readonly before: number;
}

const filler = "x".repeat(600);
const collection = "/apis/demo.dev/v1/namespaces/default/widgets";
const bare = await start("bare");
let fettle = await start("fettle");
const headers = { Authorization: `Bearer ${fettle.token}`, "Content-Type": "application/json" };

console.log(
  `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, median of ${rounds} rounds`,
);
await define();
let next = 0;
await fill();
const starts = await restart();
const idle = await memory();

const one = await open(fettle.port, 1);
const many = await open(fettle.port, clients);
const bareOne = await open(bare.port, 1);
const bareMany = await open(bare.port, clients);
const plainGet = requestBytes("GET", "/", {});
const plainPost = requestBytes("POST", "/", headers, widget("some"));

const measure = (name: string, unit: string, run: () => Promise<number>): Contender => ({
  name,
  unit,
  measure: run,
});
const toFettle = [one, many] as const;
const toBare = [bareOne, bareMany] as const;
const both = (
  name: string,
  [few, lots]: readonly [RawConnection[], RawConnection[]],
  request: () => string,
  options?: { alert: boolean },
): Contender[] => [
  measure(`${name}, 1 connection`, "/s", () => requestRate(few, period, request, options)),
  measure(`${name}, ${clients} connections`, "/s", () => requestRate(lots, period, request, options)),
];
const getAny = (): string => requestBytes("GET", `${collection}/${any()}`, headers);
const createNext = (): string => requestBytes("POST", collection, headers, widget(name(next++)));
const contenders = [
  ...both("bare get", toBare, () => plainGet, { alert: true }),
  ...both("get", toFettle, getAny, { alert: true }),
  ...both("bare post", toBare, () => plainPost),
  ...both("durable create", toFettle, createNext),
  ...both("durable status patch", toFettle, () => {
    const merge = { ...headers, "Content-Type": "application/merge-patch+json" };
    return requestBytes("PATCH", `${collection}/${any()}/status`, merge, `{"status":{"seen":${next++}}}`);
  }),
  measure("processor time of a bare get", "µs", () =>
    processorTime([...children][0], bareMany, () => plainGet, { alert: true }),
  ),
  measure("processor time of a get", "µs", () =>
    processorTime([...children].at(-1), many, getAny, { alert: true }),
  ),
  measure("processor time of a create", "µs", () => processorTime([...children].at(-1), many, createNext)),
  measure(`list of ${objects.toLocaleString("en-US")}`, "ms", () =>
    duration(
      () => one[0]?.send(requestBytes("GET", `${collection}?limit=${objects}`, headers)) ?? Promise.resolve(),
    ),
  ),
  measure("from create to the watcher", "ms", watchLatency),
  measure(`events to ${watchers} watchers`, "/s", fanOut),
];
// A first round that does not count: a server that has just started has yet to be compiled.
await inTurn(1, [contenders], () => {});
const [figures = []] = await inTurn(rounds, [contenders], () => {});
const value = (start: string): number =>
  figures.find((figure) => figure.name.startsWith(start))?.value ?? NaN;

console.log(`\nthe API server, objects of 1 kB, ${objects.toLocaleString("en-US")} of them to begin with`);
const width = Math.max(...figures.map((figure) => figure.name.length));
const line = (name: string, text: string): void =>
  console.log(`  ${name.padEnd(width)}  ${text.padStart(14)}`);
line("from start to ready, existing store", `${round(starts.ready)} ms`);
line("the same with Node's own start", `${round(starts.all)} ms`);
line("memory when idle (RSS)", `${round(idle)} MB`);
for (const figure of figures) line(figure.name, `${round(figure.value)} ${figure.unit}`);

console.log("\ngoals");
const goal = (text: string, met: boolean, shown: string): void =>
  console.log(`  ${met ? "met    " : "NOT MET"}  ${text}: ${shown}`);
goal("ready under 300 ms with an existing store", starts.all < 300, `${round(starts.all)} ms`);
goal("idle under 90 MB", idle < 90, `${round(idle)} MB`);
for (const connections of ["1 connection", `${clients} connections`]) {
  const share = value(`get, ${connections}`) / value(`bare get, ${connections}`);
  goal(
    `get at least 60 % of the bare server's rate, ${connections}`,
    share >= 0.6,
    `${round(share * 100)} %`,
  );
}
goal("list of 10,000 under 100 ms", value("list") < 100, `${round(value("list"))} ms`);
const creates = value(`durable create, ${clients}`);
goal("durable create with 32 clients at least 5,000/s", creates >= 5000, `${round(creates)} /s`);
goal(
  "fan-out to 100 watchers at least 100,000 events/s",
  value("events to") >= 100_000,
  `${round(value("events to"))} /s`,
);
process.exit(0);

function name(index: number): string {
  return `widget-${((index * 2654435761) % 2 ** 32).toString(16).padStart(8, "0")}`;
}

function any(): string {
  return name(Math.floor(Math.random() * objects));
}

function widget(name: string): string {
  return JSON.stringify({
    apiVersion: "demo.dev/v1",
    kind: "Widget",
    metadata: { name, labels: { app: "bench" } },
    spec: { color: "red", size: filler },
  });
}

async function start(kind: string): Promise<Ready> {
  const child = fork(new URL("server-process.js", import.meta.url), [kind, base], {
    env: { ...process.env, SPAWNED: String(Date.now()) },
  });
  children.add(child);
  const [ready] = (await once(child, "message")) as [Ready];
  return ready;
}

/** Stops the server and starts it on what it has stored, several times. */
async function restart(): Promise<{ ready: number; all: number }> {
  const ready: number[] = [];
  const all: number[] = [];
  for (let time = 0; time < 5; time++) {
    const child = [...children].at(-1);
    const exited = child && once(child, "exit");
    child?.kill("SIGTERM");
    await exited;
    if (child) children.delete(child);
    fettle = await start("fettle");
    ready.push(fettle.ready);
    all.push(fettle.ready + fettle.before);
  }
  return { ready: median(ready), all: median(all) };
}

async function memory(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  return (await usage([...children].at(-1))).rss / 1e6;
}

interface Usage {
  readonly rss: number;
  /** Microseconds, of all threads. */
  readonly processorTime: number;
}

async function usage(child: ChildProcess | undefined): Promise<Usage> {
  child?.send("usage");
  const [answer] = (child ? await once(child, "message") : []) as [Usage];
  return answer;
}

/** How many microseconds of processor time a request takes, client apart. */
async function processorTime(
  child: ChildProcess | undefined,
  connections: RawConnection[],
  request: () => string,
  options?: { alert: boolean },
): Promise<number> {
  const before = await usage(child);
  const begin = performance.now();
  const rate = await requestRate(connections, period, request, options);
  const requests = (rate * (performance.now() - begin)) / 1000;
  return ((await usage(child)).processorTime - before.processorTime) / requests;
}

async function open(port: number, count: number): Promise<RawConnection[]> {
  return Promise.all(Array.from({ length: count }, () => RawConnection.open(port)));
}

async function define(): Promise<void> {
  const [connection] = await open(fettle.port, 1);
  const properties = {
    spec: { type: "object", properties: { color: { type: "string" }, size: { type: "string" } } },
    status: { type: "object", properties: { seen: { type: "integer" } } },
  };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.demo.dev" },
    spec: {
      group: "demo.dev",
      names: { kind: "Widget", plural: "widgets" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties } },
        },
      ],
    },
  };
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await connection?.send(requestBytes("POST", path, headers, JSON.stringify(definition)));
  connection?.close();
}

async function fill(): Promise<void> {
  const connections = await open(fettle.port, clients);
  await Promise.all(
    connections.map(async (connection) => {
      while (next < objects)
        await connection.send(requestBytes("POST", collection, headers, widget(name(next++))));
      connection.close();
    }),
  );
}

/** A watch, as bytes: how many events have come in is all that is looked at. */
async function watch(from: string, onEvents: (count: number) => void): Promise<() => void> {
  const socket = connect({ port: fettle.port, host: "127.0.0.1" });
  socket.write(requestBytes("GET", `${collection}?watch=true&resourceVersion=${from}`, headers));
  const mark = Buffer.from('{"type":"');
  await new Promise<void>((resolve) => {
    socket.once("data", () => resolve());
  });
  socket.on("data", (chunk) => {
    let count = 0;
    for (let at = chunk.indexOf(mark); at >= 0; at = chunk.indexOf(mark, at + mark.length)) count++;
    onEvents(count);
  });
  return () => socket.destroy();
}

async function newest(): Promise<string> {
  const body = await one[0]?.send(requestBytes("GET", `${collection}?limit=1`, headers));
  return /"resourceVersion":"(\d+)"/.exec(body?.toString() ?? "")?.[1] ?? "";
}

async function watchLatency(): Promise<number> {
  let arrived: (() => void) | undefined;
  const stop = await watch(await newest(), () => arrived?.());
  const times: number[] = [];
  for (let time = 0; time < 50; time++) {
    const event = new Promise<void>((resolve) => (arrived = resolve));
    const begin = performance.now();
    const created = one[0]?.send(requestBytes("POST", collection, headers, widget(name(next++))));
    await event;
    times.push(performance.now() - begin);
    await created;
  }
  stop();
  return median(times);
}

/** Events that all watchers together receive a second, while objects are created as fast as they can be. */
async function fanOut(): Promise<number> {
  let received = 0;
  const from = await newest();
  const stops = await Promise.all(
    Array.from({ length: watchers }, () => watch(from, (count) => (received += count))),
  );
  const begin = performance.now();
  const rate = requestRate(many, period, () =>
    requestBytes("POST", collection, headers, widget(name(next++))),
  );
  await rate;
  const result = (received * 1000) / (performance.now() - begin);
  for (const stop of stops) stop();
  return result;
}

function readArguments(): { objects: number; seconds: number; rounds: number; directory: string } {
  const given = new Map<string, string>();
  const words = process.argv.slice(2);
  for (let index = 0; index < words.length; index += 2) given.set(words[index] ?? "", words[index + 1] ?? "");
  return {
    objects: Number(given.get("--objects") ?? "10000"),
    seconds: Number(given.get("--seconds") ?? "1"),
    rounds: Number(given.get("--rounds") ?? "5"),
    directory: given.get("--dir") ?? ".",
  };
}
