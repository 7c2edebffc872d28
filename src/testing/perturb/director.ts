import { ConnectionError, type WatchEvent } from "../../client/transport/transport.js";
import { failures, type Clock } from "../../model/core.js";
import { internal } from "../../model/errors/api-error.js";
import { describeCall, type Call } from "../api/calls.js";
import { isAboutEvents, type Fault, type Schedule } from "./schedule.js";
import { later, never, Views } from "./views.js";

/** Something the controllers did: a write to the API, or a call of the outside world. */
export interface Effect {
  readonly number: number;
  /** `apply Page default/a-1`, `world.publish("a")`. */
  readonly what: string;
  readonly outside: boolean;
  readonly verb?: Call["verb"] | undefined;
  /** The revision of the API before it. */
  readonly revision: number;
  /** Whether anything was different afterwards: if not, a fault here is one at the effect before. */
  changed: boolean;
  /** Whether the answer came at once, without a promise. */
  atOnce?: boolean;
  /** What went wrong here, if it could. */
  fault?: Fault | undefined;
}

/** Something the controllers were told. */
export interface Told {
  readonly number: number;
  /** The revision that it is of. */
  readonly revision: number;
  readonly deleted: boolean;
  readonly what: string;
  fault?: Fault | undefined;
}

/** One line of the story of a repetition. */
export type Line =
  | { readonly type: "effect"; readonly effect: Effect }
  | { readonly type: "told"; readonly told: Told }
  | { readonly type: "workload" | "fault"; readonly text: string };

/** One life of the controllers, from a start to a crash. */
export interface Life {
  /** False once they have crashed: whatever they still ask for is never answered. */
  alive: boolean;
  /** What they are shown instead of the present, to begin with. */
  readonly past?: number | undefined;
}

export interface DirectorOptions {
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly revision: () => number;
  /** The outside world in one text; two that are the same look the same. */
  readonly worldText: () => string;
  readonly crash: (past: number | undefined, down: Promise<void>) => void;
  /** Looks at every object again. */
  readonly lookAgain: () => void;
}

/** How long things take that go wrong, in milliseconds. */
const times = { down: 1000, past: 10_000, held: 15_000, slow: 20_000 };

/**
 * Counts what the controllers do and are told, and lets the faults of a schedule happen in their places. Until the first
 * fault, every repetition is the same as the one without: numbers mean the same in all of them.
 */
export class Director {
  readonly effects: Effect[] = [];
  readonly told: Told[] = [];
  readonly story: Line[] = [];
  /** The revision before each write of the workload. */
  readonly writes: number[] = [];
  readonly views: Views;
  /** When the last thing that goes wrong has gone wrong. */
  recovered = 0;
  /** Changes whenever anything happens. */
  happened = 0;
  /** Nothing will be written any more that could end a blindness. */
  workloadOver = false;
  readonly #options: DirectorOptions;
  readonly #whenSeen: (() => void)[] = [];

  constructor(options: DirectorOptions) {
    this.#options = options;
    this.views = new Views(options.clock);
  }

