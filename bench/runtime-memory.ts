import { startChild } from "./runtime-children.js";
import { runControllers, type ControllersMemory } from "./runtime-controllers.js";
import { inRounds, printSpread, printTitle, spread, type Goals, type Subject } from "./runtime-figures.js";
import type { InformerMemory, InformerTask } from "./runtime-informer-process.js";
import { createAll, type httpPlane } from "./runtime-plane.js";
import { createNamespace, nameOf, revision, untilReady, Widget, widget } from "./runtime-widgets.js";
import { round } from "./report.js";

type HttpPlane = Awaited<ReturnType<typeof httpPlane>>;

interface Options {
  readonly rounds: number;
  readonly objects: number;
  readonly limit: number;
}

const mebibyte = 2 ** 20;
const controlled = 1000;
const clients = 32;
/** Node options of the Deployment that `fettle generate manifests` writes. */
const inPod = "--max-old-space-size=80 --max-semi-space-size=2";

/** Measures an informer's memory per object, compared with the informer of @kubernetes/client-node. */
export async function benchInformerMemory(
  plane: HttpPlane,
  { rounds, objects, limit }: Options,
  goals: Goals,
): Promise<void> {
  const namespace = "informers";
  await fillReady(plane, namespace, objects);
  const names = ["fettle", "client-node", "fettle without managedFields"] as const;
  const subjects = names.map((informer): Subject<InformerMemory> => ({
    name: informer,
    async measure() {
      const child = startChild("runtime-informer-process.js", { flags: ["--expose-gc"] });
      const task: InformerTask = { informer, address: plane.address, namespace, objects };
      const memory = await child.ask<InformerMemory>(task);
      await child.stop();
      return memory;
    },
  }));
  // Each measurement is a process of its own, so there is nothing to warm up.
  const results = await inRounds(rounds, subjects, { warmUp: false, limit });

  const json = results.get("fettle")?.[0]?.json ?? NaN;
  const count = objects.toLocaleString("en-US");
  printTitle(`informer memory per object, ${count} objects of ${round(json)} bytes of JSON`);
  for (const [name, values] of results) {
    const bytes = spread(values.map(({ perObject }) => perObject));
    printSpread(name, bytes, "B", `${(bytes.median / json).toFixed(2)}x its JSON`);
  }
  const times = (name: string): number =>
    spread((results.get(name) ?? []).map(({ perObject }) => perObject)).median / json;
  const own = times("fettle");
  // With few objects, the informer's fixed memory distorts the figure.
  if (objects >= 10_000) {
    goals.add("an informer keeps at most 2x an object's JSON", own <= 2, `${own.toFixed(2)}x`);
  } else {
    goals.note(`an informer keeps ${own.toFixed(2)}x an object's JSON; the goal of 2x is for 10,000 objects`);
  }
  goals.note(`${(own / times("client-node")).toFixed(2)}x the memory of @kubernetes/client-node's informer`);
}

/** Measures the memory of a process that only runs controllers. */
export async function benchControllersMemory(
  plane: HttpPlane,
  { rounds, objects: most, limit }: Options,
  goals: Goals,
): Promise<void> {
  const objects = Math.min(controlled, most);
  let runs = 0;
  const measure = async (nodeOptions: string): Promise<ControllersMemory> => {
    const namespace = `controlled-${runs++}`;
    const { client, address } = plane;
    await createNamespace(client, namespace);
    const since = await revision(client, namespace);
    const controllers = await runControllers(address, namespace, nodeOptions);
    const creators = await plane.creators(clients);
    await createAll(creators, objects, (index) => widget(namespace, index));
    creators.close();
    await untilReady(client, namespace, { count: objects, since });
    // Time for garbage to be collected.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const memory = await controllers.memory();
    await controllers.stop();
    return memory;
  };
  const variants = { "fettle run": "", "fettle run in its pod": inPod };
  const subjects = Object.entries(variants).map(([name, nodeOptions]): Subject<ControllersMemory> => {
    return { name, measure: () => measure(nodeOptions) };
  });
  const results = await inRounds(rounds, subjects, { warmUp: false, limit });

  const count = objects.toLocaleString("en-US");
  printTitle(`a process of controllers alone, ${count} objects with a child each, over HTTP`);
  for (const [name, values] of results) {
    const of = (pick: (memory: ControllersMemory) => number) =>
      spread(values.map((each) => pick(each) / mebibyte));
    const rss = of((each) => each.rss);
    const peak = of((each) => each.peak);
    printSpread(`${name}: RSS, 2 s after the last was ready`, rss, "MiB");
    printSpread(`${name}: RSS at its highest`, peak, "MiB");
    const shown = `${round(peak.median)} MiB at its highest, ${round(rss.median)} MiB afterwards`;
    const text = `${count} objects within 128 MiB (${name})`;
    if (objects === controlled) goals.add(text, peak.median <= 128, shown);
    else goals.note(`wanted of 1,000 ${text}: ${shown}`);
  }
}

/** Creates objects with a status and its field manager, as a controller leaves them. */
async function fillReady(plane: HttpPlane, namespace: string, objects: number): Promise<void> {
  const { client } = plane;
  await createNamespace(client, namespace);
  const creators = await plane.creators(clients);
  await createAll(creators, objects, (index) => widget(namespace, index));
  creators.close();
  let next = 0;
  const report = async (): Promise<void> => {
    while (next < objects) {
      const which = { namespace, name: nameOf(next++) };
      await client.patchStatus(Widget, which, { status }, { fieldManager: "widgets.bench.fettle.dev" });
    }
  };
  await Promise.all(Array.from({ length: clients }, report));
}

const status = {
  seen: 0,
  observedGeneration: 1,
  conditions: [
    {
      type: "Ready",
      status: "True",
      reason: "Reconciled",
      message: "",
      observedGeneration: 1,
      lastTransitionTime: "2025-01-01T00:00:00Z",
    },
  ],
} as const;
