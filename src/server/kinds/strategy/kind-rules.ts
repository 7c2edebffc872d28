import type { KubeObject } from "../../../model/core.js";
import { nameIsDns1123Subdomain } from "../../../model/object/names.js";
import { normalStruct } from "../typed/normalize.js";
import { findBuiltInKind } from "../types.js";
import type {
  Draft,
  ResourceType,
  ScalePaths,
  Storage,
  KindStrategy,
  TableColumn,
} from "../../resources/resource-type.js";

/** Rules of a built-in kind beyond its type description. */
export interface KindRules {
  readonly columns: readonly TableColumn[];
  readonly strategy: KindStrategy;
  readonly selectableFields?: ReadonlyMap<string, (object: KubeObject) => string> | undefined;
  /** Storage, if it differs from the kind itself. */
  readonly storage?: Partial<Storage> | undefined;
  /** Answers questions, for kinds that are not stored. */
  readonly answer?: ResourceType["answer"];
  /** Sets defaults that depend on other fields; those in the type description are set before. */
  readonly defaults?: ((object: Draft) => void) | undefined;
  /** Warning sent with every response of a deprecated kind. */
  readonly deprecation?: string | undefined;
  /** Paths of the scale subresource, if the kind has one. */
  readonly scale?: ScalePaths | undefined;
}

/** Strategy of a built-in kind, with the defaults of most of them: updates are validated like new objects. */
export function strategyOf(more: Partial<KindStrategy>): KindStrategy {
  const { validate } = more;
  return {
    validateName: nameIsDns1123Subdomain,
    generation: false,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: false,
    keptByStatus: [],
    ...(validate && { validateUpdate: (object) => validate(object) }),
    ...more,
  };
}

/** Casts an object to the type of its kind, which typed decoding has checked. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the one place where this is said
export function as<Type>(object: KubeObject | Draft): Type {
  return object as unknown as Type;
}

/** Resets the status of a new object. */
export function resetStatus(object: Draft): void {
  const status = findBuiltInKind(object.apiVersion, object.kind)?.byName.get("status")?.type;
  object["status"] = status?.of === "struct" ? normalStruct({}, status.struct, 0) : {};
}
