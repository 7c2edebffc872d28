import type { Attempt } from "../driver.js";
import { exitText } from "../launch-check.js";

/** Sentence for people about the present state of an attempt that changed. */
export function changeText({ exit, process, state, stopReason, notified }: Attempt): string {
  const who = process === undefined ? "the process" : `pid ${process.pid}`;
  if (exit) return exitText(exit, process?.pid);
  if (state === "orphaned") return `the shim of ${who} is gone`;
  if (stopReason !== undefined) return `${who} is stopping`;
  if (notified) return `${who} is ready by its notify descriptor`;
  return state === "starting" ? `${who} is starting` : `${who} started`;
}
