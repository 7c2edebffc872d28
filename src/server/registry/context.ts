import type { Clock, Random } from "../../model/core.js";
import type { Store } from "../../store/index.js";
import type { ResourceTypes } from "../resources/resource-types.js";
import type { Namespaces } from "./namespaces.js";

/** What all verbs work with. */
export interface Context {
  readonly store: Store;
  readonly types: ResourceTypes;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespaces: Namespaces;
}
