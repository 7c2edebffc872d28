import type { Run, Trigger, WriteRecord } from "../../runs/run.js";
import { countWithin, elapsed, type Finding, runObjectName, writtenObject } from "./finding.js";

export interface HotLoopOptions {
  /** Rounds within `window` that are a hot loop. Default: 10. */
  readonly runs?: number | undefined;
  /** In milliseconds. Default: one minute. */
  readonly window?: number | undefined;
}

const maxOrigins = 8192;
/** Longest loop that is recognised, in objects. */
const maxHops = 8;
/** Ways back to an object that are counted. */
const maxWays = 32;
/** A requeue that is due sooner does not wait for anything, in milliseconds. */
const immediately = 100;

/** Last visit of a chain to an object of a controller. */
interface Hop {
  readonly controller: string;
  readonly object: string;
  /** Times at which the chain came back, for each way. */
  readonly returns: ReadonlyMap<string, readonly number[]>;
}

/** Chain that led to a run, and how it did. */
interface Chain {
  readonly hops: readonly Hop[];
  readonly text: string;
}

/** One run that has ended. */
interface Link {
  readonly controller: string;
  readonly object: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Triggers that can continue a chain; none when the run begins one. */
  readonly causes: readonly Cause[];
  /** Hops of its chain, oldest first, itself last; undefined until all causes are found. */
  hops: readonly Hop[] | undefined;
}

/** A version that another run may have written, or the previous run of the object. */
interface Cause {
  readonly origin: string;
  readonly at: number;
  readonly text?: string;
}

/** The run that made a version, when it sent the request, and in words. */
interface Origin {
  readonly link: Link;
  readonly at: number;
  readonly text: string;
}

/** Finds hot loops; `Detectors` has the rule. */
export class HotLoops {
  readonly #runs: number;
  readonly #window: number;
  /** By version, and the last run of each object by {@link idOf}. The older half is dropped when there are too many. */
  #origins = new Map<string, Origin>();
  #olderOrigins = new Map<string, Origin>();

  constructor({ runs = 10, window = 60_000 }: HotLoopOptions = {}) {
    this.#runs = runs;
    this.#window = window;
  }

