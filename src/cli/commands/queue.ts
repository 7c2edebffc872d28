import { duration, formatDuration } from "../../model/core.js";
import type { ControllerState, QueueCommandRequest } from "../../plane/management/contract.js";
import { UsageError, type Command, type OptionValues, type Terminal } from "../command/command.js";
import { connectionOptions, textOption } from "../command/options.js";
import { annotatePause } from "../../plane/pauses/pauses.js";
import { pausedAnnotation } from "../../runtime/controller/paused.js";
import { titleOf } from "../objects/find-kind.js";
import { explainNotFound, rethrowNotFound } from "../objects/not-found.js";
import { resolveObject } from "../objects/resolve-objects.js";
import { NoManagementError } from "../server/management-client.js";
import {
  parseControllerArguments,
  parseObjectArguments,
  queueKey,
  requireControllers,
  type ControllerArguments,
} from "../objects/resolve-controllers.js";
import { connect } from "../server/connect.js";

export const pause: Command = {
  arguments: "<kind> [name]",
  description:
    "Stop reconciling an object, or all objects of a kind, until fettle resume. Changes are kept in the queue meanwhile, and a run in progress finishes. The pause outlives restarts: it is the annotation fettle.dev/paused of the object, or the entry of the controller in the ConfigMap fettle-paused. Objects of a Kubernetes cluster can be paused, too.",
  options: connectionOptions,
  examples: [
    ["fettle pause site/hello", "pause one site"],
    ["fettle pause site", "pause all sites"],
  ],
  async run(words, options, terminal) {
    const target = parseControllerArguments(words);
    const instructed = await instructOrAnnotate("pause", target, options, terminal);
    if (typeof instructed === "string") {
      terminal.stdout.write(`paused ${instructed} by its annotation ${pausedAnnotation}\n`);
      return;
    }
    for (const { controller, title, count } of instructed) {
      const all = target.name === undefined ? ` (${count} objects)` : "";
      terminal.stdout.write(`paused ${title}${all} in controller ${controller.name}\n`);
    }
  },
};

export const resume: Command = {
  arguments: "<kind> [name]",
  description:
    "Resume reconciling after fettle pause. Objects that were paused by name stay paused when their kind is resumed.",
  options: connectionOptions,
  examples: [
    ["fettle resume site/hello", "resume one site"],
    ["fettle resume site", "resume all sites that were not paused by name"],
  ],
  async run(words, options, terminal) {
    const target = parseControllerArguments(words);
    const instructed = await instructOrAnnotate("resume", target, options, terminal);
    if (typeof instructed === "string") {
      terminal.stdout.write(`resumed ${instructed}\n`);
      return;
    }
    for (const { controller, title, count } of instructed) {
      const wasPaused = target.name === undefined ? controller.paused : count > 0;
      const stillPaused =
        target.name === undefined && controller.pausedObjects.length > 0
          ? `; still paused by name: ${controller.pausedObjects.join(", ")}`
          : target.name !== undefined && controller.paused
            ? `; all ${controller.kind} objects are still paused`
            : "";
      terminal.stdout.write(
        wasPaused ? `resumed ${title}${stillPaused}\n` : `${title} was not paused${stillPaused}\n`,
      );
    }
  },
};

export const enqueue: Command = {
  arguments: "[object] [name]",
  description:
    "Reconcile an object now, or after a delay, for a reason that the controller does not watch. fettle why shows the reason. With --all: a full reconciliation of all objects of a kind, or of all kinds; new changes are handled first.",
  options: [
    ...connectionOptions,
    {
      flags: "--all",
      summary: "reconcile all objects of KIND in all namespaces; without KIND, of all kinds",
    },
    {
      flags: "--reason <text>",
      summary: "reason, recorded with the run (required; with --all the default is: full reconciliation)",
    },
    { flags: "--after <duration>", summary: "delay: 30s, 10m, 1h30m (default: none)" },
  ],
  examples: [
    ['fettle enqueue site/hello --reason "the certificate was renewed"', "reconcile it now"],
    [
      'fettle enqueue site/hello --reason "after the maintenance" --after 30m',
      "reconcile it in half an hour",
    ],
    ["fettle enqueue --all site", "reconcile all sites"],
    ["fettle enqueue --all", "reconcile everything"],
  ],
  async run(words, options, terminal) {
    if (options["all"] === true) return await enqueueAll(words, options, terminal);
    const target = parseObjectArguments(words);
    const reason = textOption(options, "reason");
    if (reason === undefined || reason.trim() === "") {
      throw new UsageError("missing --reason TEXT; it is recorded with the run");
    }
    const after = textOption(options, "after");
    const delay = after === undefined ? 0 : milliseconds(after);
    const instruction = { reason, ...(delay > 0 && { after: `${delay}ms` }) };
    const when = delay > 0 ? `in ${formatDuration(delay)}` : "now";
    for (const each of await instruct("enqueue", target, instruction, options, terminal)) {
      const { controller, title } = each;
      const isPaused = controller.paused || controller.pausedObjects.some((key) => title.endsWith(` ${key}`));
      const hint = isPaused ? " once it is resumed (it is paused)" : "";
      terminal.stdout.write(`${title} will be reconciled ${when} by controller ${controller.name}${hint}\n`);
    }
  },
};

