import type { KubeObject } from "../../model/core.js";

/**
 * The object of a run. Name and namespace are getters and not fields, so that the object can be copied and sent back
 * unchanged.
 */
class Observed {
  declare readonly metadata: KubeObject["metadata"];

  constructor(object: KubeObject) {
    Object.assign(this, object);
    Object.freeze(this);
  }

  get name(): string {
    return this.metadata.name ?? "";
  }

  get namespace(): string {
    return this.metadata.namespace ?? "";
  }
}

export function observedObject(
  object: KubeObject,
): KubeObject & { readonly name: string; readonly namespace: string } {
  return new Observed(object) as unknown as KubeObject & Observed;
}