  /** Adds a run that has ended; returns the hot loops that it completes. */
  add(run: Run): readonly Finding[] {
    const { controller, startedAt, duration } = run;
    const object = runObjectName(run);
    const causes = causesOf(run, this.#origin(idOf(run))?.link);
    const link = { controller, object, startedAt, endedAt: startedAt + duration, causes, hops: undefined };
    const findings: Finding[] = [];
    this.#resolve(link, findings);
    for (const write of run.writes) {
      const version = versionOf(write);
      // The response to a write without effect has a version that somebody else may have made.
      if (version === undefined || (write.verb !== "delete" && this.#origin(version))) continue;
      this.#setOrigin(version, { link, at: write.at, text: describe(write, object) });
    }
    this.#setOrigin(idOf(run), { link, at: startedAt, text: "" });
    return findings;
  }

  #origin(id: string): Origin | undefined {
    return this.#origins.get(id) ?? this.#olderOrigins.get(id);
  }

  #setOrigin(id: string, origin: Origin): void {
    if (this.#origins.size >= maxOrigins / 2) {
      this.#olderOrigins = this.#origins;
      this.#origins = new Map();
    }
    this.#origins.set(id, origin);
  }

  /**
   * Finds the chain of a run; adds the hot loops that it completes. A run may end before the one that triggered it: then its
   * chain is found when a later run of the chain ends.
   */
  #resolve(link: Link, findings: Finding[]): readonly Hop[] {
    if (link.hops !== undefined) return link.hops;
    const { controller, object } = link;
    const start: readonly Hop[] = [{ controller, object, returns: new Map() }];
    // Two runs cannot cause each other, whatever their times say.
    link.hops = start;
    const chains: Chain[] = [];
    for (const { origin, at, text } of link.causes) {
      const by = this.#origin(origin);
      if (by === undefined || by.at > at || by.link.startedAt > link.startedAt) {
        link.hops = undefined;
        return start;
      }
      chains.push({ text: text ?? by.text, hops: this.#resolve(by.link, findings) });
    }
    link.hops = this.#extend(chains, link, findings);
    return link.hops;
  }

  /** Extends the longest of some chains by a run; counts the ways in which they came back to its object. */
  #extend(chains: readonly Chain[], link: Link, findings: Finding[]): readonly Hop[] {
    const { controller, object, endedAt } = link;
    const isSelf = (hop: Hop): boolean => hop.controller === controller && hop.object === object;
    const returns = new Map<string, readonly number[]>();
    const ways = new Set<string>();
    let longest: readonly Hop[] = [];
    for (const { hops, text } of chains) {
      if (hops.length > longest.length) longest = hops;
      const index = hops.findIndex(isSelf);
      if (index < 0) continue;
      for (const [way, times] of hops[index]?.returns ?? []) {
        if (times.length > (returns.get(way)?.length ?? 0)) returns.set(way, times);
      }
      const others = hops.slice(index + 1).map((hop) => nameOf(hop, object));
      ways.add(others.length === 0 ? text : `its own writes, answered by ${others.join(", then ")}`);
    }
    for (const way of ways) returns.set(way, countWithin(returns.get(way) ?? [], endedAt, this.#window));
    for (const way of [...returns.keys()].slice(0, -maxWays)) returns.delete(way);
    const hot = [...ways].filter((way) => (returns.get(way)?.length ?? 0) >= this.#needed(way));
    if (hot.length > 0) findings.push(findingOf(link, hot, returns));
    for (const way of hot) returns.delete(way);
    return [...longest.filter((hop) => !isSelf(hop)), { controller, object, returns }].slice(-maxHops);
  }

  /** Number of returns that are a hot loop; twice as many when somebody else may have enqueued the object. */
  #needed(way: string): number {
    return way.startsWith(enqueued) ? 2 * this.#runs : this.#runs;
  }
}

/** Triggers of a run that can continue a chain; none when one of them comes from outside. */
function causesOf(run: Run, previous: Link | undefined): readonly Cause[] {
  const causes: Cause[] = [];
  for (const trigger of run.triggers) {
    if (isTimer(trigger)) continue;
    const cause = causeOf(trigger, run, previous);
    if (cause === undefined) return [];
    causes.push(cause);
  }
  return causes;
}

/** True when a run is due at a certain time anyway, which neither continues nor ends a chain. */
function isTimer({ type, at, due = at }: Trigger): boolean {
  return type === "retry" || type === "resync" || (type === "requeue" && due - at >= immediately);
}

function causeOf(trigger: Trigger, run: Run, previous: Link | undefined): Cause | undefined {
  const { type, at, due = at, text = "", by, version } = trigger;
  switch (type) {
    case "created":
    case "updated":
    case "status":
      return { origin: `${runObjectName(run)}@${version}`, at };
    case "deleted":
      return { origin: `${runObjectName(run)}@deleted`, at };
    case "child":
    case "watched":
      return { origin: `${by}@${text === "deleted" ? text : version}`, at };
    case "requeue":
      return { origin: idOf(run), at: Infinity, text: "requeueing itself at once" };
    case "manual":
      if (due - at >= immediately || previous === undefined) return undefined;
      if (at < previous.startedAt || at > previous.endedAt) return undefined;
      return { origin: idOf(run), at: Infinity, text: text === "" ? enqueued : `${enqueued} (${text})` };
    default:
      return undefined;
  }
}

const enqueued = "being enqueued during each run";

/** The version that a write made; undefined when it changed nothing. */
function versionOf(write: WriteRecord): string | undefined {
  const { verb, before, after, error } = write;
  if (error !== undefined || verb === "deleteCollection") return undefined;
  const version = verb === "delete" ? "deleted" : after?.metadata.resourceVersion;
  const isNew = version !== undefined && version !== before?.metadata.resourceVersion;
  return isNew ? `${writtenObject(write)}@${version}` : undefined;
}

function describe(write: WriteRecord, self: string): string {
  const object = writtenObject(write);
  if (object !== self) return `its own writes of ${object}`;
  return write.subresource === "status" ? "its own status writes" : "its own writes";
}

function idOf(run: Run): string {
  return `${run.controller} ${runObjectName(run)}`;
}

function findingOf(
  { controller, object, endedAt: at }: Link,
  causes: readonly string[],
  returns: ReadonlyMap<string, readonly number[]>,
): Finding {
  const [times = []] = causes.map((cause) => returns.get(cause));
  const [since = at] = times;
  const count = times.length;
  const message = `${object} is in a hot loop: ${count} runs in ${elapsed(since, at)}, kept going by ${causes.join(" and ")}`;
  return { type: "hot-loop", controller, object, message, count, since, at, causes };
}

function nameOf({ controller, object }: Hop, self: string): string {
  return object === self ? controller : `${controller} for ${object}`;
}
