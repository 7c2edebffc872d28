import type { ControllerHandle } from "../../../runtime/loop/controller-handle.js";
import { describeTrigger } from "../../../runtime/runs/describe.js";
import type { QueuedObject, QueueList } from "../contract.js";

interface QueueSelection {
  /** Only this object: `namespace/name`. */
  readonly key?: string | undefined;
  /** Only objects whose last run failed. */
  readonly isFailed?: boolean | undefined;
  readonly limit: number;
}

/** Objects in the queues of controllers. */
export function queueList(
  handles: readonly ControllerHandle[],
  { key, isFailed = false, limit }: QueueSelection,
): QueueList {
  const objects = handles
    .flatMap((handle) => queuedObjects(handle, key))
    .filter((each) => !isFailed || each.failures > 0)
    .sort((one, other) => (one.due ?? Infinity) - (other.due ?? Infinity) || 0);
  return { objects: objects.slice(0, limit), more: objects.length > limit };
}

function queuedObjects(
  { name, controller, loop }: ControllerHandle,
  only: string | undefined,
): readonly QueuedObject[] {
  const one = only === undefined ? undefined : loop?.queue.inspect(only);
  const queued = only === undefined ? (loop?.queue.snapshot() ?? []) : one === undefined ? [] : [one];
  return queued.map(({ key, state, priority, failures, due, reasons, hold }) => {
    const reason = reasons.at(-1);
    return {
      controller: name,
      kind: controller.options.for.kind,
      key,
      state,
      priority,
      failures,
      due: Number.isFinite(due) ? due : undefined,
      hold,
      reason: reason === undefined ? "" : describeTrigger(reason),
    };
  });
}
