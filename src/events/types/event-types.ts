import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { EventTypeDefinition } from "./event-type.js";

/** Event types by name. */
export class EventTypes implements Iterable<EventTypeDefinition> {
  readonly #types = new Map<string, EventTypeDefinition>();

  /** @throws {Error} if two of the types have the same name. */
  constructor(types: Iterable<EventTypeDefinition> = []) {
    for (const type of types) this.add(type);
  }

  /** Adds a type. */
  add(type: EventTypeDefinition): void {
    const known = this.#types.get(type.type);
    if (known === type) return;
    if (known !== undefined) {
      throw new Error(`there are two schemas for events of type ${type.type}: register it once`);
    }
    this.#types.set(type.type, type);
  }

  get(type: string): EventTypeDefinition | undefined {
    return this.#types.get(type);
  }

  /** First violation of the schema of an event's type; undefined if there is none, or the type is not registered. */
  violation(event: CloudEvent): string | undefined {
    const result = this.#types.get(event.type)?.schema.safeParse(event.data);
    if (result === undefined || result.success) return undefined;
    const [issue] = result.error.issues;
    const path = ["data", ...(issue?.path ?? [])].map(String).join(".");
    return `${path}: ${issue?.message ?? "is invalid"}`;
  }

  [Symbol.iterator](): Iterator<EventTypeDefinition> {
    return this.#types.values();
  }
}
