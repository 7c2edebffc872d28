import { schedule } from "fettle";
import type { Log, Schedule } from "fettle/runtime";
import { DriverError, type DriverEntry, type ProcessDriver, type StopReason } from "./driver/driver.js";
import { Process } from "./kinds.js";

/** Milliseconds until a process is killed that was left over. */
const grace = 10_000;

/**
 * Stops and removes processes whose objects no longer exist: somebody removed the finalizer, or the namespace was removed by force.
 * The object is read from the API, not from a cache, before anything is stopped.
 */
export function orphans({ driver, log }: { readonly driver: ProcessDriver; readonly log: Log }): Schedule {
  return schedule({
    name: "process-orphans",
    every: "5m",
    over: () => driver.list(),
    async each(entry: DriverEntry, { client }) {
      const { uid, namespace, name } = entry;
      const found = await client.find(Process, { namespace, name });
      if (found?.metadata.uid === uid) return "unchanged";
      log.warn({ uid }, `process ${namespace}/${name} was deleted without its cleanup: it is stopped`);
      if (await stopAttempts(driver, uid, "Deleted")) return "unchanged"; // removed by a later pass
      await driver.remove(uid);
      return "cleaned";
    },
    onError: (error) => log.warn({ err: error }, "a process without an object could not be removed"),
  });
}

/** Logs how many processes keep running. */
export async function reportRunning(driver: ProcessDriver, log: Log): Promise<void> {
  let running = 0;
  for (const { uid } of await driver.list()) {
    if ((await driver.inspect(uid)).some(({ exit }) => exit === undefined)) running++;
  }
  if (running > 0) log.info({ running }, `${running} processes keep running, and the next start adopts them`);
}

/** Stops all processes, and waits until they have ended. */
export async function stopAll(driver: ProcessDriver, log: Log): Promise<void> {
  const entries = await driver.list();
  let changed = (): void => {};
  using _ = driver.subscribe(() => changed());
  const poll = setInterval(() => changed(), 1000);
  try {
    for (;;) {
      const change = new Promise<void>((resolve) => (changed = resolve));
      const stopping = await Promise.all(entries.map(({ uid }) => stopAttempts(driver, uid, "Suspended")));
      if (!stopping.includes(true)) return;
      await change;
    }
  } catch (error) {
    log.warn({ err: error }, "not all processes could be stopped");
  } finally {
    clearInterval(poll);
  }
}

/** Asks the running attempts to stop; returns true if there were any. */
async function stopAttempts(driver: ProcessDriver, uid: string, reason: StopReason): Promise<boolean> {
  const running = (await driver.inspect(uid)).filter(({ exit }) => exit === undefined);
  for (const { number, stopReason } of running) {
    if (stopReason !== undefined) continue;
    try {
      await driver.stop(uid, number, { reason, signal: "SIGTERM", grace });
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
    }
  }
  return running.length > 0;
}
