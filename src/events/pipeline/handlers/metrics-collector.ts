import { z } from "zod";
import type { HandlerFactory } from "../pipeline-handler.js";
import { readOptions } from "./read-options.js";

const name = "MetricsCollector";

/** Counts events and measures the time that the pipeline took, also for those that other handlers rejected. */
export const metricsCollector: HandlerFactory = (options, { metrics }) => {
  readOptions(name, z.strictObject({}), options);
  return {
    name,
    handle() {},
    settled: (report) => metrics.add(report),
  };
};
