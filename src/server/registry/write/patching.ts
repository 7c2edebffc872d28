import {
  ApiError,
  applyJsonPatch,
  applyMergePatch,
  failures,
  fieldErrors,
  PatchError,
  type Json,
  type StructuralSchema,
} from "../../../model/core.js";
import { failure } from "../../../model/errors/status.js";
import { applyStrategicMergePatch, patchSchemaOf } from "../../../model/patch/strategic-merge.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import type { StoredObject } from "../../resources/stored-object.js";
import type { Patch, Target, WriteOptions } from "../requests.js";
import { copyOfLoose } from "./copy.js";
import { objectIn, tidy, type Refuse } from "./incoming.js";

/** What a patch makes of an object: pruned, defaulted, and free to be changed. */
export function patched(
  type: ResourceType,
  target: Target,
  live: StoredObject,
  patch: Patch,
  options: WriteOptions,
): Draft {
  const object = applied(live.object as unknown as Json, patch, type.schema);
  const refuse = refusing(patch, object);
  // What the patch leaves alone is in order already, and stays shared.
  const body = live.isTidy ? { object: copyOfLoose(object), fresh: true } : { object };
  const draft = objectIn(type, body, target);
  tidy(type, draft, patch.body, options, { refuse, known: live.isTidy ? live.object : undefined });
  return draft;
}

/** What a patch that is no apply makes of a value. */
export function applied(live: Json, { type: kind, body }: Patch, schema: StructuralSchema): Json {
  try {
    if (kind === "json") return applyJsonPatch(live, body.object);
    if (kind === "strategic") return applyStrategicMergePatch(live, body.object, patchSchemaOf(schema));
    return applyMergePatch(live, body.object);
  } catch (error) {
    throw error instanceof PatchError ? patchFailure(error) : error;
  }
}

function patchFailure({ kind, message }: PatchError): ApiError {
  if (kind === "malformed") return failures.badRequest(message);
  if (kind === "limit") return failures.requestEntityTooLarge(message);
  const causes = [{ reason: "UnexpectedServerResponse", message }];
  const said = "the server rejected our request due to an error in our request";
  return new ApiError(failure("Invalid", said, { causes }));
}

/** What is wrong with the outcome of a patch is wrong with the patch. */
export function refusing({ type, body }: Patch, outcome: Json): Refuse {
  return (problem) => {
    const shown = JSON.stringify(type === "strategic" ? body.object : outcome);
    return failures.invalid({ group: "", kind: "" }, "", [fieldErrors.invalid("patch", shown, problem)]);
  };
}
