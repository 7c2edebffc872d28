import { kind, type ObjectOf } from "../../client/kinds/kind.js";
import type { Condition, CustomResourceDefinition } from "../../model/core.js";

/** A definition as stored by a server, with defaults and status. */
interface DefinitionShape {
  readonly spec: CustomResourceDefinition["spec"] & {
    readonly conversion?: { readonly strategy?: string };
    readonly preserveUnknownFields?: boolean;
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly storedVersions?: readonly string[];
  };
}

export const DefinitionKind = kind<DefinitionShape>("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
  plural: "customresourcedefinitions",
  scope: "Cluster",
});

export type StoredDefinition = ObjectOf<typeof DefinitionKind>;

/** Field manager of definitions, the same for all programs that register them. */
export const definitionManager = "fettle";

/** A definition was not registered; the message has the reason and the remedy. Nothing was changed. */
export class DefinitionRefused extends Error {
  override readonly name = "DefinitionRefused";
  /** Name of the definition, such as `sites.demo.dev`. */
  readonly definition: string;

  constructor(definition: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.definition = definition;
  }
}

/** Other field managers that own fields of a definition's spec. */
export function otherManagers({ metadata }: StoredDefinition): readonly string[] {
  const managers = (metadata.managedFields ?? [])
    .filter(({ subresource, fieldsV1 }) => !subresource && Object.hasOwn(fieldsV1 ?? {}, "f:spec"))
    .map(({ manager }) => manager ?? "unknown");
  return [...new Set(managers)].filter((manager) => manager !== definitionManager);
}
