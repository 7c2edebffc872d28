import type { ReferenceGrantObject } from "../kinds/gateway-api.js";

interface Referrer {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
}

interface Referent extends Referrer {
  readonly name: string;
}

/** References that are allowed. Those within a namespace always are; others need a ReferenceGrant in the namespace of their target. */
export interface Grants {
  permit(from: Referrer, to: Referent): boolean;
}

/** Indexes grants by both ends, so that a check takes constant time. */
export function compileGrants(grants: readonly ReferenceGrantObject[]): Grants {
  const permitted = new Set<string>();
  for (const { metadata, spec } of grants) {
    const { namespace = "" } = metadata;
    for (const from of spec.from) {
      for (const to of spec.to) permitted.add(reference(from, { ...to, namespace, name: to.name ?? "" }));
    }
  }
  return {
    permit: (from, to) =>
      from.namespace === to.namespace ||
      permitted.has(reference(from, to)) ||
      permitted.has(reference(from, { ...to, name: "" })),
  };
}

function reference(from: Referrer, to: Referent): string {
  return `${from.group}/${from.kind}/${from.namespace} ${to.group}/${to.kind}/${to.namespace}/${to.name}`;
}
