import type { KubeObject } from "../../../model/core.js";
import { validateStandardFinalizers } from "../../../model/object/finalizers.js";
import { quote } from "../../../model/object/quote.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import type { WriteOptions } from "../requests.js";

/** Warns of new finalizers without a domain, for kinds that accept them. */
export function warnOfFinalizers(
  { capabilities }: ResourceType,
  { metadata }: Draft,
  live: KubeObject | undefined,
  { warn }: WriteOptions,
): void {
  const finalizers = metadata["finalizers"] as readonly string[] | undefined;
  if (capabilities.unqualifiedFinalizers !== "warn" || warn === undefined || finalizers === undefined) return;
  const before = live?.metadata.finalizers ?? [];
  const added = [...new Set(finalizers)].filter((finalizer) => !before.includes(finalizer)).sort();
  for (const finalizer of added) {
    if (validateStandardFinalizers([finalizer], "").length === 0) continue;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    warn(
      `metadata.finalizers: ${quote(finalizer)}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
}
