import { failures } from "../../../model/core.js";
import { quote } from "../../../model/object/quote.js";
import { needsRunningPod } from "../../resources/subresources.js";
import type { RegistryContext } from "../context.js";
import { storeKey, resourceOf } from "../keys.js";
import type { ResourceRequest } from "../requests.js";
import { fromStore } from "../store-failures.js";

/**
 * Refuses a connection to a pod: its logs, a command in it, a port of it.
 *
 * @throws {ApiError} 404 when there is no such pod, else 400 with the reason.
 */
export async function refuseConnection(
  { store }: RegistryContext,
  request: ResourceRequest<unknown>,
): Promise<never> {
  const { type, name, subresource } = request;
  const entry = await fromStore(store.get(storeKey(type, request)));
  if (entry === undefined) throw failures.notFound(resourceOf(type), name);
  throw failures.badRequest(
    `no pods run here: ${quote(name)} is stored only, so ${needsRunningPod(subresource)}`,
  );
}
