import type { Condition, KubeObject, ObjectMeta, StructuralSchema } from "../../model/core.js";
import type { ScalePaths } from "../resources/resource-type.js";

/** Keeps a definition that is being deleted until the last object of its kind is gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** Names of a kind: requested in a definition's spec, accepted in its status. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly kind: string;
  readonly listKind?: string | undefined;
  readonly categories?: readonly string[] | undefined;
}

/** Printer column of a definition. */
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
  /** Versions in which objects may be stored. */
  readonly storedVersions?: readonly string[] | undefined;
}

/** A CustomResourceDefinition whose fields have the right types; their values may be invalid. */
export interface Definition extends KubeObject<DefinitionSpec, DefinitionStatus> {
  readonly metadata: ObjectMeta;
  readonly spec: DefinitionSpec;
}

/** Storage version. A valid definition has one. */
export function storageVersionOf({ spec }: Definition): DefinitionVersion | undefined {
  return spec.versions.find(({ storage }) => storage === true);
}

/** Schema of a version; may be missing in an invalid definition. */
export function versionSchema({ schema }: DefinitionVersion): StructuralSchema | undefined {
  return schema?.openAPIV3Schema;
}
