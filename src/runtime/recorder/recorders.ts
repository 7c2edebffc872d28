import type { Client } from "../../client/client.js";
import type { Clock, Random } from "../../model/core.js";
import type { Log } from "../log/log.js";
import { eventRecorder, type EventRecorder } from "./event-recorder.js";

interface RecordersOptions {
  readonly clientFor: (component: string) => Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** One event recorder per controller, which its events name as their component. */
export class Recorders {
  readonly #recorders = new Map<string, EventRecorder>();
  readonly #options: RecordersOptions;

  constructor(options: RecordersOptions) {
    this.#options = options;
  }

  get(component: string): EventRecorder {
    let recorder = this.#recorders.get(component);
    if (recorder === undefined) {
      const { log, clientFor, ...options } = this.#options;
      recorder = eventRecorder({
        ...options,
        client: clientFor(component),
        component,
        onError: (error, { object, reason, run }) => {
          const facts = { controller: component, object, ...(run !== undefined && { run }) };
          log.warn({ ...facts, reason, err: error }, "an event could not be written");
        },
      });
      this.#recorders.set(component, recorder);
    }
    return recorder;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#recorders.values()].map((each) => each.close()));
  }
}
