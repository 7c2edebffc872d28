import { inAnswers } from "./differences/answers.js";
import { inDefinitions } from "./differences/definitions.js";
import { inFailures } from "./differences/failures.js";
import type { Theme } from "./differences/kept.js";
import { inOwnership } from "./differences/ownership.js";
import { inTypes } from "./differences/types.js";
import { inWorkloads } from "./differences/workloads.js";

/**
 * Where Fettle answers otherwise than Kubernetes on purpose. Each difference is met by some case; one that is met by none
 * is a difference no more. docs/reference/differences.md is made from it.
 */
export const themes: readonly Theme[] = [
  inAnswers,
  inFailures,
  inOwnership,
  inDefinitions,
  inTypes,
  inWorkloads,
];