  /** A write of the workload, with which the world moves on. */
  async wrote<T>(what: string, write: () => Promise<T>): Promise<T> {
    this.writes.push(this.#options.revision());
    this.story.push({ type: "workload", text: what });
    try {
      return await write();
    } finally {
      this.#see();
    }
  }

  /** The workload waits for the controllers: they may be late, but not blind. */
  awaited(): void {
    this.#see();
  }

  /** A write to the API. */
  async write<T>(life: Life, call: Call, perform: () => Promise<T>): Promise<T> {
    const effect = this.#effect(describeCall(call), call.verb);
    const { fault } = effect;
    if (fault?.kind === "conflict") {
      const resource = { group: groupOf(call.kind.apiVersion), resource: call.kind.plural };
      throw failures.conflict(
        resource,
        call.name,
        "the object has been modified; please apply your changes to the latest version and try again",
      );
    }
    if (fault?.kind === "error") throw internal(new Error("a fault that was asked for"));
    return this.#follow(life, effect, perform(), () => true);
  }

  /** A call of the outside world. What it does and returns need not be a promise. */
  outside<T>(life: Life, what: string, isAsync: boolean, perform: () => T): T {
    if (!life.alive) return never() as T;
    const before = this.#options.worldText();
    const effect = this.#effect(what, undefined);
    if (effect.fault?.kind === "error") {
      const error = new Error(`${what} failed: a fault that was asked for`);
      if (isAsync) return Promise.reject(error) as T;
      throw error;
    }
    const changed = (): boolean => this.#options.worldText() !== before;
    const result = perform();
    if (result instanceof Promise) return this.#follow(life, effect, result, changed) as T;
    effect.changed = changed();
    effect.atOnce = true;
    if (effect.fault?.kind === "slow") effect.fault = undefined;
    this.#after(life, effect);
    if (effect.fault?.kind === "lost") throw lost(effect);
    return result;
  }

  /** Events on their way to an informer; what is returned is to be told instead. */
  tell(events: readonly WatchEvent[]): readonly WatchEvent[] {
    return events.flatMap((event) => {
      const { type, object } = event;
      if (type === "BOOKMARK") return [event];
      this.happened++;
      const number = this.told.length + 1;
      const fault = this.#options.schedule.find((each) => isAboutEvents(each) && each.at === number);
      const revision = Number(object.metadata.resourceVersion);
      const told: Told = { number, revision, deleted: type === "DELETED", what: describeEvent(event), fault };
      this.told.push(told);
      this.story.push({ type: "told", told });
      if (fault?.kind === "missed") {
        this.#busyFor(times.held);
        if (this.workloadOver) this.views.hold(times.held);
        else this.views.blind();
      }
      if (fault?.kind !== "repeated") return [event];
      this.#busyFor(0);
      this.#options.clock.after(0, this.#options.lookAgain);
      return [event, event];
    });
  }

  #effect(what: string, verb: Call["verb"] | undefined): Effect {
    this.happened++;
    const number = this.effects.length + 1;
    const outside = verb === undefined;
    const fault = this.#options.schedule.find(
      (each) => !isAboutEvents(each) && each.at === number && this.#canBe(each, outside),
    );
    const effect: Effect = {
      number,
      what,
      outside,
      verb,
      revision: this.#options.revision(),
      changed: false,
      fault,
    };
    this.effects.push(effect);
    this.story.push({ type: "effect", effect });
    if (fault !== undefined) this.#busyFor(0);
    return effect;
  }

  /** Whether a fault can happen at the effect that is just coming. */
  #canBe({ kind, at, past }: Fault, outside: boolean): boolean {
    if (kind === "conflict") return !outside;
    if (past === undefined) return true;
    return (past.before === "effect" && past.number === at) || this.#revisionOf(past) !== undefined;
  }

  async #follow<T>(life: Life, effect: Effect, performing: Promise<T>, changed: () => boolean): Promise<T> {
    const [end] = await Promise.allSettled([performing]);
    this.happened++;
    if (!life.alive) return never();
    effect.changed = end.status === "fulfilled" && changed();
    this.#after(life, effect);
    if (!life.alive) return never();
    const { kind } = effect.fault ?? {};
    if (kind === "slow") {
      await later(this.#options.clock, times.slow);
      if (!life.alive) return never();
    }
    if (kind === "lost") throw lost(effect);
    if (end.status === "rejected") throw end.reason;
    return end.value;
  }

  /** What goes wrong right after an effect. */
  #after(life: Life, { fault }: Effect): void {
    switch (fault?.kind) {
      case "crash":
      case "down":
      case "stale": {
        life.alive = false;
        const past = fault.past && this.#revisionOf(fault.past);
        this.#busyFor(times.down + (past === undefined ? 0 : times.past));
        this.#options.crash(past, this.#down(fault.kind === "down"));
        return;
      }
      case "lag":
        this.#busyFor(times.held);
        this.views.hold(times.held);
        return;
      case "slow":
        this.#busyFor(times.slow);
    }
  }

  /** How long new lives are shown the past. */
  get pastTime(): number {
    return times.past;
  }

  #revisionOf({ before, number }: NonNullable<Fault["past"]>): number | undefined {
    switch (before) {
      case "write":
        return this.writes[number - 1];
      case "effect":
        return this.effects[number - 1]?.revision;
      case "event": {
        const told = this.told[number - 1];
        return told && told.revision - 1;
      }
    }
  }

  /** Until those who crashed are started anew. */
  async #down(forLong: boolean): Promise<void> {
    if (forLong && !this.workloadOver) await new Promise<void>((resolve) => this.#whenSeen.push(resolve));
    await later(this.#options.clock, times.down);
  }

  #see(): void {
    if (this.views.isBlind || this.#whenSeen.length > 0) this.#busyFor(times.down);
    this.views.see();
    for (const resolve of this.#whenSeen.splice(0)) resolve();
  }

  #busyFor(milliseconds: number): void {
    this.recovered = Math.max(this.recovered, this.#options.clock.now() + milliseconds);
  }
}

function lost({ what }: Effect): Error {
  return new ConnectionError(`the answer to ${what} got lost`);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

const words = { ADDED: "created", MODIFIED: "changed", DELETED: "deleted", BOOKMARK: "passed" } as const;

function describeEvent({ type, object: { kind, metadata } }: WatchEvent): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name} was ${words[type]}`;
}
