import type { Client } from "../../client/client.js";
import type { Clock } from "../../model/core.js";
import type { Controllers } from "../../runtime/start-controllers.js";
import type { Extension } from "../../server/index.js";
import type { Store } from "../../store/index.js";
import { managementPath } from "./contract.js";

export interface ManagementOptions {
  /** The controllers and a client, as soon as they are there. */
  readonly parts: () => { readonly controllers?: Controllers; readonly client?: Client };
  readonly store: Store;
  readonly clock: Clock;
}

/** Serves what a control plane has to tell besides its objects; {@link managementPath} has the contract. */
export function management(_options: ManagementOptions): Extension {
  return { path: managementPath, serve: async () => undefined };
}
