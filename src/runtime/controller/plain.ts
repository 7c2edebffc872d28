import type { Duration } from "../../model/core.js";
import { checkOptions, type CommonOptions, type Controller } from "./controller.js";
import { controllerName } from "./names.js";
import type { PlainContext, TypedKind } from "./reconcile-context.js";
import type { ReconcileRequest } from "./watch.js";

/** Return value of a plain reconciler. An error that it throws is retried with backoff. */
export interface PlainResult {
  /** Retries with backoff, like a failure. */
  readonly requeue?: boolean | undefined;
  /** Reconciles again after this time; zero has no effect. */
  readonly requeueAfter?: Duration | undefined;
}

export type PlainReconcile = (
  request: ReconcileRequest,
  context: PlainContext,
) => Promise<PlainResult | void> | PlainResult | void;

/** Options for `plainController()`. */
export interface PlainOptions<K extends TypedKind> extends CommonOptions<K> {
  /** Kinds whose changes trigger runs of their owner. */
  readonly owns?: readonly TypedKind[] | undefined;
  readonly reconcile: PlainReconcile;
}

/**
 * Defines a controller in the style of controller-runtime: its reconciler gets a name, and does everything with the client.
 *
 * @example
 * const sites = plainController({
 *   for: Site,
 *   async reconcile({ name, namespace }, { client }) {
 *     const site = await client.find(Site, { name, namespace });
 *     if (site === undefined) return;
 *     await client.patchStatus(Site, site, { status: { published: 1 } });
 *     return { requeueAfter: "12h" };
 *   },
 * });
 */
export function plainController<const K extends TypedKind>(options: PlainOptions<K>): Controller {
  const any = options as unknown as PlainOptions<TypedKind>;
  const name = controllerName(any);
  checkOptions(name, any);
  return {
    name,
    options: any,
    owns: any.owns ?? [],
    style: { type: "plain", reconcile: any.reconcile },
  };
}
