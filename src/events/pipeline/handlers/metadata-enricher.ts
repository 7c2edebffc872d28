import { hostname } from "node:os";
import { z } from "zod";
import { formatTime } from "../../../model/core.js";
import type { HandlerFactory } from "../pipeline-handler.js";
import { readOptions } from "./read-options.js";

const name = "MetadataEnricher";

/** Adds extension attributes: `host`, `planeversion` and `receivedtime`, unless the event has them. */
export const metadataEnricher: HandlerFactory = (options, { clock, version, host = hostname() }) => {
  readOptions(name, z.strictObject({}), options);
  return {
    name,
    handle: (event) => ({
      host,
      ...(version !== undefined && { planeversion: version }),
      receivedtime: formatTime(clock.now()),
      ...event,
    }),
  };
};
