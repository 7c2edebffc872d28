import type { Resource } from "../../model/resource/resource-types.js";
import type { Controller } from "../../runtime/controller/controller.js";
import { objectWatches } from "../../runtime/controller/event-watch.js";

/** Kinds defined in this program that controllers reconcile, own or watch, and further ones, without duplicates. */
export function kindsOf(
  controllers: readonly Controller[],
  more: readonly Resource[] = [],
): readonly Resource[] {
  const all = new Map<string, Resource>();
  const add = (kind: unknown): void => {
    if (typeof kind === "object" && kind !== null && "versions" in kind) {
      const resource = kind as Resource;
      all.set(`${resource.plural}.${resource.group}`, resource);
    }
  };
  for (const { options, owns } of controllers) {
    add(options.for);
    for (const kind of owns) add(kind);
    for (const { kind } of objectWatches(options.watches)) add(kind);
  }
  for (const kind of more) add(kind);
  return [...all.values()];
}
