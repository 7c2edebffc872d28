import { kind, type ObjectOf } from "../../client/kinds/kind.js";
import type { Condition, CustomResourceDefinition } from "../../model/core.js";

/** A definition as a server has it: what it was told, what it added, and what became of it. */
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

export const Definition = kind<DefinitionShape>("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
  plural: "customresourcedefinitions",
  scope: "Cluster",
});

export type StoredDefinition = ObjectOf<typeof Definition>;

/** Who definitions of controllers belong to, whichever program registers them. */
export const definitionManager = "fettle";

/** A definition was not registered; the message says why, and what to do. Nothing was changed. */
export class DefinitionRefused extends Error {
  override readonly name = "DefinitionRefused";
  /** Which definition, such as `sites.demo.dev`. */
  readonly definition: string;

  constructor(definition: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.definition = definition;
  }
}

/** Those besides us who own fields of a definition's spec; who only reports its status does not count. */
export function otherManagers({ metadata }: StoredDefinition): readonly string[] {
  const managers = (metadata.managedFields ?? [])
    .filter(({ subresource, fieldsV1 }) => !subresource && Object.hasOwn(fieldsV1 ?? {}, "f:spec"))
    .map(({ manager }) => manager ?? "somebody");
  return [...new Set(managers)].filter((manager) => manager !== definitionManager);
}
