// @ts-check
/**
 * Who works in a folder: every process whose current folder is in it. Programs move children out of their
 * process group, but hardly ever out of the folder they were started in. Only Linux tells; elsewhere nobody.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** What a look finds; undefined when its object is gone by then. @template T @param {() => T} look */
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
 * Signals the inhabitants, and those who come along meanwhile, until each is as the signal should make it:
 * frozen, going on, or gone. Gives up on what the system itself holds on to.
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
