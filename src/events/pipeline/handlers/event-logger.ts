import { z } from "zod";
import { eventDocument } from "../../../model/cloud-events/cloud-event.js";
import type { HandlerFactory } from "../pipeline-handler.js";
import { readOptions } from "./read-options.js";

const name = "EventLogger";
const schema = z.strictObject({
  level: z.enum(["debug", "info", "warn", "error"]).default("info"),
  /** Log the data too, and not only the attributes. */
  data: z.boolean().default(false),
});

/** Writes a line to the log for every event. */
export const eventLogger: HandlerFactory = (options, { log }) => {
  const { level, data: withData } = readOptions(name, schema, options);
  return {
    name,
    handle(event) {
      if (log.isLevelEnabled?.(level) === false) return;
      const { type, data, ...rest } = eventDocument(event);
      log[level]({ event: { type, ...rest, ...(withData && { data }) } }, type);
    },
  };
};
