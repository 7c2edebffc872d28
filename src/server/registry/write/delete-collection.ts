import { isConflict, isNotFound } from "../../../model/core.js";
import { pauseIfExpensive } from "../../event-loop/turns.js";
import type { ObjectResponse } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { list } from "../read/listing.js";
import type {
  DeleteCollectionOptions,
  DeleteCollectionResponse,
  ServerDeleteOptions,
  ListEnd,
  ResourceRequest,
} from "../requests.js";
import { deleteObject } from "./delete.js";

/** Objects that are deleted concurrently. */
const concurrency = 32;

/** Deletes what a list contains, batch by batch. Stops at the first failure, and when the client disconnects. */
export async function deleteCollection(
  context: RegistryContext,
  request: ResourceRequest<DeleteCollectionOptions>,
): Promise<DeleteCollectionResponse> {
  const { selection, deletion } = request.options;
  const listed = await list(context, { ...request, options: selection, streams: true });
  const deleteOne: ResourceRequest<ServerDeleteOptions> = { ...request, options: deletion };
  const { rest, items, ...meta } = listed;
  await deleteAll(context, deleteOne, items);
  if (rest === undefined) return { ...meta, items, isPartial: false };
  let end: ListEnd;
  try {
    for (;;) {
      const { done, value } = await rest.next();
      if (done) {
        end = value;
        break;
      }
      await deleteAll(context, deleteOne, value);
    }
  } finally {
    await rest.return({});
  }
  return { ...meta, ...end, items: [], isPartial: true };
}

async function deleteAll(
  context: RegistryContext,
  request: ResourceRequest<ServerDeleteOptions>,
  objects: readonly ObjectResponse[],
): Promise<void> {
  const left = objects.values();
  let failed = false;
  const work = async (): Promise<void> => {
    for (const listed of left) {
      if (failed) return;
      try {
        request.signal?.throwIfAborted();
        await pauseIfExpensive(request.user.name, listed.size);
        await deleteListed(context, request, listed.object.metadata);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, objects.length) }, work);
  // Wait for all deletes before going on, also after a failure.
  const outcomes = await Promise.allSettled(workers);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** Deletes a listed object, but not a new one with the same name. */
async function deleteListed(
  context: RegistryContext,
  request: ResourceRequest<ServerDeleteOptions>,
  { name = "", namespace, uid }: ObjectResponse["object"]["metadata"],
): Promise<void> {
  const { preconditions } = request.options;
  const options = { ...request.options, preconditions: preconditions ?? { uid } };
  try {
    await deleteObject(context, { ...request, namespace, name, options });
  } catch (error) {
    const isReplaced = preconditions === undefined && isConflict(error);
    if (!isReplaced && !isNotFound(error)) throw error;
  }
}
