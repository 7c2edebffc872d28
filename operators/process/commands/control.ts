import {
  connect,
  connectionOptions,
  durationOption,
  startProgress,
  type Command,
  type ServerConnection,
  type Terminal,
} from "fettle/cli";
import {
  Process,
  ProcessSet,
  reloadedAt,
  restartedAt,
  type ProcessObject,
  type ProcessSetObject,
} from "../kinds.js";
import { conditionsOf } from "../status.js";
import { targetsOf } from "./targets.js";

/** Milliseconds that a command waits for its effect. */
const defaultTimeout = 60_000;

interface Action {
  /** Word for what happens to each object, such as `restarted`. */
  readonly done: string;
  readonly patchProcess: (now: string) => object;
  readonly patchSet: ((now: string) => object) | undefined;
  /** Tells whether the effect is there; undefined does not wait. */
  readonly isDone?: ((object: ProcessObject, before: ProcessObject) => boolean) | undefined;
  readonly isSetDone?: ((set: ProcessSetObject) => boolean) | undefined;
}

function controlCommand(
  texts: Pick<Command, "description" | "examples">,
  { done, patchProcess, patchSet, isDone, isSetDone }: Action,
): Command {
  return {
    arguments: "<object...>",
    options: [
      ...(isDone === undefined
        ? []
        : [
            { flags: "--no-wait", summary: "do not wait for the effect" },
            { flags: "--timeout <duration>", summary: "how long to wait (default: 1m)" },
          ]),
      ...connectionOptions,
    ],
    ...texts,
    async run(words, options, terminal) {
      await using server = await connect(options, terminal);
      const { processes, sets } = await targetsOf(words, options, server, terminal);
      const timeout = (await durationOption(options, "timeout")) ?? defaultTimeout;
      const now = new Date().toISOString();
      const { client } = server;
      const { signal } = terminal;
      if (sets.length > 0 && patchSet === undefined) {
        throw new Error("this works for processes only, not for sets");
      }
      let failed = false;
      const waitsFor = options["wait"] === false ? undefined : isDone;
      for (const process of processes) {
        const { generation, ...patched } = (
          await client.patch(Process, process, patchProcess(now), { signal })
        ).metadata;
        const name = `process/${patched.name}`;
        const end =
          waitsFor === undefined ||
          (await until(
            server,
            terminal,
            {
              kind: Process,
              name: patched.name ?? "",
              namespace: patched.namespace ?? "",
              timeout,
              what: name,
            },
            (found) => found.status?.observedGeneration === generation && waitsFor(found, process),
          ));
        failed ||= !end;
        terminal.stdout.write(
          end
            ? `${name} ${waitsFor === undefined ? "requested" : done}\n`
            : `${name} is not ${done} after ${timeout / 1000} s; see: fettle why ${name}\n`,
        );
      }
      for (const set of sets) {
        const { metadata } = await client.patch(ProcessSet, set, patchSet?.(now) ?? {}, { signal });
        const name = `processset/${metadata.name}`;
        const end =
          options["wait"] === false ||
          isSetDone === undefined ||
          (await until(
            server,
            terminal,
            {
              kind: ProcessSet,
              name: metadata.name ?? "",
              namespace: metadata.namespace ?? "",
              timeout,
              what: name,
            },
            (found) => found.status?.observedGeneration === metadata.generation && isSetDone(found),
          ));
        failed ||= !end;
        terminal.stdout.write(
          end
            ? `${name} ${done}\n`
            : `${name} is not ${done} after ${timeout / 1000} s; see: fettle why ${name}\n`,
        );
      }
      return failed ? 1 : 0;
    },
  };
}

interface Awaited<K> {
  readonly kind: K;
  readonly name: string;
  readonly namespace: string;
  readonly timeout: number;
  readonly what: string;
}

/** Watches an object until a condition holds; false when the time is up. */
async function until<K extends typeof Process | typeof ProcessSet>(
  { client }: ServerConnection,
  terminal: Terminal,
  { kind, name, namespace, timeout, what }: Awaited<K>,
  holds: (object: K extends typeof Process ? ProcessObject : ProcessSetObject) => boolean,
): Promise<boolean> {
  using progress = startProgress(terminal);
  progress.show(`waiting for ${what}`);
  const expired = AbortSignal.timeout(timeout);
  const signal = AbortSignal.any([expired, terminal.signal]);
  try {
    for await (const { object, type } of client.watch(kind, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      signal,
    })) {
      if (type === "DELETED") throw new Error(`${what} was deleted`);
      if (holds(object as Parameters<typeof holds>[0])) return true;
    }
  } catch (error) {
    if (!expired.aborted || terminal.signal.aborted) throw error;
  }
  return false;
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
    patchProcess: () => ({ spec: { suspend: true } }),
    patchSet: () => ({ spec: { suspend: true } }),
    isDone: ({ status }) => status?.state === "Stopped",
    isSetDone: ({ status, spec }) => status?.readyReplicas === spec.replicas,
  },
);

export const start = controlCommand(
  {
    description: "Start processes that were stopped with fettle stop.",
    examples: [["fettle start process/web", "start a process"]],
  },
  {
    done: "started",
    patchProcess: () => ({ spec: { suspend: false } }),
    patchSet: () => ({ spec: { suspend: false } }),
    isDone: (process) => conditionsOf(process).ready === "True",
    isSetDone: ({ status, spec }) => status?.readyReplicas === spec.replicas,
  },
);

export const restart = controlCommand(
  {
    description:
      "Restart processes, also those that were given up after too many failures. The processes of a set are restarted a few at a time.",
    examples: [
      ["fettle restart process/web", "restart a process, and wait until it is ready"],
      ["fettle restart web worker --no-wait", "restart two processes"],
    ],
  },
  {
    done: "restarted",
    patchProcess: (now) => ({ metadata: { annotations: { [restartedAt]: now } } }),
    patchSet: (now) => ({ spec: { template: { annotations: { [restartedAt]: now } } } }),
    isDone: (process, { status }) =>
      conditionsOf(process).ready === "True" && process.status?.attempt !== status?.attempt,
    isSetDone: ({ status, spec }) =>
      status?.readyReplicas === spec.replicas && status.updatedReplicas === spec.replicas,
  },
);

export const reload = controlCommand(
  {
    description: "Send the signal of spec.reload to processes, so that they read their configuration again.",
    examples: [["fettle reload process/web", "send SIGHUP, or the signal of its spec"]],
  },
  {
    done: "reloaded",
    patchProcess: (now) => ({ metadata: { annotations: { [reloadedAt]: now } } }),
    patchSet: undefined,
  },
);
