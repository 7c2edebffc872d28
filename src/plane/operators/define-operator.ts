import type { Client } from "../../client/client.js";
import type { State } from "../../events/state/state.js";
import { names, type Clock } from "../../model/core.js";
import type { Resource } from "../../model/resource/resource-types.js";
import type { Controller } from "../../runtime/controller/controller.js";
import type { Events } from "../../events/events.js";
import type { EventSubscription } from "../../events/handler.js";
import type { PipelineHandler } from "../../events/pipeline/pipeline-handler.js";
import type { KindEvents } from "../../events/object/event-naming.js";
import type { Check, CheckOptions } from "../../runtime/health/health.js";
import type { Log } from "../../runtime/log/log.js";
import type { Schedule } from "../../runtime/schedule/schedule.js";
import type { Extension, User } from "../../server/index.js";
import type { OperatorRoutes } from "../routes/routes.js";
import type { CommandEntry } from "./command.js";

/** Access to a resource that a user may or may not have. */
export interface ResourceAccess {
  readonly verb: string;
  /** API group; empty for the core group. */
  readonly group: string;
  /** Plural: `processes`. */
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Argument of the `setup` of an operator. Its members can be destructured. */
export interface SetupContext {
  /**
   * Path of a folder that belongs to the operator: `operators/NAME` in the data folder. It is created, with mode 0700, when this
   * property is first read, and locked until the operator has stopped: a second process that reads it fails.
   */
  readonly folder: string;
  /** True if objects and folder do not outlive this process: in tests, and with `store: "memory"`. */
  readonly isTemporary: boolean;
  readonly client: Client;
  /** State of the operator: its keys are those of the control plane below `operators/NAME/`. */
  readonly state: State;
  /** Events of the control plane: emits and subscribes. */
  readonly events: Events;
  readonly log: Log;
  readonly clock: Clock;
  /** Aborts when the operator stops: after its controllers, and before the functions of `onStop` are called. */
  readonly signal: AbortSignal;
  /** Registers a function that is called when the operator stops; the last one first. */
  readonly onStop: (stop: () => unknown) => void;
  /**
   * Checks that a user may access a resource, for requests of an extension. In a control plane only.
   *
   * @throws {ApiError} 403
   */
  readonly checkAccess: (user: User, access: ResourceAccess) => Promise<void>;
}

/** Health check of an operator. */
export interface OperatorHealthCheck extends CheckOptions {
  readonly name: string;
  readonly check: Check;
}

/** Parts of an operator that run: the result of `setup`. */
export interface OperatorParts extends OperatorRoutes {
  readonly controllers?: readonly Controller[] | undefined;
  readonly schedules?: readonly Schedule[] | undefined;
  /** Handlers of events. */
  readonly subscriptions?: readonly EventSubscription[] | undefined;
  /** Handlers that stages of the event pipeline can name. */
  readonly handlers?: readonly PipelineHandler[] | undefined;
  /** Paths served beside the API of a control plane. They are not served on Kubernetes. */
  readonly extensions?: readonly Extension[] | undefined;
  readonly healthChecks?: readonly OperatorHealthCheck[] | undefined;
}

/** Kinds, controllers and commands that belong together. Made by {@link defineOperator}. */
export interface OperatorDefinition {
  readonly name: string;
  readonly requires: readonly OperatorDefinition[];
  readonly kinds: readonly Resource[];
  readonly events: readonly KindEvents[];
  readonly routes: OperatorRoutes;
  readonly commands: readonly CommandEntry[];
  readonly setup?:
    | ((context: SetupContext) => Promise<OperatorParts | void> | OperatorParts | void)
    | undefined;
}

/** Argument of {@link defineOperator}. */
export interface OperatorDescription extends OperatorRoutes {
  /** Unique among the operators of a control plane: lower-case letters, digits and `-`. Names the folder of the operator. */
  readonly name: string;
  /** Operators that this one needs: they are set up first, and stopped last. */
  readonly requires?: readonly OperatorDefinition[] | undefined;
  /** Kinds to register before `setup` is called. */
  readonly kinds?: readonly Resource[] | undefined;
  /** Types of the events about objects of these kinds, made by `eventsOf()`. */
  readonly events?: readonly KindEvents[] | undefined;
  /** Commands for `fettle`, loaded when they are called. */
  readonly commands?: readonly CommandEntry[] | undefined;
  /** Creates the parts of the operator. Called once at every start, after those of the operators it requires. */
  readonly setup?: OperatorDefinition["setup"];
}

/**
 * Defines an operator: kinds, controllers and commands that are started together, in a control plane or on Kubernetes.
 *
 * @example
 * export default defineOperator({
 *   name: "process",
 *   kinds: [Process],
 *   async setup({ folder, onStop }) {
 *     const driver = await openDriver(folder);
 *     onStop(() => driver.close());
 *     return { controllers: [processes(driver)] };
 *   },
 * });
 */
export function defineOperator(description: OperatorDescription): OperatorDefinition {
  const { name, requires = [], kinds = [], events = [], rest, topics, commands = [], setup } = description;
  const [fault] = names.validateDns1123Label(name);
  if (fault !== undefined)
    throw new RangeError(`${JSON.stringify(name)} is not a name for an operator: ${fault}`);
  for (const required of requires) {
    if (isOperator(required)) continue;
    throw new TypeError(
      `operator ${name} requires something that is no operator: import what defineOperator() has returned; it is undefined if two modules import each other`,
    );
  }
  checkCommands(name, commands);
  return { name, requires, kinds, events, routes: { rest, topics }, commands, setup };
}

/** Tests for an operator by its shape, since another copy of this package may have made it. */
export function isOperator(value: unknown): value is OperatorDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { name, requires, kinds, commands, setup } = value as Partial<OperatorDefinition>;
  return (
    typeof name === "string" &&
    Array.isArray(requires) &&
    Array.isArray(kinds) &&
    Array.isArray(commands) &&
    (setup === undefined || typeof setup === "function")
  );
}

function checkCommands(operator: string, commands: readonly CommandEntry[]): void {
  const seen = new Set<string>();
  for (const { name } of commands) {
    if (!/^[a-z][a-z0-9-]*$/.test(name)) {
      throw new RangeError(
        `operator ${operator}: ${JSON.stringify(name)} is not a name for a command: use lower-case letters, digits and -`,
      );
    }
    if (seen.has(name)) throw new Error(`operator ${operator} has two commands named ${name}`);
    seen.add(name);
  }
}
