import type { Informers } from "../../client/informer/informers.js";
import type { Health } from "../health/health.js";
import type { WorkOwnership } from "../lease/work-ownership.js";
import { messageOf } from "../log/message-of.js";

interface CheckedParts {
  readonly informers: Informers;
  /** Why the controllers could not be started; undefined while they could. */
  readonly failure: () => unknown;
  /** The ownership and the name of its check; undefined for a process that works alone. */
  readonly ownership: { readonly name: string; readonly of: WorkOwnership } | undefined;
}

/** Adds the checks of running controllers to the health of the process. */
export function addHealthChecks(health: Health, { informers, failure, ownership }: CheckedParts): void {
  // Starting is not tried again after it failed, so the process should be restarted: that is liveness.
  health.check(
    "controllers",
    () => {
      const error = failure();
      return error === undefined || { ok: false, message: messageOf(error) };
    },
    { probes: ["liveness", "readiness"] },
  );
  health.check("informers", () => {
    const waiting = informers.states().filter(({ synced }) => !synced);
    if (waiting.length === 0) return true;
    const kinds = waiting.map(({ kind }) => kind.kind).join(", ");
    return { ok: false, message: `waiting for the first list of ${kinds}` };
  });
  if (ownership !== undefined) health.check(ownership.name, () => ownership.of.health());
}
