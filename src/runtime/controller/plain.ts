import type { Duration } from "../../model/core.js";
import { checkOptions, type CommonOptions, type Controller } from "./controller.js";
import { nameOf } from "./names.js";
import type { PlainContext, TypedKind } from "./reconcile-context.js";
import type { Request } from "./watch.js";

/** What a plain reconciler answers; a throw is tried again with backoff. */
export interface Result {
  /** Try again soon, with backoff; counts as a try where these are limited. */
  readonly requeue?: boolean | undefined;
  /** Look at it again after this time; zero is the same as nothing. */
  readonly requeueAfter?: Duration | undefined;
}

export type PlainReconcile = (
  request: Request,
  context: PlainContext,
) => Promise<Result | void> | Result | void;

/** What `plainController()` is told. */
export interface PlainOptions<K extends TypedKind> extends CommonOptions<K> {
  /** Kinds whose changes bring their owner back. */
  readonly owns?: readonly TypedKind[] | undefined;
  readonly reconcile: PlainReconcile;
}

/**
 * A controller in the style of controller-runtime: it is told a name, and does everything with the client.
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
  const name = nameOf(any);
  checkOptions(name, any);
  return {
    name,
    options: any,
    owns: any.owns ?? [],
    style: { type: "plain", reconcile: any.reconcile },
  };
}
