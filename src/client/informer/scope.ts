import { type KubeObject, parseFieldSelector, parseLabelSelector } from "../../model/core.js";
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
export function checkScope(kind: KindInfo, scope: InformerScope): CheckedScope {
  const { namespace, metadataOnly = false, transform } = scope;
  if (namespace && kind.scope === "Cluster") {
    throw new TypeError(
      `${kind.plural} have no namespace, so an informer of them cannot be limited to "${namespace}": leave the namespace out`,
    );
  }
  const labels = parseLabelSelector(scope.labelSelector ?? "");
  const fields = parseFieldSelector(scope.fieldSelector ?? "");
  const known = fields.requirements.every(
    ({ field }) => field === "metadata.name" || field === "metadata.namespace",
  );
  const labelSelector = labels.toString() || undefined;
  const fieldSelector = fields.toString() || undefined;
  return {
    namespace: namespace || undefined,
    labelSelector,
    fieldSelector,
    metadataOnly,
    transform,
    key: JSON.stringify([namespace || "", labelSelector ?? "", fieldSelector ?? "", metadataOnly]),
    shows({ metadata }) {
      if (namespace && metadata.namespace !== namespace) return false;
      if (!labels.matches(metadata.labels)) return false;
      if (!known) return undefined;
      return fields.matches((field) => (field === "metadata.name" ? metadata.name : metadata.namespace));
    },
  };
}
