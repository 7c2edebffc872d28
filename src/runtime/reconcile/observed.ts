import type { KubeObject } from "../../model/core.js";

/**
 * The object as a reconciler sees it: its names at hand, but not among its own fields, so that it can be copied and sent back
 * as it is.
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

export function observe(
  object: KubeObject,
): KubeObject & { readonly name: string; readonly namespace: string } {
  return new Observed(object) as unknown as KubeObject & Observed;
}
