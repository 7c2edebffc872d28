import type { z } from "zod";
import type { CloudEvent, EventInput } from "../../model/cloud-events/cloud-event.js";
import { patternParts } from "../../model/cloud-events/event-pattern.js";
import type { Check } from "../../runtime/health/health.js";
import type { Log } from "../../runtime/log/log.js";
import type { DeliveryOptions, HandlerContext } from "../handler.js";
import type { State } from "../state/state.js";
import { PluginPermissions } from "./permissions.js";
import type { PluginHttp } from "./plugin-http.js";

/** Argument of the `setup` of a plugin. Its members can be destructured. */
export interface PluginContext<Config = unknown> {
  /** Configuration of the plugin, validated by its schema. */
  readonly config: Config;
  readonly log: Log;
  readonly http: PluginHttp;
  /** Part of the state that belongs to the plugin. */
  readonly state: State;
  /** Emits an event. Its source is `/plugins/NAME`. */
  readonly emit: (event: EventInput) => Promise<CloudEvent>;
  /** Aborts when the plugin stops. */
  readonly signal: AbortSignal;
  /** Registers a function that is called when the plugin stops; the last one first. */
  readonly onStop: (stop: () => unknown) => void;
}

/** Second argument of `onEvent`. */
export interface PluginEventContext<Config = unknown>
  extends Omit<PluginContext<Config>, "onStop">, Pick<HandlerContext, "attempt"> {
  /** Aborts when the time of the call is up, and when the plugin stops. */
  readonly signal: AbortSignal;
  /** Emits an event because of this one. Refused if the chain of causes is too long, since that is a cycle. */
  readonly emit: (event: EventInput) => Promise<CloudEvent>;
}

type PluginResult = EventInput | readonly EventInput[] | null | undefined | void;

/** Argument of {@link definePlugin}. May be an instance of a class. */
export interface PluginDescription<Config = unknown> extends DeliveryOptions {
  /** Lower-case letters, digits and `-`. */
  readonly name: string;
  readonly version: string;
  /** Schema of its configuration. Default: any configuration. */
  readonly config?: z.ZodType<Config> | undefined;
  /**
   * Permissions that the plugin needs: `http:HOST`, `emit:PATTERN`, `events:PATTERN`, `state`. What they do not allow fails. Default:
   * everything. They limit mistakes, and are no sandbox.
   */
  readonly permissions?: readonly string[] | undefined;
  /** Patterns of the events that it gets. Default: those of its permissions, or all events. */
  readonly on?: string | readonly string[] | undefined;
  /** Get also events of the time when the process was not running. */
  readonly durable?: boolean | undefined;
  /** Prepares the plugin. Called once, before the first event. */
  setup?(context: PluginContext<Config>): unknown;
  /** Handles an event. Events that it returns are emitted because of this one. */
  onEvent?(event: CloudEvent, context: PluginEventContext<Config>): PluginResult | Promise<PluginResult>;
  /** Health check of its own, besides the one that every plugin has. */
  health?(signal: AbortSignal): ReturnType<Check>;
}

/** A plugin. Made by {@link definePlugin}. */
export interface PluginDefinition extends DeliveryOptions {
  readonly name: string;
  readonly version: string;
  readonly config: z.ZodType | undefined;
  readonly permissions: readonly string[] | undefined;
  /** Patterns of events; empty without `onEvent`. */
  readonly on: readonly string[];
  readonly durable: boolean;
  readonly setup: ((context: PluginContext<never>) => unknown) | undefined;
  readonly onEvent: ((event: CloudEvent, context: PluginEventContext<never>) => unknown) | undefined;
  readonly health: Check | undefined;
}

/**
 * Defines a plugin: code that handles events, with a configuration of its own.
 *
 * @example
 * export default definePlugin({
 *   name: "custom-health-checker",
 *   version: "1.0.0",
 *   config: z.object({ endpoint: z.url() }),
 *   permissions: ["events:health_check.requested", "emit:health_check.completed", "http:*"],
 *   async onEvent(event, { config, http }) {
 *     const { ok } = await http.get(config.endpoint);
 *     return { type: "health_check.completed", data: { result: ok } };
 *   },
 * });
 *
 * @throws {RangeError} @throws {EventPatternError}
 */
export function definePlugin<Config = unknown>(description: PluginDescription<Config>): PluginDefinition {
  const {
    name,
    version,
    config,
    permissions,
    durable = false,
    timeout,
    retries,
    retryDelay,
    concurrency,
  } = description;
  if (!/^[a-z0-9](?:[a-z0-9-]{0,53}[a-z0-9])?$/.test(name)) {
    throw new RangeError(
      `${JSON.stringify(name)} is not a name for a plugin: use up to 55 lower-case letters, digits and -`,
    );
  }
  if (typeof version !== "string" || version === "") throw new RangeError(`plugin ${name} has no version`);
  const { setup, onEvent, health } = boundMethods(description);
  if (setup === undefined && onEvent === undefined) {
    throw new RangeError(`plugin ${name} has neither setup nor onEvent: it would do nothing`);
  }
  return {
    name,
    version,
    config,
    permissions,
    on: onEvent === undefined ? [] : patternsOf(description),
    durable,
    timeout,
    retries,
    retryDelay,
    concurrency,
    setup,
    onEvent,
    health,
  };
}

/** Methods of a description, which may be an instance of a class. */
function boundMethods<Config>(
  description: PluginDescription<Config>,
): Pick<PluginDefinition, "setup" | "onEvent" | "health"> {
  return {
    setup: description.setup?.bind(description),
    onEvent: description.onEvent?.bind(description),
    health: description.health?.bind(description),
  };
}

function patternsOf({
  name,
  on,
  permissions,
}: Pick<PluginDescription, "name" | "on" | "permissions">): readonly string[] {
  const { events = ["**"] } = new PluginPermissions(name, permissions);
  if (events.length === 0) {
    throw new RangeError(
      `plugin ${name} has onEvent, but its permissions allow no events: add one such as "events:config.*"`,
    );
  }
  if (on === undefined) return events;
  const patterns = typeof on === "string" ? [on] : on;
  for (const pattern of patterns) patternParts(pattern);
  return patterns;
}

/** Tests for a plugin by its shape, since another copy of this package may have made it. */
export function isPlugin(value: unknown): value is PluginDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { name, version, on, durable, setup, onEvent } = value as Partial<PluginDefinition>;
  return (
    typeof name === "string" &&
    typeof version === "string" &&
    Array.isArray(on) &&
    typeof durable === "boolean" &&
    (typeof setup === "function" || typeof onEvent === "function")
  );
}
