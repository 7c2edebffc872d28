import { formatBytes } from "../../module/inspect.js";
import type { RunOutcome } from "./run-module.js";
import type { RunEnd } from "./runtime.js";

/** Part of the limit above which a trap counts as a lack of memory. */
const nearlyAll = 0.9;

/**
 * Judges the end of a module.
 *
 * Engines do not report that `memory.grow` was refused: the module learns of it and usually gives up with the trap `unreachable`. A
 * trap counts as a lack of memory if the module said so on its standard error, or had used nearly all that it may use.
 */
export function describeEnd(outcome: RunOutcome, memoryLimit: number): RunEnd {
  if (outcome.type === "exit") {
    const { code } = outcome;
    if (code === 0) return { state: "Completed", exitCode: 0 };
    return {
      state: "Failed",
      exitCode: code,
      failure: { reason: "Exit", message: `The module exited with code ${code}.` },
    };
  }
  const { message, memoryBytes, reportedNoMemory } = outcome;
  const used = `${formatBytes(memoryBytes)} of ${formatBytes(memoryLimit)}`;
  if (reportedNoMemory || memoryBytes > memoryLimit * nearlyAll) {
    return failed(
      "MemoryLimit",
      `The module ran out of memory (${message}) with ${used}: raise spec.limits.memory.`,
    );
  }
  return failed("Trap", `The module trapped: ${message}. It used ${used} of memory.`);
}

export function failed(reason: NonNullable<RunEnd["failure"]>["reason"], message: string): RunEnd {
  return { state: "Failed", failure: { reason, message } };
}

export function timeLimitEnd(milliseconds: number): RunEnd {
  const text = `The module ran for longer than ${milliseconds / 1000} s: raise spec.limits.time.`;
  return failed("TimeLimit", text);
}
