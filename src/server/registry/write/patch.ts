import {
  ApiError,
  applyMergePatch,
  failures,
  fieldErrors,
  PatchError,
  type Json,
  type StructuralSchema,
} from "../../../model/core.js";
import { failureStatus } from "../../../model/errors/status.js";
import { jsonPatchSteps } from "../../../model/patch/json-patch.js";
import { applyStrategicMergePatch, patchSchemaOf } from "../../../model/patch/strategic-merge.js";
import { isJsonObject } from "../../../model/object/json.js";
import { apiVersionOf, type Draft } from "../../resources/resource-type.js";
import type { StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import type { PatchRequest, WriteResponse } from "../requests.js";
import { copyUnfrozen } from "./copy-json.js";
import { decodeObject, pruneAndDefault, runSteps, type NextStep, type ToError } from "./prune-and-default.js";
import { writeObject } from "./update.js";

/** JSON Patch, merge patch or strategic merge patch of an object. */
export function patch(context: RegistryContext, request: PatchRequest): Promise<WriteResponse> {
  return writeObject(context, request, {
    propose: (live, nextStep) => patchedObject(request, live, nextStep),
  });
}

async function patchedObject(request: PatchRequest, live: StoredObject, nextStep: NextStep): Promise<Draft> {
  const { type, body } = request;
  const object = withOwnKind(
    request,
    await applyPatch(live.object as unknown as Json, request, type.schema, nextStep),
  );
  if (nextStep !== undefined) await nextStep();
  // Parts that the patch does not change are canonical already, and stay shared.
  const canonical = live.isCanonical ? live.object : undefined;
  const source = canonical ? { object: copyUnfrozen(object), fresh: true } : { object };
  const draft = decodeObject(type, source, request);
  if (nextStep !== undefined) await nextStep();
  const toError = patchError(request, object);
  await pruneAndDefault(type, draft, body, request, { toError, canonical, nextStep });
  return draft;
}

/**
 * The patched object as one of its own kind, where Kubernetes ignores the kind that a patch names. Clients that read metadata only
 * name PartialObjectMetadata. A strategic merge patch works on a structure without kind, and a write through `status` of an
 * unstructured object takes nothing but the status.
 */
function withOwnKind({ type, subresource, patchType }: PatchRequest, patched: Json): Json {
  const isStatusOnly = subresource === "status" && type.capabilities.decoding === "unstructured";
  if ((!isStatusOnly && patchType !== "strategic") || !isJsonObject(patched)) return patched;
  return { ...patched, apiVersion: apiVersionOf(type), kind: type.kind };
}

/** Applies a patch of any type but `apply`. */
export async function applyPatch(
  live: Json,
  { patchType, body }: Pick<PatchRequest, "patchType" | "body">,
  schema: StructuralSchema,
  nextStep?: NextStep,
): Promise<Json> {
  try {
    if (patchType === "json") return await runSteps(jsonPatchSteps(live, body.object), nextStep);
    if (patchType === "strategic") return applyStrategicMergePatch(live, body.object, patchSchemaOf(schema));
    return applyMergePatch(live, body.object);
  } catch (error) {
    throw error instanceof PatchError ? patchFailure(error) : error;
  }
}

function patchFailure({ kind, message }: PatchError): ApiError {
  if (kind === "malformed") return failures.badRequest(message);
  if (kind === "limit") return failures.requestEntityTooLarge(message);
  const causes = [{ reason: "UnexpectedServerResponse", message }];
  const summary = "the server rejected our request due to an error in our request";
  return new ApiError(failureStatus("Invalid", summary, { causes }));
}

/** Reports a problem with the patched object as a problem of the patch. */
export function patchError({ patchType, body }: PatchRequest, patched: Json): ToError {
  return (problem) => {
    const value = JSON.stringify(patchType === "strategic" ? body.object : patched);
    return failures.invalid({ group: "", kind: "" }, "", [fieldErrors.invalid("patch", value, problem)]);
  };
}
