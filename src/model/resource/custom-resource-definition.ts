import { deepFreeze } from "../object/freeze.js";
import type { Column, Resource, ResourceVersion, ResourceScope } from "./resource-types.js";
import type { StructuralSchema } from "../schema/structural-schema.js";

/** Printer column in a CRD. */
export interface PrinterColumn extends Omit<Column, "path"> {
  readonly jsonPath: string;
}

/** Version of a kind in a CRD. */
export interface CustomResourceDefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly subresources?: {
    readonly status?: Readonly<Record<string, never>>;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** Kubernetes' CustomResourceDefinition, as far as it is used here. */
export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly scope: ResourceScope;
    readonly versions: readonly CustomResourceDefinitionVersion[];
  };
}

/**
 * Creates the CRD of a kind, for any API server. Empty parts are omitted, as an API server stores it, so that
 * applying it again changes nothing.
 *
 * @example
 * await client.apply(customResourceDefinition(Site));
 */
export function customResourceDefinition(resource: Resource): CustomResourceDefinition {
  const { group, kind, listKind, plural, singular, shortNames, categories, scope, versions, approval } =
    resource;
  return deepFreeze({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      ...(approval !== undefined && { annotations: { "api-approved.kubernetes.io": approval } }),
    },
    spec: {
      group,
      names: {
        kind,
        listKind,
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
      },
      scope,
      versions: versions.map(definitionOfVersion),
    },
  });
}

function definitionOfVersion(version: ResourceVersion): CustomResourceDefinitionVersion {
  const { name, served, storage, schema, subresources, columns, selectableFields } = version;
  const { status, scale } = subresources;
  return {
    name,
    served,
    storage,
    schema: { openAPIV3Schema: schema },
    ...((status || scale) && {
      subresources: {
        ...(status && { status: {} }),
        ...(scale && {
          scale: {
            specReplicasPath: scale.specReplicas,
            statusReplicasPath: scale.statusReplicas,
            ...(scale.selector !== undefined && { labelSelectorPath: scale.selector }),
          },
        }),
      },
    }),
    ...(columns.length > 0 && {
      additionalPrinterColumns: columns.map(({ path, ...column }) =>
        Object.assign(column, { jsonPath: path }),
      ),
    }),
    ...(selectableFields.length > 0 && {
      selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
    }),
  };
}
