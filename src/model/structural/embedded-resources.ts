import { type FieldError, invalid, required } from "../object/field-errors.js";
import { childPath, type FieldPath } from "../object/field-path.js";
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../object/json.js";
import { validateObjectMeta } from "../object/metadata.js";
import { validateDns1035Label, validatePathSegmentName } from "../object/names.js";
import { type ObjectMeta, parseApiVersion } from "../object/object.js";
import { maxReportedErrors } from "./max-reported-errors.js";
import { objectMetaFault, readObjectMeta } from "./object-meta.js";
import { PathStack } from "../object/path-stack.js";
import { entryNode, fieldNode, itemNode, type CompiledNode } from "./compiled-node.js";

/** Validates apiVersion, kind and metadata of embedded resources. */
export function validateEmbeddedResources(root: CompiledNode, object: Json): FieldError[] {
  const errors: FieldError[] = [];
  walk(root, object, new PathStack(), errors);
  return errors;
}

function walk(node: CompiledNode, value: Json, path: PathStack, errors: FieldError[]): void {
  if (errors.length >= maxReportedErrors) return;
  if (isJsonArray(value)) {
    const items = itemNode(node);
    if (!items) return;
    for (const [index, item] of value.entries()) {
      path.enterItem(index);
      walk(items, item, path, errors);
      path.leave();
    }
  } else if (isJsonObject(value)) {
    if (node.embedded) checkResource(value, path.bracketed(), errors);
    for (const key of Object.keys(value)) {
      const field = fieldNode(node, key);
      const child = field ?? entryNode(node);
      const inner = value[key];
      if (!child || inner === undefined) continue;
      if (field) path.enterField(key);
      else path.enterKey(key);
      walk(child, inner, path, errors);
      path.leave();
    }
  }
}

function checkResource(resource: JsonObject, path: FieldPath, errors: FieldError[]): void {
  checkName(resource, "apiVersion", path, errors, (apiVersion) =>
    parseApiVersion(apiVersion) ? undefined : `unexpected GroupVersion string: ${apiVersion}`,
  );
  checkName(resource, "kind", path, errors, (kind) => {
    const faults = validateDns1035Label(kind.toLowerCase());
    return faults.length === 0
      ? undefined
      : `may have mixed case, but should otherwise match: ${faults.join()}`;
  });
  const metadata = getOwn(resource, "metadata");
  if (metadata === undefined) return;
  const at = childPath(path, "metadata");
  const fault = objectMetaFault(metadata);
  if (fault !== undefined) errors.push(invalid(at, metadata, fault));
  else for (const error of checkMetadata(readObjectMeta(metadata), at)) errors.push(error);
}

function checkName(
  resource: JsonObject,
  field: "apiVersion" | "kind",
  path: FieldPath,
  errors: FieldError[],
  faultOf: (text: string) => string | undefined,
): void {
  const at = childPath(path, field);
  const value = getOwn(resource, field);
  if (value === undefined) errors.push(required(at));
  else if (typeof value !== "string") errors.push(invalid(at, value, "must be a string"));
  else {
    const fault = value === "" ? "must not be empty" : faultOf(value);
    if (fault !== undefined) errors.push(invalid(at, value, fault));
  }
}

/** Embedded resources may lack a name, and may have a namespace. */
function checkMetadata(metadata: ObjectMeta, path: FieldPath): FieldError[] {
  const named = metadata.name ? metadata : { ...metadata, name: "fakename" };
  const namespaced = Boolean(metadata.namespace);
  return validateObjectMeta(named, { namespaced, validateName: validatePathSegmentName, path });
}
