import { formatDuration } from "../../../model/core.js";
import type { Run, Trigger, WriteRecord } from "../../runs/run.js";
import type { Finding } from "./finding.js";
import { dropOld, elapsed, Recent } from "./recent.js";

export interface HotLoopOptions {
  /** How many runs for the same reason within `window` are a hot loop. Default 10. */
  readonly runs?: number | undefined;
  /** In milliseconds. Default one minute. */
  readonly window?: number | undefined;
}

/** Who asks to be run again sooner than this does not wait for anything, in milliseconds. */
const shortestWait = 100;
const mostObjects = 1000;
/** Of one object; a run that writes more is recognised by the last ones. */
const mostWrites = 64;
const mostCauses = 32;

/** What is remembered of an object that its controller writes for. */
interface Memory {
  generation: number | undefined;
  /** What its runs have written lately, as `Page default/x@17`, with which part of it. */
  readonly writes: Map<string, string>;
  /** When it was run for each cause. */
  causes: Causes | undefined;
}

type Causes = Map<string, { readonly cause: Cause; readonly times: number[] }>;

/** What makes an object run again and again. */
interface Cause {
  /** Tells it from others. */
  readonly id: string;
  readonly text: string;
  /** The object whose change it was, when it was somebody else's. */
  readonly foreign?: string | undefined;
}

/**
 * Finds objects that are run again and again because of what their runs do: a run writes something, the write brings the
 * object back, the next run writes it again. A run counts when it was brought about
 *
 * - by a write of an earlier run, of the object itself or of a child,
 * - by somebody's change to an object which this run then wrote (they change it, we change it back),
 * - by having asked to be run again at once,
 *
 * or when it both made and deleted children of one kind. Only runs with the same cause (the same object) add up, so a
 * controller that makes its children one after another is no loop; and all is forgotten when the object's spec was changed
 * by others, so neither is somebody who changes it often. Failures are no hot loop: they are spaced.
 */
export class HotLoops {
  readonly #runs: number;
  readonly #window: number;
  readonly #objects = new Recent<Memory>(mostObjects);

  constructor({ runs = 10, window = 60_000 }: HotLoopOptions = {}) {
    this.#runs = runs;
    this.#window = window;
  }

