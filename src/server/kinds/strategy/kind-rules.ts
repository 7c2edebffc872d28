import type { KubeObject } from "../../../model/core.js";
import { nameIsDns1123Subdomain } from "../../../model/object/names.js";
import { normalStruct } from "../typed/normalize.js";
import { findKind } from "../types.js";
import type { Draft, ScalePaths, Storage, Strategy, TableColumn } from "../../resources/resource-type.js";

/** What is known of a built-in kind beside its table. */
export interface KindRules {
  readonly columns: readonly TableColumn[];
  readonly strategy: Strategy;
  readonly selectableFields?: ReadonlyMap<string, (object: KubeObject) => string> | undefined;
  /** Where it is stored, if not as itself. */
  readonly storage?: Partial<Storage> | undefined;
  /** Fills in what depends on other fields. What does not stands in the table, and is there already. */
  readonly defaults?: ((object: Draft) => void) | undefined;
  /** Where the numbers of its scale are, if its table says that it has one. */
  readonly scale?: ScalePaths | undefined;
}

/** Strategy of a built-in kind, with the defaults of most of them: updates are validated like new objects. */
export function strategyOf(more: Partial<Strategy>): Strategy {
  const { validate } = more;
  return {
    validateName: nameIsDns1123Subdomain,
    generation: false,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: false,
    ...(validate && { validateUpdate: (object) => validate(object) }),
    ...more,
  };
}

/** An object as the type of its kind, which the rules of types have held it against. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the one place where this is said
export function as<Type>(object: KubeObject | Draft): Type {
  return object as unknown as Type;
}

/** Whoever creates an object does not say how it is. */
export function withoutStatus(object: Draft): void {
  const status = findKind(object.apiVersion, object.kind)?.byName.get("status")?.type;
  object["status"] = status?.of === "struct" ? normalStruct({}, status.struct, 0) : {};
}
