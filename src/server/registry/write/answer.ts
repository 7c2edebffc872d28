import { mutate, validate } from "../../admission/admission.js";
import { PlainObject, type ObjectResponse } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import type { WriteRequest } from "../requests.js";
import { admissionRequest } from "./create.js";
import { decodeObject, pruneAndDefault } from "./prune-and-default.js";
import { recordOwnership } from "./record-ownership.js";

/** Answers a question: a create of a kind that is not stored. */
export async function answer(context: RegistryContext, request: WriteRequest): Promise<ObjectResponse> {
  const { type, namespace, body, user, admission } = request;
  const draft = decodeObject(type, body, { namespace });
  pruneAndDefault(type, draft, body, request);
  if (admission.length > 0) await mutate(admission, admissionRequest("create", request, draft, undefined));
  recordOwnership(context, request, draft, undefined);
  await type.answer?.(draft, { user, now: context.clock.now() });
  if (admission.length > 0) await validate(admission, admissionRequest("create", request, draft, undefined));
  type.rules.applyDefaults(draft);
  return new PlainObject(draft);
}
