import type { KubeObject } from "../../model/core.js";
import { cellText, columns } from "../terminal/columns.js";
import type { Format } from "./format.js";

/** Objects to print. */
export interface Printed {
  readonly objects: readonly KubeObject[];
  /** Print a single object by itself instead of as a list. */
  readonly single: boolean;
  /** `site.demo.dev/hello`. */
  readonly titleOf: (object: KubeObject) => string;
  readonly withManagedFields?: boolean | undefined;
  readonly headers?: boolean | undefined;
}

/** Formats objects other than as a table. */
export async function printObjects(
  format: Exclude<Format, { readonly type: "table" }>,
  { objects, single, titleOf, withManagedFields = false, headers = true }: Printed,
): Promise<string> {
  if (format.type === "name") return objects.map((object) => `${titleOf(object)}\n`).join("");
  const printed = withManagedFields ? objects : objects.map(printableObject);
  if (format.type === "columns") {
    const rows = printed.map((object) =>
      format.columns.map(({ find }) => find(object).map(cellText).join(",") || "<none>"),
    );
    return columns(headers ? [format.columns.map(({ title }) => title), ...rows] : rows);
  }
  const document = single && printed.length === 1 ? printed[0] : listOf(printed);
  if (format.type === "jsonpath") return format.template.render(document);
  return format.type === "json" ? `${JSON.stringify(document, null, 2)}\n` : await yamlOf(document);
}

/** List of kind `v1/List`, as kubectl prints several objects. */
function listOf(items: readonly KubeObject[]): object {
  return { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" }, items };
}

/** YAML for parsers of 1.1 and 1.2: strings that 1.1 takes for booleans or numbers are quoted. */
export async function yamlOf(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(value, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false });
}

/** Drops managedFields, and moves name, namespace, labels and annotations to the front of the metadata. */
export function printableObject<T extends KubeObject>(object: T): T {
  const { managedFields: _, name, namespace, labels, annotations, ...rest } = object.metadata;
  const first = Object.entries({ name, namespace, labels, annotations });
  const leading = Object.fromEntries(first.filter(([, value]) => value !== undefined));
  return { ...object, metadata: { ...leading, ...rest } };
}
