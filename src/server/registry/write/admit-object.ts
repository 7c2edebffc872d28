import { ApiError, type KubeObject } from "../../../model/core.js";
import { internal } from "../../../model/errors/api-error.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../admission/admission.js";
import type { Draft } from "../../resources/resource-type.js";
import type { ResourceRequest, ServerWriteOptions } from "../requests.js";
import { copyJson } from "./copy-json.js";
import { decodeObject, pruneAndDefault, type NextStep } from "./prune-and-default.js";
import type { WriteTurn } from "./write-queue.js";

/** State of a write that runs plugins. */
interface AdmittedWrite {
  /** Stored object. */
  readonly old?: KubeObject | undefined;
  readonly nextStep?: NextStep;
  /** Left while a plugin waits, since it may write the same object. */
  readonly turn?: WriteTurn | undefined;
}

type Operation = AdmissionRequest["operation"];
type Request = ResourceRequest<{ readonly dryRun?: boolean | undefined }>;

/**
 * Runs the mutating part of all plugins, in order. Each gets a copy, since parts of a draft may be shared with the stored object and
 * with other attempts of the same write.
 *
 * @returns the object as the plugins leave it, decoded, pruned and defaulted again.
 */
export async function mutate(
  operation: Operation,
  request: ResourceRequest<ServerWriteOptions>,
  draft: Draft,
  { old, nextStep, turn }: AdmittedWrite = {},
): Promise<Draft> {
  let object = draft;
  for (const plugin of request.admission) {
    if (plugin.mutate === undefined) continue;
    if (nextStep !== undefined) await nextStep();
    const copy = copyJson(object);
    const mutation = plugin.mutate({ ...admissionRequest(operation, request, copy, old), object: copy });
    await pluginDone(mutation, turn);
    object = await checkMutated(plugin, request, copy, nextStep);
  }
  return object;
}

/** Runs the validating part of all plugins, in order, on the object that is about to be committed. */
export async function validate(
  operation: Operation,
  request: Request,
  object: Draft | undefined,
  { old, turn }: AdmittedWrite = {},
): Promise<void> {
  for (const plugin of request.admission) {
    await pluginDone(plugin.validate?.(admissionRequest(operation, request, object, old)), turn);
  }
}

function pluginDone(work: void | Promise<void>, turn: WriteTurn | undefined): void | Promise<void> {
  return turn !== undefined && work instanceof Promise ? turn.leave(work) : work;
}

/** Holds a plugin to the rules of a request body: the kind and address of the request, known fields, their types. */
async function checkMutated(
  { name: plugin }: AdmissionPlugin,
  { type, namespace, name, warn }: ResourceRequest<ServerWriteOptions>,
  mutated: Draft,
  nextStep: NextStep,
): Promise<Draft> {
  try {
    const object = decodeObject(type, { object: mutated }, { namespace, name: name || undefined });
    if (nextStep !== undefined) await nextStep();
    await pruneAndDefault(type, object, {}, { options: { fieldValidation: "Ignore" }, warn }, { nextStep });
    return object;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw internal(new Error(`admission plugin ${plugin} made the object invalid: ${error.message}`));
  }
}

function admissionRequest(
  operation: Operation,
  { user, type, namespace, name, subresource, options, warn = () => {} }: Request,
  object: Draft | undefined,
  old: KubeObject | undefined,
): AdmissionRequest {
  const created = object?.metadata["name"] as string | undefined;
  return {
    operation,
    user,
    type,
    key: { namespace, name: name || created || "" },
    subresource,
    object,
    old,
    dryRun: options.dryRun ?? false,
    warn,
  };
}
