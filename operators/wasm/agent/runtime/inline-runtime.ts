import { maxKeyBytes, maxValueBytes, wasiWithoutDescriptors } from "../../module/abi.js";
import { pageBytes, withMemoryLimit } from "../../module/memory-limit.js";
import { describeEnd } from "./describe-end.js";
import { runModule } from "./run-module.js";
import { stoppedEnd, type Launch, type ModuleRun, type ModuleRuntime, type RunEnd } from "./runtime.js";
import { outputLimits } from "./worker-runtime.js";

/**
 * Runs modules in the thread of the caller, for simulations of many devices. There is no time limit, and an endless loop blocks the
 * process. A module that sleeps is not continued: it counts as running until it is stopped.
 */
export const inlineRuntime: ModuleRuntime = { run };

const suspension = Symbol("suspension");

function run({ bytes, args, env, memoryLimit, values, print }: Launch): ModuleRun {
  let finish: (end: RunEnd) => void = () => undefined;
  let start: () => void = () => undefined;
  const ended = new Promise<RunEnd>((resolve) => (finish = resolve));
  const started = new Promise<void>((resolve) => (start = resolve));
  const limited = withMemoryLimit(bytes, Math.floor(memoryLimit / pageBytes));
  try {
    const outcome = runModule(
      { ...outputLimits, bytes: limited, args, env, wasiWithoutDescriptors, maxKeyBytes, maxValueBytes },
      {
        started: start,
        print,
        suspension,
        sleep() {
          // oxlint-disable-next-line typescript/only-throw-error -- no error: it only leaves the module
          throw suspension;
        },
        getValue: (key) => values.get(key),
        setValue: (key, value) => values.set(key, value),
        deleteValue: (key) => values.delete(key),
      },
    );
    finish(describeEnd(outcome, memoryLimit));
  } catch (error) {
    if (error !== suspension) throw error;
  }
  return {
    started,
    ended,
    async stop() {
      finish(stoppedEnd);
      await ended;
    },
  };
}
