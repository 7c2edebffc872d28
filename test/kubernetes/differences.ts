import { responses } from "./differences/responses.js";
import { definitions } from "./differences/definitions.js";
import { errors } from "./differences/errors.js";
import type { Theme } from "./differences/known-difference.js";
import { fieldOwnership } from "./differences/ownership.js";
import { types } from "./differences/types.js";
import { builtInKinds } from "./differences/built-in-kinds.js";

/**
 * Differences from Kubernetes that are on purpose. Each must come up in some case, or it is outdated.
 * docs/reference/differences.md is generated from them.
 */
export const themes: readonly Theme[] = [responses, errors, fieldOwnership, definitions, types, builtInKinds];
