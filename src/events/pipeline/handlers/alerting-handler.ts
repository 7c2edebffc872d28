import { z } from "zod";
import { duration, formatTime, parseTime, type Clock, type Timer } from "../../../model/core.js";
import type { CloudEvent, EventInput } from "../../../model/cloud-events/cloud-event.js";
import type { HandlerContext } from "../../handler.js";
import { AlertRaised, AlertResolved } from "../../types/known-types.js";
import type { HandlerFactory, BuiltInParts, PipelineHandler } from "../pipeline-handler.js";
import { alertSignal, type AlertSignal } from "./alert-rules.js";
import { durationOption, readOptions } from "./read-options.js";

/*
 * An alert is **active** from the first event about its problem until the problem is over: it is raised once, however many events
 * follow. A problem is over when an event says so and none says otherwise for `resolveAfter`, so that one that comes and goes is one
 * alert; or, if its end causes no event, when there was none for `quietAfter`. Both are a timer of the alert, which every event about
 * the problem sets anew. Active alerts are kept in the state, with the time at which the timer is due.
 */

const name = "AlertingHandler";
const schema = z.strictObject({
  /** Time that a problem has to be over before its alert is resolved. */
  resolveAfter: durationOption.default(duration("1m")),
  /** Time without a further event after which a problem whose end causes no event counts as over. */
  quietAfter: durationOption.default(duration("10m")),
});

interface ActiveAlert {
  readonly id: string;
  readonly key: string;
  readonly severity: AlertSignal["severity"];
  readonly title: string;
  readonly message: string;
  readonly since: string;
  readonly count: number;
  /** Time at which the alert is resolved unless another event comes. */
  readonly endsAt?: string | undefined;
}

const stateFolder = "alerts/";
const maxAlerts = 10_000;

/** Emits `alert.raised` and `alert.resolved` for problems that events tell of, one of each per problem. Sinks subscribe to them. */
export const alertingHandler: HandlerFactory = (options, parts) =>
  new AlertingHandler(readOptions(name, schema, options), parts);

class AlertingHandler implements PipelineHandler {
  readonly name = name;
  readonly #options: z.output<typeof schema>;
  readonly #parts: BuiltInParts;
  readonly #clock: Clock;
  readonly #active = new Map<string, ActiveAlert>();
  readonly #timers = new Map<string, Timer>();

  constructor(options: z.output<typeof schema>, parts: BuiltInParts) {
    this.#options = options;
    this.#parts = parts;
    this.#clock = parts.clock;
  }

  async start(): Promise<void> {
    const { state } = this.#parts;
    for (const key of (await state?.keys(`${stateFolder}*`, { limit: maxAlerts })) ?? []) {
      const alert = await state?.get<ActiveAlert>(key);
      if (alert === undefined) continue;
      this.#active.set(alert.key, alert);
      this.#arm(alert);
    }
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  canHandle({ type }: CloudEvent): boolean {
    return !type.startsWith("alert.");
  }

  async handle(event: CloudEvent, context: HandlerContext): Promise<void> {
    const signal = alertSignal(event, this.#options.quietAfter);
    if (signal === undefined) return;
    const known = this.#active.get(signal.key);
    if (signal.state === "ok") {
      if (known !== undefined && known.endsAt === undefined)
        await this.#endAfter(known, this.#options.resolveAfter);
      return;
    }
    const { state: _, quietAfter, ...shown } = signal;
    const isWorse = known?.severity === "warning" && signal.severity === "critical";
    const now = formatTime(this.#clock.now());
    if (known === undefined || isWorse) {
      // An id that comes from the event: if this event is handled again, the alert is not raised again.
      const alert = {
        ...shown,
        id: `${event.id}-alert`,
        since: known?.since ?? now,
        count: (known?.count ?? 0) + 1,
      };
      await this.#raise(alert, known, context);
      await this.#endAfter(alert, quietAfter);
    } else await this.#endAfter({ ...known, count: known.count + 1 }, quietAfter);
  }

  async #raise(alert: ActiveAlert, known: ActiveAlert | undefined, { emit }: HandlerContext): Promise<void> {
    // Before it is emitted, since events of other sources about the same problem are handled at the same time.
    this.#active.set(alert.key, alert);
    try {
      await emit(eventOf(AlertRaised.type, alert, alert.id));
    } catch (error) {
      if (known === undefined) this.#active.delete(alert.key);
      else this.#active.set(alert.key, known);
      throw error;
    }
  }

  /** Keeps an alert, which ends after some time, or not at all. */
  async #endAfter(alert: ActiveAlert, milliseconds: number | undefined): Promise<void> {
    const { endsAt: _, ...rest } = alert;
    const kept: ActiveAlert =
      milliseconds === undefined ? rest : { ...rest, endsAt: formatTime(this.#clock.now() + milliseconds) };
    this.#active.set(kept.key, kept);
    this.#arm(kept, milliseconds);
    await this.#parts.state?.set(stateKey(kept), kept, { ttl: false });
  }

  #arm(alert: ActiveAlert, milliseconds?: number): void {
    this.#timers.get(alert.key)?.cancel();
    this.#timers.delete(alert.key);
    if (alert.endsAt === undefined) return;
    const left = milliseconds ?? Math.max(0, parseTime(alert.endsAt) - this.#clock.now());
    this.#timers.set(
      alert.key,
      this.#clock.after(left, () => void this.#resolve(alert)),
    );
  }

  async #resolve(alert: ActiveAlert): Promise<void> {
    const { emit, state, log } = this.#parts;
    this.#timers.delete(alert.key);
    try {
      await emit?.(eventOf(AlertResolved.type, alert, `${alert.id}-resolved`));
      this.#active.delete(alert.key);
      await state?.delete(stateKey(alert));
    } catch (error) {
      log.warn({ err: error, alert: alert.key }, "an alert could not be resolved, and is tried again");
      if (this.#active.get(alert.key) === alert) this.#arm(alert, this.#options.resolveAfter);
    }
  }
}

function stateKey({ key }: ActiveAlert): string {
  return stateFolder + encodeURIComponent(key);
}

function eventOf(type: string, alert: ActiveAlert, id: string): EventInput {
  const { id: _, endsAt: _ends, ...data } = alert;
  return { id, type, subject: data.key, data };
}
