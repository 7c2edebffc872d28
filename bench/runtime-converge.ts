import { startControllers } from "fettle/runtime";
import { inRounds, printSpread, printTitle, spread, type Goals, type Subject } from "./runtime-figures.js";
import { createAll, type Plane } from "./runtime-plane.js";
import { problemLog } from "./runtime-problems.js";
import { createNamespace, Part, revision, untilReady, widget, widgetController } from "./runtime-widgets.js";
import { round } from "./report.js";

const creators = 64;
/** How many runs are under way at once, where the controller is told; a store with group commit likes company. */
const concurrency = 64;

interface Convergence {
  readonly milliseconds: number;
  /** Of all there were until then: creates, children, statuses. */
  readonly writes: number;
  /** Milliseconds of processor time that this process took, with all its threads: others on the machine do not matter. */
  readonly processor: number;
}

interface Case {
  readonly name: string;
  readonly parts: boolean;
  readonly concurrency: number | undefined;
}

const cases: readonly Case[] = [
  { name: `status only, ${concurrency} at once`, parts: false, concurrency },
  { name: "status only, 4 at once (default)", parts: false, concurrency: undefined },
  { name: `1 child each, ${concurrency} at once`, parts: true, concurrency },
];

/** How long it takes from the first create until the last object is seen to be ready. */
export async function benchConvergence(
  planes: readonly Plane[],
  { rounds, objects }: { readonly rounds: number; readonly objects: number },
  goals: Goals,
): Promise<void> {
  let runs = 0;
  const subjects = planes.flatMap((plane) =>
    cases.map((each): Subject<Convergence> => ({
      name: `${plane.name}: ${each.name}`,
      measure: () => converge(plane, each, `converge-${runs++}`, objects),
    })),
  );
  const results = await inRounds(rounds, subjects);

  const count = objects.toLocaleString("en-US");
  printTitle(`${count} objects from the first create to the last Ready, ${creators} clients, durable store`);
  console.log(
    "  processor time is that of the process the controllers are in, which in-process is that of all",
  );
  for (const [name, values] of results) {
    const time = spread(values.map(({ milliseconds }) => milliseconds / 1000));
    const writes = spread(values.map((each) => each.writes)).median / time.median;
    const cost = spread(values.map(({ processor }) => (processor * 1000) / objects)).median;
    const rates = `${round(objects / time.median)} objects/s, ${round(writes)} writes/s`;
    printSpread(name, time, "s", `${rates}, ${round(cost)} µs of processor each`);
  }
  const [first] = planes;
  const key = `${first?.name}: ${cases[0]?.name}`;
  const values = results.get(key);
  if (values === undefined || first?.name !== "in-process") return;
  const time = spread(values.map(({ milliseconds }) => milliseconds / 1000)).median;
  // Of other numbers of objects, nothing was promised.
  if (objects === 10_000) goals.add(`10,000 objects in at most 2 s (${key})`, time <= 2, `${round(time)} s`);
  else goals.beside(`${count} objects in ${round(time)} s (${key}); the goal of 2 s is for 10,000`);
}

/** Every time in a namespace of its own, which is all that the controller sees. */
async function converge(
  plane: Plane,
  { name, parts, concurrency: atOnce }: Case,
  namespace: string,
  objects: number,
): Promise<Convergence> {
  const { client } = plane;
  await createNamespace(client, namespace);
  const problems = problemLog();
  const running = startControllers({
    controllers: [widgetController({ namespace, parts, concurrency: atOnce })],
    client: plane.controllers,
    log: problems.log,
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
    problems.check(`${plane.name}: ${name}`);
  }
}

async function checkParts({ client }: Plane, namespace: string, objects: number): Promise<void> {
  const { items } = await client.list(Part, { namespace, metadataOnly: true });
  if (items.length !== objects) throw new Error(`${items.length} parts are there for ${objects} widgets`);
}
