import type { KubeObject } from "../../model/core.js";
import { cellText, columns } from "../terminal/columns.js";
import type { Format } from "./format.js";

/** Objects that are printed as they are. */
export interface Printed {
  readonly objects: readonly KubeObject[];
  /** One object was asked for: it is shown by itself, and not as a list. */
  readonly single: boolean;
  /** `site.demo.dev/hello`. */
  readonly titleOf: (object: KubeObject) => string;
  readonly withManagedFields?: boolean | undefined;
  readonly headers?: boolean | undefined;
}

/** Objects in a form other than the server's table. */
export async function printObjects(
  format: Exclude<Format, { readonly type: "table" }>,
  { objects, single, titleOf, withManagedFields = false, headers = true }: Printed,
): Promise<string> {
  if (format.type === "name") return objects.map((object) => `${titleOf(object)}\n`).join("");
  const shown = withManagedFields ? objects : objects.map(withoutManagedFields);
  if (format.type === "columns") {
    const rows = shown.map((object) =>
      format.columns.map(({ find }) => find(object).map(cellText).join(",") || "<none>"),
    );
    return columns(headers ? [format.columns.map(({ title }) => title), ...rows] : rows);
  }
  const document = single && shown.length === 1 ? shown[0] : listOf(shown);
  if (format.type === "jsonpath") return format.template.render(document);
  return format.type === "json" ? `${JSON.stringify(document, null, 2)}\n` : await yamlOf(document);
}

/** The kind that kubectl wraps several objects in. */
function listOf(items: readonly KubeObject[]): object {
  return { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" }, items };
}

/** YAML that readers of both its versions understand: what 1.1 would take for a boolean or a number is quoted. */
export async function yamlOf(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(value, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false });
}

/** Who wrote which field is rarely what somebody looks for. What an object is called comes first. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, name, namespace, labels, annotations, ...rest } = object.metadata;
  const first = Object.entries({ name, namespace, labels, annotations });
  const said = Object.fromEntries(first.filter(([, value]) => value !== undefined));
  return { ...object, metadata: { ...said, ...rest } };
}
