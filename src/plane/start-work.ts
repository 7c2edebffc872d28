import { systemClock, type Clock, type Random } from "../model/core.js";
import type { Resource } from "../model/resource/resource-types.js";
import type { Controller } from "../runtime/controller/controller.js";
import type { Log } from "../runtime/log/log.js";
import {
  startControllers,
  type Controllers,
  type ControllersOptions,
} from "../runtime/start/start-controllers.js";
import { kindsOf } from "./definitions/kinds-of.js";
import { registerDefinitions, type RegisterOptions } from "./definitions/register-definitions.js";
import { fileRunStore, type RunFilesOptions } from "./runs/file-run-store.js";
import { applyPauses, followPauses, readPauses } from "./pauses/pauses.js";
import type { OnStop } from "./start-parts.js";

/** Options that `controlPlane()` and `operator()` have in common. */
export interface WorkOptions extends Pick<
  ControllersOptions,
  "schedules" | "metrics" | "traces" | "detectors" | "observer" | "breakers" | "grace"
> {
  readonly controllers?: readonly Controller[] | undefined;
  /** Kinds to register besides those that the controllers reconcile, own or watch. */
  readonly kinds?: readonly Resource[] | undefined;
  /** Registers definitions even if stored objects violate the new schema, or another field manager owns the definition. */
  readonly forceDefinitions?: boolean | undefined;
  /** Record of runs on disk. Without a folder, the last runs are kept in memory. */
  readonly runs?: Partial<Pick<RunFilesOptions, "folder" | "maxAge" | "maxSize">> | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Destination of log lines, such as `createLog()`. Default: none. */
  readonly log?: Log | undefined;
}

interface StartWorkOptions
  extends
    Omit<ControllersOptions, "runs">,
    Pick<WorkOptions, "kinds" | "runs" | "forceDefinitions">,
    Pick<RegisterOptions, "signal"> {
  readonly log: Log;
  /** Registers kinds first. */
  readonly register: boolean;
}

/** Registers the kinds of controllers and starts the controllers. */
export async function startWork(
  { client, kinds, runs = {}, register, forceDefinitions: force, signal, ...options }: StartWorkOptions,
  onStop: OnStop,
): Promise<Controllers> {
  const { controllers, clock = systemClock, log } = options;
  if (register) {
    const whenGone = registerLater(log, onStop);
    await registerDefinitions(client, kindsOf(controllers, kinds), { log, clock, force, signal, whenGone });
  }
  const { folder } = runs;
  const files = folder === undefined ? undefined : fileRunStore({ ...runs, folder, clock, log });
  if (files !== undefined) onStop(() => files.close());
  const pauses = await readPauses(client, log);
  const running = startControllers({ ...options, client, runs: files });
  onStop(() => running.stop());
  if (pauses !== undefined) {
    // Before the first turn of the event loop, so that no paused object is reconciled.
    applyPauses(running.all, pauses);
    const following = new AbortController();
    const ended = followPauses(client, running.all, { clock, signal: following.signal });
    onStop(() => {
      following.abort();
      return ended;
    });
  }
  return running;
}

/** Registers kinds again whose old definitions are still being deleted, as soon as that is done. */
function registerLater(log: Log, onStop: OnStop): RegisterOptions["whenGone"] {
  const stopping = new AbortController();
  const pending: Promise<void>[] = [];
  onStop(async () => {
    stopping.abort();
    await Promise.all(pending);
  });
  return (register) => {
    const registered = register(stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) log.error({ err: error }, "a definition was not registered again");
    });
    pending.push(registered);
  };
}
