import type { Condition, KubeObject, ObjectMeta, StructuralSchema } from "../../model/core.js";
import type { ScalePaths } from "../resources/resource-type.js";

/** Keeps a definition that is being deleted until the last object of its kind is gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** What a kind is called. Definitions ask for names in their spec and get them in their status. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly kind: string;
  readonly listKind?: string | undefined;
  readonly categories?: readonly string[] | undefined;
}

/** A column that a definition adds to what `kubectl get` shows. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly jsonPath: string;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served?: boolean | undefined;
  readonly storage?: boolean | undefined;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema | undefined } | undefined;
  readonly subresources?:
    | { readonly status?: object | undefined; readonly scale?: ScalePaths | undefined }
    | undefined;
  readonly additionalPrinterColumns?: readonly PrinterColumn[] | undefined;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | undefined;
}

export interface DefinitionSpec {
  readonly group: string;
  readonly names: DefinitionNames;
  readonly scope: string;
  readonly versions: readonly DefinitionVersion[];
  readonly conversion?: { readonly strategy?: string; readonly webhook?: object | undefined } | undefined;
  readonly preserveUnknownFields?: boolean | undefined;
}

export interface DefinitionStatus {
  readonly conditions?: readonly Condition[] | undefined;
  readonly acceptedNames?: DefinitionNames | undefined;
  /** Every version in which objects were ever stored, and may still be. */
  readonly storedVersions?: readonly string[] | undefined;
}

/** A CustomResourceDefinition whose parts have the types they should have; what they say may still be wrong. */
export interface Definition extends KubeObject<DefinitionSpec, DefinitionStatus> {
  readonly metadata: ObjectMeta;
  readonly spec: DefinitionSpec;
}

/** The version in which objects are stored. A valid definition has one. */
export function storageVersionOf({ spec }: Definition): DefinitionVersion | undefined {
  return spec.versions.find(({ storage }) => storage === true);
}

/** The schema of a version, which for a definition that is not valid may be missing. */
export function schemaOf({ schema }: DefinitionVersion): StructuralSchema | undefined {
  return schema?.openAPIV3Schema;
}
