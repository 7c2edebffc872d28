import { untilAborted } from "../../client/async/until-aborted.js";
import type { Clock } from "../../model/core.js";
import type { CloudEvent, EventInput } from "../../model/cloud-events/cloud-event.js";
import { eventPattern } from "../../model/cloud-events/event-pattern.js";
import type { CheckResult } from "../../runtime/health/health.js";
import { lazyChild, type Log } from "../../runtime/log/log.js";
import { messageOf } from "../../runtime/log/message-of.js";
import type { EventSubscription, HandlerContext } from "../handler.js";
import type { State } from "../state/state.js";
import { subscription } from "../subscription.js";
import type { PluginContext, PluginDefinition, PluginEventContext } from "./define-plugin.js";
import { PluginPermissions } from "./permissions.js";
import { pluginHttp } from "./plugin-http.js";

/** Parts of a control plane or an operator that plugins use. */
export interface PluginParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly emit: (event: EventInput) => Promise<CloudEvent>;
  /** Without it, plugins that use the state fail. */
  readonly state?: State | undefined;
}

/** A plugin with its configuration, from its setup until it stops. */
export class RunningPlugin {
  readonly definition: PluginDefinition;
  readonly #parts: PluginParts;
  readonly #context: PluginContext;
  readonly #permissions: PluginPermissions;
  readonly #stopping = new AbortController();
  readonly #stops: (() => unknown)[] = [];
  #handled = 0;
  /** Failed calls of `onEvent` since the last one that succeeded. */
  #failures = 0;
  #lastError = "";

  constructor(definition: PluginDefinition, config: unknown, parts: PluginParts) {
    const { name, permissions } = definition;
    this.definition = definition;
    this.#parts = parts;
    this.#permissions = new PluginPermissions(name, permissions);
    const { signal } = this.#stopping;
    this.#context = {
      config,
      log: lazyChild(parts.log, () => ({ plugin: name })),
      http: pluginHttp({ plugin: name, permissions: this.#permissions, clock: parts.clock, signal }),
      state: this.#state(),
      emit: async (event) => parts.emit(this.#outgoing(event)),
      signal,
      onStop: (stop) => void this.#stops.push(stop),
    };
  }

  async setUp(): Promise<void> {
    await this.definition.setup?.(this.#context as PluginContext<never>);
  }

  /** Subscription of the plugin; undefined if it handles no events. */
  get subscription(): EventSubscription | undefined {
    const { name, on, durable, onEvent, timeout, retries, retryDelay, concurrency } = this.definition;
    if (onEvent === undefined) return undefined;
    const allowed = this.#permissions.events?.map(eventPattern);
    return subscription({
      name: `plugin-${name}`,
      on,
      durable,
      timeout,
      retries,
      retryDelay,
      concurrency,
      // A plugin may subscribe to more than it declares.
      ...(allowed !== undefined && { canHandle: ({ type }) => allowed.some((matches) => matches(type)) }),
      handle: (event, context) => this.#handle(event, context),
    });
  }

  /** Health of the plugin: that of its last call, and of its own check. */
  async check(signal: AbortSignal): Promise<CheckResult> {
    if (this.#failures > 0) {
      const calls =
        this.#failures === 1 ? "the last call of onEvent" : `the last ${this.#failures} calls of onEvent`;
      return { ok: false, message: `${calls} failed: ${this.#lastError}` };
    }
    const own = await this.definition.health?.(signal);
    return (
      own ??
      `${this.definition.version}, handled ${this.#handled} ${this.#handled === 1 ? "event" : "events"}`
    );
  }

  /** Aborts its signal, and calls the functions it has registered. */
  async stop(): Promise<void> {
    const { name } = this.definition;
    this.#stopping.abort(new Error(`plugin ${name} stops`));
    for (const stop of this.#stops.splice(0).toReversed()) {
      try {
        await stop();
      } catch (error) {
        this.#parts.log.error({ plugin: name, err: error }, "a plugin could not be stopped");
      }
    }
  }

  async #handle(event: CloudEvent, handling: HandlerContext): Promise<void> {
    const signal = AbortSignal.any([handling.signal, this.#stopping.signal]);
    const emit = async (input: EventInput): Promise<CloudEvent> => handling.emit(this.#outgoing(input));
    const { attempt } = handling;
    const { config, log, http, state } = this.#context;
    const context: PluginEventContext = { config, log, http, state, signal, emit, attempt };
    try {
      const result = await untilAborted(this.#call(event, context), signal);
      for (const [index, each] of eventsIn(result).entries()) {
        // The same id if this event is handled again, so that the log has the returned event once.
        await emit({ id: `${event.id}-${this.definition.name}-${index}`, ...each });
      }
      this.#handled++;
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      this.#lastError = messageOf(error);
      throw error;
    }
  }

  async #call(event: CloudEvent, context: PluginEventContext): Promise<unknown> {
    return this.definition.onEvent?.(event, context as PluginEventContext<never>);
  }

  #outgoing(event: EventInput): EventInput {
    this.#permissions.checkEmit(event.type);
    return { source: `/plugins/${this.definition.name}`, ...event };
  }

  /** Part of the state with the keys of this plugin. Without the permission, every use of it throws. */
  #state(): State {
    const { name } = this.definition;
    const part = this.#parts.state?.below(`plugins/${name}/`);
    return new Proxy({} as State, {
      get: (_, method) => {
        // Inspection, and `await` of a value that contains it.
        if (typeof method === "symbol" || method === "then") return undefined;
        this.#permissions.checkState();
        if (part === undefined) throw new Error(`plugin ${name}: there is no state here`);
        return Reflect.get(part, method) as unknown;
      },
    });
  }
}

/** Events that `onEvent` returned; other values are a mistake. */
function eventsIn(result: unknown): readonly EventInput[] {
  if (result === undefined || result === null) return [];
  const all: readonly unknown[] = Array.isArray(result) ? result : [result];
  return all.map((each) => {
    if (typeof (each as Partial<EventInput> | null)?.type === "string") return each as EventInput;
    throw new TypeError("onEvent must return an event with a type, a list of them, or nothing");
  });
}
