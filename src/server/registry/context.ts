import type { Clock, Random } from "../../model/core.js";
import type { Store } from "../../store/index.js";
import type { ObjectCache } from "../resources/object-cache.js";
import type { ResourceTypes } from "../resources/resource-types.js";
import type { Namespaces } from "./namespaces.js";
import type { WriteQueue } from "./write/write-queue.js";

/** Parts that all verbs of the registry share. */
export interface RegistryContext {
  readonly store: Store;
  readonly types: ResourceTypes;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespaces: Namespaces;
  readonly objects: ObjectCache;
  readonly writes: WriteQueue;
  /** Largest object in bytes, as it is stored. */
  readonly maxObjectBytes: number;
  /** Most fields and list items of an object, as it is stored. */
  readonly maxObjectFields: number;
}
