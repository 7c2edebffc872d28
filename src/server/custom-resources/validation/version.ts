import { fieldErrors } from "../../../model/core.js";
import { childPath, type FieldPath, indexPath } from "../../../model/object/field-path.js";
import { utf8Length } from "../../../model/object/utf8.js";
import { checkJsonPath, compileJsonPath } from "../../resources/json-path.js";
import type { ScalePaths } from "../../resources/resource-type.js";
import { type DefinitionVersion, type PrinterColumn, versionSchema } from "../definition.js";
import { type CheckRules, validateSchema } from "./schema.js";
import { validateSelectableFields } from "./selectable-fields.js";

type FieldError = fieldErrors.FieldError;

/** Parts of a version that were validated before and are not validated again. */
export interface VersionOptions {
  readonly unchangedSchema: boolean;
  readonly unchangedSelectableFields: boolean;
  readonly checkRules?: CheckRules | undefined;
}

/** Faults of one version of a definition, except its name. */
export function validateVersion(
  version: DefinitionVersion,
  path: FieldPath,
  { unchangedSchema, unchangedSelectableFields, checkRules }: VersionOptions,
): FieldError[] {
  const { subresources, additionalPrinterColumns = [], selectableFields = [] } = version;
  const schema = versionSchema(version);
  const errors: FieldError[] = [];
  const warningPath = childPath(path, "deprecationWarning");
  for (const fault of warningFaults(version)) {
    errors.push(fieldErrors.invalid(warningPath, version.deprecationWarning, fault));
  }
  if (schema && !unchangedSchema) {
    const statusEnabled = subresources?.status !== undefined;
    const at = childPath(path, "schema", "openAPIV3Schema");
    errors.push(...validateSchema(schema, at, { statusEnabled, checkRules }));
  }
  if (subresources?.scale) errors.push(...validateScale(subresources.scale, childPath(path, "subresources")));
  for (const [index, column] of additionalPrinterColumns.entries()) {
    errors.push(...validateColumn(column, indexPath(childPath(path, "additionalPrinterColumns"), index)));
  }
  if (selectableFields.length > 0) {
    const at = childPath(path, "selectableFields");
    errors.push(
      ...validateSelectableFields(selectableFields, schema, at, { unlimited: unchangedSelectableFields }),
    );
  }
  return errors;
}

const unprintable = /[^\x20\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

function warningFaults({ deprecated, deprecationWarning: text }: DefinitionVersion): string[] {
  if (text === undefined) return [];
  if (!deprecated) return ["can only be set for deprecated versions"];
  const faults: string[] = [];
  if (utf8Length(text) > 256) faults.push("must be <= 256 characters long");
  if (text === "") faults.push("must not be an empty string");
  const index = unprintable.exec(text)?.index;
  if (index !== undefined) {
    const at = utf8Length(text.slice(0, index));
    faults.push(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`);
  }
  return faults;
}

function validateScale(scale: ScalePaths, path: FieldPath): FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...validateScalePath(specReplicasPath, [".spec."], childPath(path, "scale.specReplicasPath")),
    ...validateScalePath(statusReplicasPath, [".status."], childPath(path, "scale.statusReplicasPath")),
    ...(labelSelectorPath
      ? validateScalePath(
          labelSelectorPath,
          [".spec.", ".status."],
          childPath(path, "scale.labelSelectorPath"),
        )
      : []),
  ];
}

function validateScalePath(
  text: string | undefined,
  below: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (!text) return [fieldErrors.required(path)];
  const simple = simplePathFault(text);
  if (simple !== undefined) return [fieldErrors.invalid(path, text, simple)];
  if (!below.some((start) => text.startsWith(start))) {
    const places = below.map((start) => start.slice(0, -1)).join(" or ");
    const where = below.length > 1 ? `either ${places}` : places;
    return [fieldErrors.invalid(path, text, `should be a json path under ${where}`)];
  }
  // Kubernetes parses anything else as dot-separated field names, which never match.
  const isPlain = checkJsonPath(text) === undefined && compileJsonPath(text).fields !== undefined;
  return isPlain ? [] : [fieldErrors.invalid(path, text, "should name fields only, as in .spec.replicas")];
}

/** Columns accept any path with this prefix; one that cannot be parsed shows nothing and causes a warning. */
function simplePathFault(text: string): string | undefined {
  return text.startsWith(".") ? undefined : "must be a simple json path starting with .";
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function validateColumn({ name, type, format, jsonPath }: PrinterColumn, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(fieldErrors.required(childPath(path, "name")));
  const types = `must be one of ${columnTypes.join(",")}`;
  if (!type) errors.push(fieldErrors.required(childPath(path, "type"), types));
  else if (!columnTypes.includes(type))
    errors.push(fieldErrors.invalid(childPath(path, "type"), type, types));
  if (format && !columnFormats.includes(format)) {
    const formats = `must be one of ${columnFormats.join(",")}`;
    errors.push(fieldErrors.invalid(childPath(path, "format"), format, formats));
  }
  // Kubernetes reports Go's field name.
  const at = childPath(path, "JSONPath");
  const fault = jsonPath ? simplePathFault(jsonPath) : undefined;
  if (!jsonPath) errors.push(fieldErrors.required(at));
  else if (fault !== undefined) errors.push(fieldErrors.invalid(at, jsonPath, fault));
  return errors;
}
