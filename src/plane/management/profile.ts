import { Session } from "node:inspector/promises";
import { setTimeout as pause } from "node:timers/promises";
import { managementConflict } from "./parameters.js";

/** Only one profile can be taken at a time in a process. */
let isRunning = false;

/**
 * Takes a CPU profile of this process. Returns the text of a `.cpuprofile` file, for Chrome or VS Code.
 *
 * @throws {ApiError} 409 when a profile is being taken already.
 */
export function cpuProfile(milliseconds: number, signal: AbortSignal): Promise<string> {
  if (isRunning)
    throw managementConflict(
      "another profile is being taken, and there can be one at a time: try again when it is done",
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
