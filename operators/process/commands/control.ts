import {
  connect,
  connectionOptions,
  durationOption,
  startProgress,
  type Command,
  type Terminal,
} from "fettle/cli";
import {
  Process,
  ProcessSet,
  reloadedAt,
  restartedAt,
  setLabel,
  type ProcessObject,
  type ProcessSetObject,
} from "../kinds.js";
import { conditionsOf } from "../status.js";
import { processesOf, processKinds, targetsOf } from "./targets.js";

/** Milliseconds that a command waits for its effect. */
const defaultTimeout = 60_000;

/** Change that a command makes to objects of one kind. */
interface Change<T> {
  /** Explains why the command is of no use for an object; checked for all objects before any is changed. */
  readonly refusal?: ((object: T) => string | undefined) | undefined;
  readonly patch: (now: string) => object;
  /** True once the effect is there. */
  readonly isDone: (object: T, before: T, now: string) => boolean;
}

interface Action {
  /** Word for the result, such as `restarted`. */
  readonly done: string;
  readonly process: Change<ProcessObject>;
  /** Undefined changes the processes of a set one by one. */
  readonly set?: Change<ProcessSetObject> | undefined;
}

function controlCommand(
  texts: Pick<Command, "description" | "examples">,
  { done, process: processChange, set: setChange }: Action,
): Command {
  return {
    arguments: "<object...>",
    kinds: processKinds,
    options: [
      { flags: "--no-wait", summary: "do not wait for the effect" },
      { flags: "--timeout <duration>", summary: "how long to wait (default: 1m)" },
      ...connectionOptions,
    ],
    ...texts,
    async run(words, options, terminal) {
      await using server = await connect(options, terminal);
      const targets = await targetsOf(words, options, server, terminal);
      const processes =
        setChange === undefined ? await processesOf(targets, server, terminal) : targets.processes;
      const sets = setChange === undefined ? [] : targets.sets;
      for (const each of processes) {
        const refusal = processChange.refusal?.(each);
        if (refusal !== undefined) throw new Error(`process/${each.metadata.name} ${refusal}`);
      }
      const { client } = server;
      const { signal } = terminal;
      const ofProcesses: Requests<ProcessObject> = {
        patch: (object, patch) => client.patch(Process, object, patch, { signal }),
        watch: (watched) => client.watch(Process, watched),
      };
      const ofSets: Requests<ProcessSetObject> = {
        patch: (object, patch) => client.patch(ProcessSet, object, patch, { signal }),
        watch: (watched) => client.watch(ProcessSet, watched),
      };
      const waiting: Waiting = {
        terminal,
        done,
        timeout: (await durationOption(options, "timeout")) ?? defaultTimeout,
        wait: options["wait"] !== false,
        now: new Date().toISOString(),
      };
      let isComplete = true;
      for (const each of processes) {
        isComplete = (await change(each, processChange, ofProcesses, waiting)) && isComplete;
      }
      for (const each of sets) {
        if (setChange === undefined) continue;
        isComplete = (await change(each, setChange, ofSets, waiting)) && isComplete;
      }
      return isComplete ? 0 : 1;
    },
  };
}

interface Waiting {
  readonly terminal: Terminal;
  readonly done: string;
  readonly timeout: number;
  readonly wait: boolean;
  readonly now: string;
}

/** Requests for objects of one kind. */
interface Requests<T> {
  readonly patch: (object: T, patch: object) => Promise<T>;
  readonly watch: (options: {
    readonly namespace: string;
    readonly fieldSelector: string;
    readonly signal: AbortSignal;
  }) => AsyncIterable<{ readonly type: string; readonly object: T }>;
}

