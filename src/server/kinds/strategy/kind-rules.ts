import type { KubeObject } from "../../../model/core.js";
import type { Storage, Strategy, TableColumn } from "../../resources/resource-type.js";

/** What is known of a built-in kind beside its table. */
export interface KindRules {
  readonly columns: readonly TableColumn[];
  readonly strategy: Strategy;
  readonly selectableFields?: ReadonlyMap<string, (object: KubeObject) => string> | undefined;
  /** Where it is stored, if not as itself. */
  readonly storage?: Partial<Storage> | undefined;
}
