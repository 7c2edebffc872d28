import { Session } from "node:inspector/promises";
import { setTimeout as pause } from "node:timers/promises";
import { conflict } from "./asked.js";

/** A process has one profiler. */
let isRunning = false;

/**
 * Watches what the processor is busy with for a while; what is returned is a `.cpuprofile` that Chrome and VS Code open.
 *
 * @throws {ApiError} 409 at once when somebody else is at it.
 */
export function cpuProfile(milliseconds: number, signal: AbortSignal): Promise<string> {
  if (isRunning)
    throw conflict(
      "a profile is being taken already, and there can be one at a time: try again when it is done",
    );
  isRunning = true;
  return take(milliseconds, signal).finally(() => (isRunning = false));
}

async function take(milliseconds: number, signal: AbortSignal): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await pause(milliseconds, undefined, { signal });
    const { profile } = await session.post("Profiler.stop");
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}
