import { PlainObject, type ObjectResponse } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import type { WriteRequest } from "../requests.js";
import { mutate, validate } from "./admit-object.js";
import { decodeObject, pruneAndDefault } from "./prune-and-default.js";
import { recordOwnership } from "./record-ownership.js";

/** Answers a question: a create of a kind that is not stored. */
export async function answer(context: RegistryContext, request: WriteRequest): Promise<ObjectResponse> {
  const { type, namespace, body, user } = request;
  const question = decodeObject(type, body, { namespace });
  await pruneAndDefault(type, question, body, request);
  const draft = await mutate("create", request, question);
  recordOwnership(context, request, draft, undefined);
  await type.answer?.(draft, { user, now: context.clock.now() });
  await validate("create", request, draft);
  type.rules.applyDefaults(draft);
  return new PlainObject(draft);
}
