/** The namespace that a request or a view is limited to; none for cluster-scoped kinds, or for all namespaces. */
export interface Scope {
  readonly namespace?: string | undefined;
}

/** Namespace and name of an object. */
export interface ObjectKey extends Scope {
  readonly name: string;
}
