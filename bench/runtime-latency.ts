import { startControllers, type Controllers } from "fettle/runtime";
import {
  inRounds,
  percentile,
  printSpread,
  printTitle,
  spread,
  type Goals,
  type Subject,
} from "./runtime-figures.js";
import { createAll, type Plane } from "./runtime-plane.js";
import { problemLog } from "./runtime-problems.js";
import {
  createNamespace,
  nameOf,
  revision,
  untilReady,
  Widget,
  widget,
  widgetController,
} from "./runtime-widgets.js";
import { round } from "./report.js";

const population = 1000;
const loadPerSecond = 500;
const idleChanges = 200;

interface Latency {
  /** Milliseconds from the call that changes an object to the first line of the reconciler. */
  readonly toRun: readonly number[];
  /** Milliseconds until that call returns: mostly the durable write. */
  readonly toAnswer: readonly number[];
  /** Changes per second that runs have seen; lower than the rate at which they were sent if there is a backlog. */
  readonly perSecond: number;
  /** Longest delay of a change behind its schedule, because this process was busy; milliseconds. */
  readonly behind: number;
}

/** Measures the time from a change to the start of its run, idle and under load. */
export async function benchLatency(
  planes: readonly Plane[],
  {
    rounds,
    seconds,
    objects,
    limit,
  }: { readonly rounds: number; readonly seconds: number; readonly objects: number; readonly limit: number },
  goals: Goals,
): Promise<void> {
  const subjects: Subject<Latency>[] = [];
  const stages: Stage[] = [];
  const count = Math.min(population, objects);
  for (const plane of planes) {
    const stage = await Stage.set(plane, count);
    stages.push(stage);
    subjects.push({ name: `${plane.name}: idle`, measure: () => stage.idle() });
    subjects.push({
      name: `${plane.name}: ${loadPerSecond} changes a second`,
      measure: () => stage.load(seconds * 1000),
    });
  }
  const results = await inRounds(rounds, subjects, { limit });
  for (const stage of stages) await stage.close();

  printTitle(
    `from a change to the start of its run, ${count.toLocaleString("en-US")} objects, 4 runs at once, durable store`,
  );
  for (const [name, values] of results) {
    const over = (pick: (each: Latency) => readonly number[], share: number) =>
      spread(values.map((each) => percentile(pick(each), share)));
    printSpread(
      `${name}, p50`,
      over((each) => each.toRun, 0.5),
      "ms",
    );
    printSpread(
      `${name}, p99`,
      over((each) => each.toRun, 0.99),
      "ms",
    );
    printSpread(
      `${name}, the write itself, p50`,
      over((each) => each.toAnswer, 0.5),
      "ms",
    );
    if (!name.endsWith("second")) continue;
    const rate = spread(values.map((each) => each.perSecond)).median;
    const behind = spread(values.map((each) => each.behind)).max;
    const kept = rate >= loadPerSecond * 0.95;
    const backlog = kept ? "" : "; it did NOT keep up, so the times above include a growing backlog";
    console.log(
      `    ${round(rate)} a second were seen; the most delayed one was sent ${round(behind)} ms late${backlog}`,
    );
    if (!kept) goals.note(`${name}: only ${round(rate)} a second were seen`);
  }
}

/** Objects to change, with a controller that reconciles them. */
class Stage {
  readonly #plane: Plane;
  readonly #namespace: string;
  readonly #count: number;
  readonly #running: Controllers;
  readonly #problems = problemLog();
  /** Changes that no run has seen yet, by the name of their object. */
  readonly #unseen = new Map<string, { readonly sequence: number; seen(at: number): void }[]>();
  #sequence = 0;

  private constructor(plane: Plane, namespace: string, count: number) {
    this.#plane = plane;
    this.#namespace = namespace;
    this.#count = count;
    const onRun = (name: string, sequence: number): void => this.#ran(name, sequence);
    this.#running = startControllers({
      controllers: [widgetController({ namespace, onRun })],
      client: plane.controllers,
      log: this.#problems.log,
    });
  }

  static async set(plane: Plane, count: number): Promise<Stage> {
    const namespace = "latency";
    await createNamespace(plane.client, namespace);
    const since = await revision(plane.client, namespace);
    const creators = await plane.creators(16);
    await createAll(creators, count, (index) => widget(namespace, index));
    creators.close();
    const stage = new Stage(plane, namespace, count);
    await untilReady(plane.client, namespace, { count, since });
    return stage;
  }

  async close(): Promise<void> {
    await this.#running.stop();
    this.#problems.check(`${this.#plane.name}: latency`);
  }

  /** One change at a time, each after all runs have ended. */
  async idle(): Promise<Latency> {
    const toRun: number[] = [];
    const toAnswer: number[] = [];
    const begin = performance.now();
    for (let change = 0; change < idleChanges; change++) {
      await this.#running.idle();
      await pause(5);
      await this.#change(toRun, toAnswer);
    }
    const perSecond = (idleChanges * 1000) / (performance.now() - begin);
    return { toRun, toAnswer, perSecond, behind: 0 };
  }

  /** Changes at a fixed rate, independent of whether runs have seen the earlier ones. */
  async load(milliseconds: number): Promise<Latency> {
    const toRun: number[] = [];
    const toAnswer: number[] = [];
    const changes: Promise<void>[] = [];
    const total = Math.round((milliseconds * loadPerSecond) / 1000);
    const begin = performance.now();
    let behind = 0;
    while (changes.length < total) {
      const due = begin + (changes.length * 1000) / loadPerSecond;
      const now = performance.now();
      if (now < due) {
        await pause(due - now);
        continue;
      }
      behind = Math.max(behind, now - due);
      changes.push(this.#change(toRun, toAnswer));
    }
    await Promise.all(changes);
    const took = performance.now() - begin;
    await this.#running.idle();
    return { toRun, toAnswer, perSecond: (total * 1000) / took, behind };
  }

  /** Changes the next object; resolves when a run has started that sees the change. */
  async #change(toRun: number[], toAnswer: number[]): Promise<void> {
    const sequence = ++this.#sequence;
    const name = nameOf(sequence % this.#count);
    const begin = performance.now();
    const seen = new Promise<number>((resolve) => {
      const waiting = this.#unseen.get(name) ?? [];
      waiting.push({ sequence, seen: resolve });
      this.#unseen.set(name, waiting);
    });
    const which = { namespace: this.#namespace, name };
    await this.#plane.client.patch(Widget, which, { spec: { sequence } });
    toAnswer.push(performance.now() - begin);
    toRun.push((await seen) - begin);
  }

  #ran(name: string, sequence: number): void {
    const waiting = this.#unseen.get(name);
    if (waiting === undefined) return;
    const now = performance.now();
    const left = waiting.filter((each) => each.sequence > sequence);
    for (const each of waiting) if (each.sequence <= sequence) each.seen(now);
    if (left.length === 0) this.#unseen.delete(name);
    else this.#unseen.set(name, left);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
