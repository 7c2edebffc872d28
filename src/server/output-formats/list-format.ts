import { apiVersionOf, type ResourceType } from "../resources/resource-type.js";
import type { ObjectResponse } from "../resources/stored-object.js";
import { partialObjectMetadata, type MetaVersion } from "./partial-metadata.js";
import { tableParts, type TableOptions } from "./table.js";

/** JSON of a list in pieces: fields before its items, the name of the field that has them, and each of them. */
export interface ListFormat {
  readonly fields: object;
  readonly itemsField: "items" | "rows";
  item(object: ObjectResponse): Buffer | string;
}

/** A list of whole objects, as they are stored. */
export function plainFormat(type: ResourceType): ListFormat {
  return {
    fields: { kind: type.listKind, apiVersion: apiVersionOf(type) },
    itemsField: "items",
    item: (object) => object.bytes(),
  };
}

/** `as=PartialObjectMetadataList` */
export function metadataFormat(version: MetaVersion): ListFormat {
  return {
    fields: { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${version}` },
    itemsField: "items",
    item: ({ object }) => JSON.stringify(partialObjectMetadata(object, version)),
  };
}

/** `as=Table` */
export function tableFormat(type: ResourceType, options: TableOptions): ListFormat {
  const { fields, row } = tableParts(type, options);
  return { fields, itemsField: "rows", item: row };
}
