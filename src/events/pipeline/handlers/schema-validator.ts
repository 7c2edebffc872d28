import { z } from "zod";
import { prepareEncoding, validateEvent } from "../../encode/http-message.js";
import { EventRejected } from "../../event-rejected.js";
import { EventTypes } from "../../types/event-types.js";
import { knownEventTypes } from "../../types/known-types.js";
import type { HandlerFactory } from "../pipeline-handler.js";
import { readOptions } from "./read-options.js";

const name = "SchemaValidator";
const schema = z.strictObject({
  /** Reject events whose type has no schema, except those about objects. */
  requireSchema: z.boolean().default(false),
});

/** Rejects events that are no valid CloudEvents, and those whose data violates the schema of their type. */
export const schemaValidator: HandlerFactory = (options, parts) => {
  const { requireSchema } = readOptions(name, schema, options);
  const types = new EventTypes([...knownEventTypes, ...(parts.types ?? [])]);
  return {
    name,
    start: prepareEncoding,
    async handle(event) {
      await validateEvent(event).catch((error: Error) => {
        throw new EventRejected(error.message, { cause: error });
      });
      const violation = types.violation(event);
      if (violation !== undefined) throw new EventRejected(violation);
      if (requireSchema && types.get(event.type) === undefined && event.objectuid === undefined) {
        throw new EventRejected(
          `there is no schema for events of type ${event.type}: register it with eventType()`,
        );
      }
    },
  };
};