/** Changes an object, waits for the effect and prints it; false if the time is up before. */
async function change<T extends ProcessObject | ProcessSetObject>(
  before: T,
  { patch, isDone }: Change<T>,
  requests: Requests<T>,
  { terminal, done, timeout, wait, now }: Waiting,
): Promise<boolean> {
  const { kind, metadata } = await requests.patch(before, patch(now));
  const { name = "", namespace = "", generation } = metadata;
  const label = `${kind.toLowerCase()}/${name}`;
  if (!wait) {
    terminal.stdout.write(`${label} is being ${done}\n`);
    return true;
  }
  const expired = AbortSignal.timeout(timeout);
  const signal = AbortSignal.any([expired, terminal.signal]);
  const progress = startProgress(terminal);
  progress.show(`waiting for ${label}`);
  let reason = "";
  try {
    for await (const { object, type } of requests.watch({
      namespace,
      fieldSelector: `metadata.name=${name}`,
      signal,
    })) {
      if (type === "DELETED") throw new Error(`${label} was deleted`);
      if (object.status?.observedGeneration === generation && isDone(object, before, now)) {
        progress.clear();
        terminal.stdout.write(`${label} ${done}\n`);
        return true;
      }
      reason = readyText(object);
      progress.show(`waiting for ${label}${reason}`);
    }
  } catch (error) {
    if (!expired.aborted || terminal.signal.aborted) throw error;
  } finally {
    progress[Symbol.dispose]();
  }
  if (!terminal.signal.aborted) {
    terminal.stderr.write(
      `${label} is not ${done} after ${timeout / 1000} s${reason}; see: fettle why ${label}\n`,
    );
  }
  return false;
}

/** Reason and message of the condition Ready while it is not true. */
function readyText({ status }: ProcessObject | ProcessSetObject): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "True") return "";
  return `: ${[ready.reason, ready.message].filter(Boolean).join(": ")}`;
}

/** Refuses processes of a set, which would undo the change. */
function belongsToSet({ metadata }: ProcessObject): string | undefined {
  const set = metadata.ownerReferences?.some(({ kind }) => kind === "ProcessSet")
    ? metadata.labels?.[setLabel]
    : undefined;
  return set && `belongs to processset/${set}, which decides whether it runs; use processset/${set}`;
}

export const stop = controlCommand(
  {
    description:
      "Stop processes until fettle start. Sets spec.suspend, so that they also stay stopped after a restart of Fettle.",
    examples: [
      ["fettle stop process/web", "stop a process"],
      ["fettle stop processset/workers", "stop all processes of a set"],
    ],
  },
  {
    done: "stopped",
    process: {
      refusal: belongsToSet,
      patch: () => ({ spec: { suspend: true } }),
      isDone: ({ status }) => status?.state === "Stopped",
    },
    set: {
      patch: () => ({ spec: { suspend: true } }),
      isDone: ({ status, spec }) => status?.readyReplicas === spec.replicas,
    },
  },
);

export const start = controlCommand(
  {
    description: "Start processes that were stopped with fettle stop.",
    examples: [["fettle start process/web", "start a process, and wait until it is ready"]],
  },
  {
    done: "started",
    process: {
      refusal: belongsToSet,
      patch: () => ({ spec: { suspend: false } }),
      isDone: (process) => conditionsOf(process).ready === "True",
    },
    set: {
      patch: () => ({ spec: { suspend: false } }),
      isDone: ({ status, spec }) => status?.readyReplicas === spec.replicas,
    },
  },
);

export const restart = controlCommand(
  {
    description:
      "Restart processes, also those that were given up after too many failures. The processes of a set are restarted a few at a " +
      "time. A task runs at once, and then at its times.",
    examples: [
      ["fettle restart process/web", "restart a process, and wait until it is ready"],
      ["fettle restart web worker --no-wait", "restart two processes"],
    ],
  },
  {
    done: "restarted",
    process: {
      refusal: ({ spec }) => (spec.suspend ? "is stopped; start it with fettle start" : undefined),
      patch: (now) => ({ metadata: { annotations: { [restartedAt]: now } } }),
      isDone: (process, { status }) =>
        conditionsOf(process).ready === "True" && process.status?.attempt !== status?.attempt,
    },
    set: {
      patch: (now) => ({ spec: { template: { annotations: { [restartedAt]: now } } } }),
      isDone: ({ status, spec }) =>
        status?.readyReplicas === spec.replicas && status.updatedReplicas === spec.replicas,
    },
  },
);

export const reload = controlCommand(
  {
    description: "Send the signal of spec.reload to processes, so that they read their configuration again.",
    examples: [["fettle reload process/web", "send SIGHUP, or the signal of its spec"]],
  },
  {
    done: "reloaded",
    process: {
      refusal({ spec, status }) {
        if (spec.reload === undefined) return "has no spec.reload; set it, or use fettle restart";
        return status?.state === "Running" ? undefined : `is not running, but ${status?.state ?? "Pending"}`;
      },
      patch: (now) => ({ metadata: { annotations: { [reloadedAt]: now } } }),
      isDone: ({ status }, _, now) => status?.reloadedAt === now,
    },
  },
);
