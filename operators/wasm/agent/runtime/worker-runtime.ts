import { MessageChannel, Worker, type MessagePort, type WorkerOptions } from "node:worker_threads";
import type { Clock } from "fettle/model";
import { maxKeyBytes, maxValueBytes, wasiWithoutDescriptors } from "../../module/abi.js";
import { pageBytes, withMemoryLimit } from "../../module/memory-limit.js";
import { describeEnd, failed, timeLimitEnd } from "./describe-end.js";
import { runModule, type RunOptions, type RunOutcome } from "./run-module.js";
import {
  stoppedEnd,
  type KeyValues,
  type Launch,
  type ModuleRun,
  type ModuleRuntime,
  type OutputLine,
  type RunEnd,
} from "./runtime.js";

type ThreadMessage =
  | { readonly type: "started" }
  | { readonly type: "print"; readonly line: OutputLine }
  | { readonly type: "end"; readonly outcome: RunOutcome }
  | ValueRequest;

/** The thread waits for the reply, and so a module cannot send requests faster than they are stored. */
type ValueRequest =
  | { readonly type: "getValue"; readonly key: string }
  | { readonly type: "setValue"; readonly key: string; readonly value: Uint8Array }
  | { readonly type: "deleteValue"; readonly key: string };

interface ThreadData {
  readonly options: RunOptions;
  readonly replies: MessagePort;
  /** 0 while the thread waits for a reply. */
  readonly signal: Int32Array;
}

interface Threads {
  readonly parentPort: { postMessage(message: unknown): void } | null;
  receiveMessageOnPort(port: MessagePort): { readonly message: unknown } | undefined;
  readonly workerData: unknown;
}

/** Program of a thread. Refers to nothing outside of itself: see `runModule`. */
function threadMain(threads: Threads, run: typeof runModule): void {
  const { options, replies, signal } = threads.workerData as ThreadData;
  const post = (message: ThreadMessage): void => threads.parentPort?.postMessage(message);
  const call = (request: ValueRequest): unknown => {
    Atomics.store(signal, 0, 0);
    post(request);
    Atomics.wait(signal, 0, 0);
    return threads.receiveMessageOnPort(replies)?.message;
  };
  const never = new Int32Array(new SharedArrayBuffer(4));
  const outcome = run(options, {
    started: () => post({ type: "started" }),
    print: (line) => post({ type: "print", line }),
    sleep: (milliseconds) => void Atomics.wait(never, 0, 0, milliseconds),
    getValue: (key) => call({ type: "getValue", key }) as Uint8Array | undefined,
    setValue: (key, value) => call({ type: "setValue", key, value }) as boolean,
    deleteValue: (key) => call({ type: "deleteValue", key }) as boolean,
  });
  post({ type: "end", outcome });
}

const threadSource = `"use strict";
(${threadMain.toString()})(require("node:worker_threads"), ${runModule.toString()});
`;

/** Options of the thread: no output of its own, no variables of the agent, and little memory besides that of the module. */
const threadOptions: WorkerOptions = {
  eval: true,
  name: "module",
  env: {},
  argv: [],
  execArgv: [],
  stdin: false,
  stdout: true,
  stderr: true,
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
};

/** Runs each module in a thread, which can be ended whatever the module does. */
export function workerRuntime(clock: Clock): ModuleRuntime {
  return { run: (launch) => new WorkerRun(launch, clock) };
}

class WorkerRun implements ModuleRun {
  readonly started: Promise<void>;
  readonly ended: Promise<RunEnd>;
  readonly #worker: Worker;
  /** First cause of the end; the run has ended when the thread has. */
  #end: RunEnd | undefined;

  constructor({ bytes, args, env, memoryLimit, timeLimit, values, print }: Launch, clock: Clock) {
    const { port1: replies, port2: threadReplies } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ThreadData = {
      options: {
        ...outputLimits,
        bytes: withMemoryLimit(bytes, Math.floor(memoryLimit / pageBytes)),
        args,
        env,
        wasiWithoutDescriptors,
        maxKeyBytes,
        maxValueBytes,
      },
      replies: threadReplies,
      signal,
    };
    const worker = new Worker(threadSource, { ...threadOptions, workerData, transferList: [threadReplies] });
    this.#worker = worker;
    const limit =
      timeLimit === undefined
        ? undefined
        : clock.after(timeLimit, () => void this.#terminate(timeLimitEnd(timeLimit)));
    this.started = new Promise((resolve) => {
      worker.on("message", (message: ThreadMessage) => {
        if (message.type === "started") resolve();
        else if (message.type === "print") print(message.line);
        else if (message.type === "end") this.#end ??= describeEnd(message.outcome, memoryLimit);
        else {
          replies.postMessage(answer(values, message));
          Atomics.store(signal, 0, 1);
          Atomics.notify(signal, 0);
        }
      });
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      this.#end ??=
        error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? failed("MemoryLimit", "The engine ran out of memory for the module.")
          : failed("Trap", `The thread of the module failed: ${error.message}`);
    });
    this.ended = new Promise((resolve) => {
      worker.once("exit", () => {
        limit?.cancel();
        replies.close();
        resolve(this.#end ?? failed("Trap", "The thread of the module ended without a result."));
      });
    });
  }

  async stop(): Promise<void> {
    await this.#terminate(stoppedEnd);
  }

  async #terminate(end: RunEnd): Promise<void> {
    this.#end ??= end;
    await this.#worker.terminate();
    await this.ended;
  }
}

/** Limits of the output, of which the agent keeps nothing. */
export const outputLimits = { maxLineBytes: 4096, linesPerSecond: 200 };

function answer(values: KeyValues, request: ValueRequest): Uint8Array | boolean | undefined {
  if (request.type === "getValue") return values.get(request.key);
  if (request.type === "setValue") return values.set(request.key, request.value);
  return values.delete(request.key);
}
