import { chooseByAnnotations } from "./annotation-strategy.js";
import { batched, chooseStrategy, immediate, scheduled } from "../queue/strategy.js";

/**
 * Values of the option `strategy` of a controller: when changes are acted upon.
 *
 * @example
 * strategy: strategies.batched({ size: 100, timeout: "5s" })
 */
export const strategies = {
  immediate,
  batched,
  scheduled,
  choose: chooseStrategy,
  byAnnotations: chooseByAnnotations,
} as const;
