import type { StructuralSchema } from "../../model/core.js";
import { quote } from "../../model/object/quote.js";
import { checkJsonPath } from "../resources/json-path.js";
import { type Definition, versionSchema } from "./definition.js";

/** String formats that are validated, without dashes. Kubernetes ignores all others. */
const stringFormats = new Set(
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname".split(
    " ",
  ),
);

/** Warnings about parts of a valid definition that have no effect. */
export function definitionWarnings({ spec }: Definition): string[] {
  const warnings = new Set<string>();
  for (const [index, version] of spec.versions.entries()) {
    const schema = versionSchema(version);
    if (schema) warnOfSchema(schema, warnings);
    for (const [column, { name, jsonPath }] of (version.additionalPrinterColumns ?? []).entries()) {
      const fault = checkJsonPath(jsonPath);
      if (fault === undefined) continue;
      const at = `spec.versions[${index}].additionalPrinterColumns[${column}].jsonPath`;
      warnings.add(`${at}: the column ${quote(name)} stays empty, since its path cannot be read: ${fault}`);
    }
  }
  return [...warnings];
}

function warnOfSchema(schema: StructuralSchema, warnings: Set<string>): void {
  const { format, items, not, additionalProperties, properties = {} } = schema;
  if (format && !isKnown(format, schema.type)) warnings.add(`unrecognized format ${quote(format)}`);
  if (schema["x-kubernetes-list-type"] === "set" && (items?.type === "object" || items?.type === "array")) {
    warnings.add(
      `x-kubernetes-list-type: set for items of type ${quote(items.type)} is not supported by server-side apply or CEL validation rules`,
    );
  }
  for (const part of [
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...Object.values(properties),
  ])
    warnOfSchema(part, warnings);
  for (const part of [items, not, additionalProperties]) {
    if (typeof part === "object") warnOfSchema(part, warnings);
  }
}

function isKnown(format: string, type: string | undefined): boolean {
  switch (type) {
    case undefined:
    case "string":
      return stringFormats.has(format.replaceAll("-", ""));
    case "integer":
      return format === "int32" || format === "int64";
    case "number":
      return format === "float" || format === "double";
    default:
      return false;
  }
}
