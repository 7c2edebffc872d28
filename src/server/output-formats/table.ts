import { failures, fieldErrors } from "../../model/core.js";
import type { TableColumn } from "../resources/resource-type.js";
import type { ObjectResponse } from "../resources/stored-object.js";
import { defaultColumns } from "./columns.js";
import {
  partialObjectMetadata,
  renderListMeta,
  type ListMeta,
  type MetaVersion,
} from "./partial-metadata.js";

/** Part of the object that a row includes. */
export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableOptions {
  /** Default Metadata. */
  readonly includeObject?: IncludeObject | undefined;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
  /** Metadata of the list; default: the resourceVersion of the only object. */
  readonly listMeta?: ListMeta | undefined;
  /** Default true; only the first event of a watch has them. */
  readonly columnDefinitions?: boolean | undefined;
  /** Version of meta.k8s.io; default v1. */
  readonly version?: MetaVersion | undefined;
}

/**
 * JSON of a meta.k8s.io Table for one object, a list or the object of a watch event. `type` is a kind, or anything else
 * with columns (`{ columns: scaleColumns }`).
 */
export function tableOf(
  type: { readonly columns: readonly TableColumn[] },
  answers: readonly ObjectResponse[],
  options: TableOptions,
): string {
  const listMeta = options.listMeta ?? { resourceVersion: answers[0]?.object.metadata.resourceVersion };
  const { fields, row } = tableParts(type, options);
  const { kind, apiVersion, columnDefinitions } = fields;
  const start = JSON.stringify({ kind, apiVersion, metadata: renderListMeta(listMeta), columnDefinitions });
  return `${start.slice(0, -1)},"rows":[${answers.map(row).join(",")}]}`;
}

/** The fields of a Table besides its metadata, and the JSON of its rows. */
export function tableParts(
  type: { readonly columns: readonly TableColumn[] },
  options: TableOptions,
): {
  readonly fields: { kind: string; apiVersion: string; columnDefinitions: readonly object[] | null };
  readonly row: (answer: ObjectResponse) => string;
} {
  const { includeObject = "Metadata", now, columnDefinitions = true, version = "v1" } = options;
  const columns = type.columns.length > 0 ? type.columns : defaultColumns;
  return {
    fields: {
      kind: "Table",
      apiVersion: `meta.k8s.io/${version}`,
      columnDefinitions: columnDefinitions ? columns.map(asDefinition) : null,
    },
    row(answer) {
      const cells = JSON.stringify(columns.map((column) => column.cell(answer.object, now)));
      return `{"cells":${cells},"object":${objectOf(answer, includeObject, version)}}`;
    },
  };
}

/** Reads the `includeObject` parameter of a request. */
export function parseIncludeObject(value: string | null | undefined): IncludeObject {
  if (!value) return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  const detail = "must be 'Metadata', 'Object', 'None', or empty";
  const error = fieldErrors.renderFieldError(fieldErrors.invalid("includeObject", value, detail));
  throw failures.badRequest(`Unable to convert to Table as requested: ${error}`);
}

function objectOf(answer: ObjectResponse, include: IncludeObject, version: MetaVersion): string {
  switch (include) {
    case "None":
      return "null";
    case "Metadata":
      return JSON.stringify(partialObjectMetadata(answer.object, version));
    case "Object":
      return answer.bytes().toString();
  }
}

function asDefinition({ name, type, format = "", description, priority }: TableColumn): object {
  return { name, type, format, description, priority };
}
