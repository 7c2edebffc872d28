import { type KubeObject, parseFieldSelector, parseLabelSelector } from "../../model/core.js";
import type { FieldRequirement } from "../../model/selector/field-selector.js";
import type { KindInfo } from "../kinds/kind.js";
import type { InformerScope } from "./informers.js";

/** A scope that was checked. */
export interface CheckedScope extends InformerScope {
  /** The same for scopes that mean the same, but for their transforms. */
  readonly key: string;
  readonly metadataOnly: boolean;
  /** Whether an object is in the scope; undefined when only the server can tell. */
  readonly shows: (object: KubeObject) => boolean | undefined;
}

/** Reads the selectors of a scope. Throws a SelectorError, or a TypeError for a namespace where there is none. */
export function checkScope(
  kind: Pick<KindInfo, "plural"> & Partial<Pick<KindInfo, "scope">>,
  scope: InformerScope,
): CheckedScope {
  const { namespace, metadataOnly = false, transform } = scope;
  if (namespace && kind.scope === "Cluster") {
    throw new TypeError(
      `${kind.plural} have no namespace, so an informer of them cannot be limited to "${namespace}": leave the namespace out`,
    );
  }
  const labels = parseLabelSelector(scope.labelSelector ?? "");
  const fields = parseFieldSelector(scope.fieldSelector ?? "");
  const labelSelector = labels.toString() || undefined;
  const fieldSelector = fields.toString() || undefined;
  return {
    namespace: namespace || undefined,
    labelSelector,
    fieldSelector,
    metadataOnly,
    transform,
    key: JSON.stringify([namespace || "", labelSelector ?? "", fieldSelector ?? "", metadataOnly]),
    shows(object) {
      if (namespace && object.metadata.namespace !== namespace) return false;
      if (!labels.matches(object.metadata.labels)) return false;
      if (fields.empty) return true;
      const met = new Set(fields.requirements.map((requirement) => meets(object, requirement)));
      if (met.has(false)) return false;
      return met.has(undefined) ? undefined : true;
    },
  };
}

/** Fields that Kubernetes selects by and that are no paths: it makes their values from others. */
const notPaths = new Set(["name", "source", "status.successful"]);

/** Whether a field is as required; undefined when that cannot be told from the object. */
function meets(object: KubeObject, { field, operator, value }: FieldRequirement): boolean | undefined {
  const text = notPaths.has(field) ? undefined : textAt(object, field);
  if (text === undefined) return undefined;
  // A flag or a number that is not there counts as false or 0 where the kind says what it is.
  if (text === "" && (value === "false" || value === "0")) return undefined;
  return (text === value) === (operator === "=");
}

/** What an object has at a path, as field selectors compare it: empty for nothing; undefined for what is no single value. */
function textAt(object: KubeObject, path: string): string | undefined {
  let value: unknown = object;
  for (const name of path.split(".")) {
    if (value === undefined || value === null) return "";
    if (typeof value !== "object" || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
