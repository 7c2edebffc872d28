import type { ControllerHandle } from "../../../runtime/loop/controller-handle.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import { notFoundError } from "../parameters.js";
import type { ControllerList, ControllerState, DeadList } from "../contract.js";

export function controllerList(controllers: Controllers): ControllerList {
  return {
    leader: controllers.isLeader,
    controllers: controllers.all.map(controllerState),
    findings: controllers.findings(),
  };
}

export function controllerState(handle: ControllerHandle): ControllerState {
  const { apiVersion, kind, plural, scope } = handle.controller.options.for;
  const queue = handle.loop?.queue;
  return {
    name: handle.name,
    apiVersion,
    kind,
    plural,
    scope,
    atWork: handle.loop?.isStarted ?? false,
    paused: handle.isPaused(),
    pausedObjects: handle.pausedKeys(),
    concurrency: handle.concurrency,
    queue: {
      ready: queue?.depth ?? 0,
      running: queue?.running ?? 0,
      delayed: queue?.delayed ?? 0,
      dead: queue?.dead().length ?? 0,
    },
  };
}

/** @throws {ApiError} 404 */
export function controllerNamed(controllers: Controllers, name: string): ControllerHandle {
  const found = controllers.all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = controllers.all.map((each) => each.name).join(", ");
  throw notFoundError(
    `there is no controller ${JSON.stringify(name)}; the controllers are: ${names || "none"}`,
  );
}

export function deadList(controllers: Controllers): DeadList {
  const letters = controllers.all.flatMap((handle) =>
    handle.dead().map(({ key, failures, at, reasons }) => ({
      controller: handle.name,
      kind: handle.controller.options.for.kind,
      key,
      failures,
      at,
      reason: reasons.at(-1)?.text ?? "",
    })),
  );
  return { letters: letters.sort((a, b) => a.at - b.at) };
}