/** Enqueues all objects of a kind, or of all controllers of the control plane. */
async function enqueueAll(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
): Promise<void> {
  const kind = words.length === 0 ? undefined : parseControllerArguments(words);
  if (kind?.name !== undefined) throw new UsageError("--all takes a KIND, not the name of an object");
  if (textOption(options, "after") !== undefined)
    throw new UsageError("--all cannot be combined with --after");
  const reason = textOption(options, "reason");
  await using server = await connect(options, terminal);
  const { plane } = server;
  const controllers =
    kind === undefined
      ? (await plane.controllers()).controllers
      : await requireControllers(kind.kind, server);
  if (controllers.length === 0) terminal.stdout.write("this control plane has no controllers\n");
  for (const { name, kind: title, paused } of controllers) {
    const { count } = await plane.instruct(name, "enqueue", { all: true, reason });
    const objects = count === 1 ? `1 ${title} object` : `${count} ${title} objects`;
    const hint = paused && count > 0 ? " once the controller is resumed (it is paused)" : "";
    terminal.stdout.write(`${objects} will be reconciled by controller ${name}${hint}\n`);
  }
}

export const retry: Command = {
  arguments: "<object> [name]",
  description:
    "Retry a failed object now, whether it is a dead letter or waits for its next attempt. Its backoff starts again: the next failure counts as the first. To retry all dead letters: fettle dead retry --all",
  options: [...connectionOptions, { flags: "--reason <text>", summary: "reason, recorded with the run" }],
  examples: [["fettle retry site/hello", "retry now"]],
  async run(words, options, terminal) {
    const target = parseObjectArguments(words);
    const instruction = { reason: textOption(options, "reason") };
    for (const { controller, title } of await instruct("retry", target, instruction, options, terminal)) {
      terminal.stdout.write(`${title} will be retried now by controller ${controller.name}\n`);
    }
  },
};

interface InstructedController {
  /** State before the instruction. */
  readonly controller: ControllerState;
  /** `Site default/hello`, or the kind alone. */
  readonly title: string;
  /** Number of objects the instruction applied to. */
  readonly count: number;
}

/** Sends an instruction to all controllers of a kind, or to the one that is named. */
async function instruct(
  verb: "enqueue" | "pause" | "resume" | "retry",
  target: ControllerArguments,
  instruction: Omit<QueueCommandRequest, "key">,
  options: OptionValues,
  terminal: Terminal,
): Promise<readonly InstructedController[]> {
  await using server = await connect(options, terminal);
  const instructed: InstructedController[] = [];
  for (const controller of await requireControllers(target.kind, server)) {
    const key = target.name === undefined ? undefined : queueKey(controller, target.name, server.namespace);
    const { count } = await server.plane
      .instruct(controller.name, verb, { ...instruction, key })
      .catch((error: unknown) => {
        throw explainNotFound(error, controller, undefined);
      });
    const title = key === undefined ? controller.kind : `${controller.kind} ${key}`;
    instructed.push({ controller, title, count });
  }
  return instructed;
}

/**
 * Pauses or resumes through the control plane; on a server without one, such as Kubernetes, by the annotation of the object.
 * Resolves with the title of the object then.
 */
async function instructOrAnnotate(
  verb: "pause" | "resume",
  target: ControllerArguments,
  options: OptionValues,
  terminal: Terminal,
): Promise<readonly InstructedController[] | string> {
  try {
    return await instruct(verb, target, {}, options, terminal);
  } catch (error) {
    if (!(error instanceof NoManagementError) || target.name === undefined) throw error;
  }
  await using server = await connect(options, terminal);
  const { kind, name, namespace } = await resolveObject([target.kind, target.name], server);
  await annotatePause(server.client, kind, { name, namespace }, verb === "pause").catch(
    rethrowNotFound(kind, namespace),
  );
  return titleOf(kind, name);
}

function milliseconds(text: string): number {
  try {
    return duration(text);
  } catch (error) {
    throw new UsageError(`--after: ${error instanceof Error ? error.message : String(error)}`);
  }
}
