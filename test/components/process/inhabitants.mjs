// @ts-check
/**
 * Processes whose current folder is in a given folder. Programs may move children out of their process group, but
 * hardly ever out of their folder. Works on Linux only; elsewhere it finds none.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Result of a read; undefined when the object no longer exists. @template T @param {() => T} look */
export function attempt(look) {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** @param {string} dir */
function inhabitants(dir) {
  const pids = (attempt(() => readdirSync("/proc")) ?? []).filter((entry) => /^\d+$/.test(entry));
  return pids.filter((pid) => attempt(() => `${readlinkSync(`/proc/${pid}/cwd`)}/`)?.startsWith(`${dir}/`));
}

/** @param {string} pid */
function isFrozen(pid) {
  return attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"))?.includes(") T ") ?? false;
}

/**
 * Signals the processes of a folder, and those started meanwhile, until all are stopped, continued or dead, as the
 * signal demands. Gives up on processes that the kernel holds.
 *
 * @param {string} dir @param {"SIGSTOP" | "SIGCONT" | "SIGKILL"} signal
 */
export async function signalInhabitants(dir, signal) {
  for (let turn = 0; turn < 500; turn++) {
    const left = inhabitants(dir).filter(
      (pid) => signal === "SIGKILL" || isFrozen(pid) !== (signal === "SIGSTOP"),
    );
    if (left.length === 0) return;
    for (const pid of left) attempt(() => process.kill(Number(pid), signal));
    await sleep(10);
  }
}
