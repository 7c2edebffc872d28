import type { Client } from "../../client/client.js";
import { customResourceDefinition } from "../../model/schema/custom-resource-definition.js";
import type { Resource } from "../../model/schema/resource-types.js";
import type { Log } from "../../runtime/observe/log.js";

export async function registerDefinitions(
  client: Client,
  kinds: readonly Resource[],
  _options: { readonly log: Log },
): Promise<void> {
  for (const kind of kinds)
    await client.apply(customResourceDefinition(kind), { fieldManager: "fettle", force: true });
}
