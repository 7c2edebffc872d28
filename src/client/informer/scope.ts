import { type KubeObject, parseFieldSelector, parseLabelSelector } from "../../model/core.js";
import type { FieldRequirement } from "../../model/selector/field-selector.js";
import type { KindInfo } from "../kinds/kind.js";
import type { InformerScope } from "./informers.js";

/** Validated scope. */
export interface CheckedScope extends InformerScope {
  /** Equal for equal scopes, apart from their transforms. */
  readonly key: string;
  readonly metadataOnly: boolean;
  /** True if an object is in the scope; undefined when only the server can decide. */
  readonly includes: (object: KubeObject) => boolean | undefined;
}

/** Validates a scope. Throws a SelectorError, or a TypeError for the namespace of a cluster-scoped kind. */
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
    includes(object) {
      if (namespace && object.metadata.namespace !== namespace) return false;
      if (!labels.matches(object.metadata.labels)) return false;
      if (fields.empty) return true;
      const met = new Set(fields.requirements.map((requirement) => meets(object, requirement)));
      if (met.has(false)) return false;
      return met.has(undefined) ? undefined : true;
    },
  };
}

/** Selectable fields of Kubernetes that are computed and not paths in the object. */
const notPaths = new Set(["name", "source", "status.successful"]);

/** True if a field meets a requirement; undefined when the object does not show it. */
function meets(object: KubeObject, { field, operator, value }: FieldRequirement): boolean | undefined {
  const text = notPaths.has(field) ? undefined : textAt(object, field);
  if (text === undefined) return undefined;
  // A missing boolean or number may count as false or 0, depending on the kind.
  if (text === "" && (value === "false" || value === "0")) return undefined;
  return (text === value) === (operator === "=");
}

/** Value at a path as field selectors compare it: empty if missing, undefined if it is not a scalar. */
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