  /** Looks at a run that has ended. `changedBy` tells who changed an object last, and is asked only about a loop. */
  add(
    run: Run,
    now: number,
    changedBy: (object: string) => string | undefined = () => undefined,
  ): Finding | undefined {
    const id = `${run.controller} ${run.kind} ${run.key}`;
    if (run.outcome.type === "gone") {
      this.#objects.delete(id);
      return undefined;
    }
    // Most runs write nothing and were brought about by nothing of the kind.
    if (this.#objects.get(id) === undefined && run.writes.length === 0 && !run.triggers.some(isHasty))
      return undefined;
    const memory = this.#objects.use(id, newMemory);
    const causes = causesOf(run, memory.writes);
    const isChanged = memory.generation !== undefined && memory.generation !== run.generation;
    const isOurs = causes.some((cause) => cause.id === `own ${selfOf(run)}`);
    memory.generation = run.generation;
    remember(memory.writes, run.writes);
    if (isChanged && !isOurs) {
      memory.causes = undefined;
      return undefined;
    }
    if (causes.length === 0) return undefined;
    const counted = (memory.causes ??= new Map());
    for (const cause of causes) this.#count(counted, cause, now);
    return this.#findingOf(run, counted, now, changedBy);
  }

  #count(causes: Causes, cause: Cause, now: number): void {
    const counted = causes.get(cause.id) ?? { cause, times: [] };
    causes.delete(cause.id);
    causes.set(cause.id, counted);
    if (causes.size > mostCauses) causes.delete(causes.keys().next().value ?? "");
    counted.times.push(now);
    dropOld(counted.times, now, this.#window);
  }

  #findingOf(
    run: Run,
    causes: Causes,
    now: number,
    changedBy: (object: string) => string | undefined,
  ): Finding | undefined {
    const hot = [...causes.values()]
      .filter(({ times }) => times.length >= this.#runs && times.at(-1) === now)
      .sort((one, other) => other.times.length - one.times.length);
    const [first] = hot;
    if (first === undefined) return undefined;
    const since = first.times[0] ?? now;
    const count = first.times.length;
    const texts = hot.map(({ cause }) => explain(cause, changedBy));
    const object = selfOf(run);
    for (const { times } of hot) times.length = 0;
    return {
      type: "hot-loop",
      controller: run.controller,
      object,
      message: `${object} is in a hot loop: ${count} runs in ${elapsed(since, now)}, kept going by ${texts.join(" and ")}`,
      count,
      since,
      at: now,
      causes: texts,
    };
  }
}

function newMemory(): Memory {
  return { generation: undefined, writes: new Map(), causes: undefined };
}

function causesOf(run: Run, earlier: ReadonlyMap<string, string>): readonly Cause[] {
  const self = selfOf(run);
  const causes: Cause[] = [];
  const isWritten = (object: string): boolean =>
    run.writes.some((write) => isChange(write) && objectOf(write) === object);
  for (const trigger of run.triggers) {
    const cause = causeOf(trigger, self, earlier, isWritten);
    if (cause !== undefined && !causes.some(({ id }) => id === cause.id)) causes.push(cause);
  }
  for (const kind of churned(run.writes)) {
    const text = `children of kind ${kind} that are made and deleted in every run`;
    causes.push({ id: `churn ${kind}`, text });
  }
  return causes;
}

function causeOf(
  trigger: Trigger,
  self: string,
  earlier: ReadonlyMap<string, string>,
  isWritten: (object: string) => boolean,
): Cause | undefined {
  if (isHasty(trigger)) {
    const after = formatDuration(Math.max(0, (trigger.due ?? trigger.at) - trigger.at));
    return { id: "again", text: `asking to be run again after ${after}` };
  }
  const object = subjectOf(trigger, self);
  if (object === undefined) return undefined;
  if (earlier.size === 0 && object === self) return undefined;
  const isDeletion = trigger.type === "deleted" || trigger.text === "deleted";
  const part = earlier.get(`${object}@${isDeletion ? "deleted" : trigger.version}`);
  if (part !== undefined) {
    if (object !== self) return { id: `own ${object}`, text: `its own writes of ${object}` };
    return { id: `own ${object}`, text: part === "status" ? "its own status writes" : "its own writes" };
  }
  if (object === self || !isWritten(object)) return undefined;
  return { id: `foreign ${object}`, text: `${object}, which is changed and changed back`, foreign: object };
}

/** The object whose change a trigger tells of. */
function subjectOf({ type, by }: Trigger, self: string): string | undefined {
  if (type === "child" || type === "watched") return by;
  return type === "updated" || type === "status" || type === "created" || type === "deleted"
    ? self
    : undefined;
}

function isHasty({ type, at, due }: Trigger): boolean {
  return type === "again" && due !== undefined && due - at < shortestWait;
}

function explain({ text, foreign }: Cause, changedBy: (object: string) => string | undefined): string {
  const who = foreign === undefined ? undefined : changedBy(foreign);
  return who === undefined ? text : `${text} (last by ${who})`;
}

function remember(known: Map<string, string>, writes: readonly WriteRecord[]): void {
  for (const write of writes) {
    if (!isChange(write)) continue;
    const version = write.verb === "delete" ? "deleted" : write.after?.metadata.resourceVersion;
    known.set(`${objectOf(write)}@${version}`, write.subresource ?? "");
    if (known.size > mostWrites) known.delete(known.keys().next().value ?? "");
  }
}

function isChange({ error, verb, before, after }: WriteRecord): boolean {
  if (error !== undefined || verb === "deleteCollection") return false;
  if (verb === "delete") return true;
  return after !== undefined && before?.metadata.resourceVersion !== after.metadata.resourceVersion;
}

/** The kinds of which objects were both made and deleted. */
function churned(writes: readonly WriteRecord[]): readonly string[] {
  if (!writes.some(({ verb }) => verb === "delete")) return [];
  const made = new Set<string>();
  const deleted = new Set<string>();
  for (const { verb, kind, before, error } of writes) {
    if (error !== undefined) continue;
    if (verb === "delete") deleted.add(kind.kind);
    else if (before === undefined && (verb === "create" || verb === "apply")) made.add(kind.kind);
  }
  return [...made].filter((kind) => deleted.has(kind));
}

function objectOf({ kind, namespace, name }: WriteRecord): string {
  return `${kind.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}

function selfOf({ kind, key }: Run): string {
  return `${kind} ${key}`;
}
