import { ConnectionError, type WatchEvent } from "../../client/transport/transport.js";
import { failures, type Clock } from "../../model/core.js";
import { internal } from "../../model/errors/api-error.js";
import { describeCall, type Call } from "../api/calls.js";
import { isAboutEvents, type Fault, type FaultSchedule } from "./schedule.js";
import { later, never, Views } from "./views.js";

/** Write to the API or call of the outside world by the controllers. */
export interface RecordedEffect {
  readonly number: number;
  /** `apply Page default/a-1`, `world.publish("a")`. */
  readonly what: string;
  readonly outside: boolean;
  readonly verb?: Call["verb"] | undefined;
  /** Revision of the store before it. */
  readonly revision: number;
  /** True when it changed something; if not, a fault here is the same as one at the effect before. */
  changed: boolean;
  /** True when the call returned no promise. */
  atOnce?: boolean;
  /** Fault that happened here. */
  fault?: Fault | undefined;
}

/** Watch event delivered to the controllers. */
export interface DeliveredEvent {
  readonly number: number;
  readonly revision: number;
  readonly deleted: boolean;
  readonly what: string;
  fault?: Fault | undefined;
}

/** Line of the story of a run. */
export type TimelineEntry =
  | { readonly type: "effect"; readonly effect: RecordedEffect }
  | { readonly type: "delivered"; readonly delivered: DeliveredEvent }
  | { readonly type: "workload" | "fault"; readonly text: string };

/** Lifetime of the controllers, from a start to a crash. */
export interface Life {
  /** False after a crash: requests are no longer answered. */
  alive: boolean;
  /** Revision of the old state that they see at first. */
  readonly past?: number | undefined;
}

export interface DirectorOptions {
  readonly clock: Clock;
  readonly schedule: FaultSchedule;
  readonly revision: () => number;
  /** State of the outside world as text, to detect changes. */
  readonly worldText: () => string;
  readonly crash: (past: number | undefined, down: Promise<void>) => void;
  /** Enqueues every object. */
  readonly enqueueAll: () => void;
}

/** Durations of faults, in milliseconds. */
const times = { down: 1000, past: 10_000, held: 15_000, slow: 20_000 };

/**
 * Numbers the effects of the controllers and the events delivered to them, and injects the faults of a schedule in their
 * places. Up to the first fault every run is the same as the one without faults, so numbers are comparable.
 */
export class Director {
  readonly effects: RecordedEffect[] = [];
  readonly delivered: DeliveredEvent[] = [];
  readonly story: TimelineEntry[] = [];
  /** Revision before each write of the workload. */
  readonly writes: number[] = [];
  readonly views: Views;
  /** Time at which the last fault is over. */
  recovered = 0;
  /** Counter of all activity. */
  happened = 0;
  /** True after the last write of the workload. */
  workloadOver = false;
  readonly #options: DirectorOptions;
  readonly #whenSeen: (() => void)[] = [];
  /** True while controllers are created. */
  #isSettingUp = false;

  constructor(options: DirectorOptions) {
    this.#options = options;
    this.views = new Views(options.clock);
  }

  /**
   * Performs a write of the workload, which ends `missed` and `down` faults. A fault that begins with the events of this very write
   * lasts until the next one, whether or not they arrive before the response.
   */
  async wrote<T>(what: string, write: () => Promise<T>): Promise<T> {
    this.writes.push(this.#options.revision());
    this.story.push({ type: "workload", text: what });
    const hasFault = this.views.isBlind || this.#whenSeen.length > 0;
    try {
      return await write();
    } finally {
      if (hasFault) this.#see();
    }
  }

  /** Ends `missed` and `down` faults, because the workload waits for the controllers. */
  awaited(): void {
    this.#see();
  }

  /** Performs a write of the controllers to the API. */
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
    if (fault?.kind === "error") throw internal(new Error("injected fault"));
    return this.#follow(life, effect, perform(), () => true);
  }

  /** Creates controllers: what they call of the outside world meanwhile, such as to listen to its events, is no effect. */
  settingUp<T>(create: () => T): T {
    this.#isSettingUp = true;
    try {
      return create();
    } finally {
      this.#isSettingUp = false;
    }
  }

  /** Performs a call of the outside world, which may be synchronous. */
  outside<T>(life: Life, what: string, isAsync: boolean, perform: () => T): T {
    if (this.#isSettingUp) return perform();
    if (!life.alive) return never() as T;
    const before = this.#options.worldText();
    const effect = this.#effect(what, undefined);
    if (effect.fault?.kind === "error") {
      const error = new Error(`${what} failed: injected fault`);
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

  /** Numbers events for an informer and returns those to deliver. */
  deliver(events: readonly WatchEvent[]): readonly WatchEvent[] {
    return events.flatMap((event) => {
      const { type, object } = event;
      if (type === "BOOKMARK") return [event];
      this.happened++;
      const number = this.delivered.length + 1;
      const fault = this.#options.schedule.find((each) => isAboutEvents(each) && each.at === number);
      const revision = Number(object.metadata.resourceVersion);
      const delivered: DeliveredEvent = {
        number,
        revision,
        deleted: type === "DELETED",
        what: describeEvent(event),
        fault,
      };
      this.delivered.push(delivered);
      this.story.push({ type: "delivered", delivered });
      if (fault?.kind === "missed") {
        this.#busyFor(times.held);
        if (this.workloadOver) this.views.hold(times.held);
        else this.views.blind();
      }
      if (fault?.kind !== "repeated") return [event];
      this.#busyFor(0);
      this.#options.clock.after(0, this.#options.enqueueAll);
      return [event, event];
    });
  }

  #effect(what: string, verb: Call["verb"] | undefined): RecordedEffect {
    this.happened++;
    const number = this.effects.length + 1;
    const outside = verb === undefined;
    const fault = this.#options.schedule.find(
      (each) => !isAboutEvents(each) && each.at === number && this.#canBe(each, outside),
    );
    const effect: RecordedEffect = {
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

  /** True when a fault is possible at the next effect. */
  #canBe({ kind, at, past }: Fault, outside: boolean): boolean {
    if (kind === "conflict") return !outside;
    if (past === undefined) return true;
    return (past.before === "effect" && past.number === at) || this.#revisionOf(past) !== undefined;
  }

  async #follow<T>(
    life: Life,
    effect: RecordedEffect,
    performing: Promise<T>,
    changed: () => boolean,
  ): Promise<T> {
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

  /** Injects the faults that happen right after an effect. */
  #after(life: Life, { fault }: RecordedEffect): void {
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

  /** Time for which restarted controllers see the old state. */
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
        const delivered = this.delivered[number - 1];
        return delivered && delivered.revision - 1;
      }
    }
  }

  /** Waits until crashed controllers are restarted. */
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

function lost({ what }: RecordedEffect): Error {
  return new ConnectionError(`the response to ${what} was lost`);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

const words = { ADDED: "created", MODIFIED: "changed", DELETED: "deleted", BOOKMARK: "passed" } as const;

function describeEvent({ type, object: { kind, metadata } }: WatchEvent): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name} was ${words[type]}`;
}
