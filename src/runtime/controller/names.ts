import type { CommonOptions } from "./controller.js";
import type { TypedKind } from "./reconcile-context.js";

/** Name of a controller; defaults to the plural and group of its kind, such as `sites.demo.dev`. */
export function controllerName({ name, for: kind }: Pick<CommonOptions<TypedKind>, "name" | "for">): string {
  if (name !== undefined) return name;
  const [group] = kind.apiVersion.includes("/") ? kind.apiVersion.split("/") : [undefined];
  return group === undefined ? kind.plural : `${kind.plural}.${group}`;
}

/** User as which a controller sends its requests: `system:fettle:controller:sites.demo.dev`. */
export function userOf(controllerName: string): string {
  return `system:fettle:controller:${controllerName}`;
}

/** Field manager of a controller's writes. */
export function fieldManagerOf(controllerName: string): string {
  return `fettle/${controllerName}`.slice(0, 128);
}

/** Finalizer that a controller with `cleanup` sets on its objects. */
export function finalizerOf(
  options: { readonly finalizer?: string | undefined },
  controllerName: string,
): string {
  return options.finalizer ?? `fettle.dev/${controllerName}`;
}
