import type { KubeObject } from "../../model/core.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import type { RunFacts } from "../observe/observer.js";
import type { Trigger } from "../runs/run.js";

/**
 * Event of a reconciler, with the object that it is about, the controller, and the event that caused the run. Attributes that the reconciler
 * has set stay.
 */
export function describeEmitted(
  event: EventInput,
  { controller, kind, key }: RunFacts,
  object: KubeObject | undefined,
  triggers: readonly Trigger[],
): EventInput {
  let cause: Trigger["event"];
  for (const trigger of triggers) {
    if (trigger.event !== undefined && (cause === undefined || trigger.event.hops > cause.hops))
      cause = trigger.event;
  }
  const { namespace, name, uid } = object?.metadata ?? {};
  return {
    controller,
    ...(object !== undefined && {
      subject: `${kind}/${key}`,
      objectapiversion: object.apiVersion,
      objectkind: object.kind,
      objectnamespace: namespace,
      objectname: name,
      objectuid: uid,
    }),
    ...(cause !== undefined && { cause: cause.id, hops: cause.hops + 1 }),
    ...event,
  };
}
