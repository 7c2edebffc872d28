import { callListener } from "../../client/async/call-listener.js";
import type { ObjectRef } from "../../client/object-ref.js";

/** Events from outside of the API that trigger runs of controllers. Made by {@link triggers}. */
export interface TriggerSource {
  /**
   * Triggers a run of an object in every controller that has this source among its `triggers`. `fettle why` shows the reason. Has
   * no effect on a controller that is not at work, on objects that are not in its cache, and on objects of another process.
   */
  readonly send: (which: ObjectRef, reason: string) => void;
  /** Calls a listener with everything sent from now on; returns a function that ends this. */
  readonly subscribe: (listener: (which: ObjectRef, reason: string) => void) => () => void;
}

/**
 * Creates a source of triggers, for events that no watch reports: a process has exited, a device has connected.
 *
 * @example
 * const exits = triggers();
 * const processes = controller({ for: Process, triggers: [exits], reconcile });
 * child.once("exit", (code) => exits.send({ name, namespace }, `the process exited with code ${code}`));
 */
export function triggers(): TriggerSource {
  const listeners = new Set<(which: ObjectRef, reason: string) => void>();
  return {
    send(which, reason) {
      for (const listener of listeners) callListener("a trigger", () => listener(which, reason));
    },
    subscribe(listener) {
      // A function that is subscribed twice is called twice.
      const one = (which: ObjectRef, reason: string): void => listener(which, reason);
      listeners.add(one);
      return () => void listeners.delete(one);
    },
  };
}
