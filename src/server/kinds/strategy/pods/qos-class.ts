import type { PodSpec } from "kubernetes-types/core/v1.js";
import { compareQuantities } from "../../typed/quantity.js";

const counted = ["cpu", "memory"] as const;

/** Quality of service class: Guaranteed, Burstable or BestEffort. */
export function qosClassOf(spec: PodSpec | undefined): string {
  let asks = false;
  let guaranteed = true;
  for (const { resources } of [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]) {
    for (const name of counted) {
      const limit = amountOf(resources?.limits?.[name]);
      const request = amountOf(resources?.requests?.[name]);
      asks ||= limit !== undefined || request !== undefined;
      const same = limit !== undefined && (request === undefined || compareQuantities(limit, request) === 0);
      guaranteed &&= same;
    }
  }
  if (!asks) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

/** Zero counts as not set. */
function amountOf(quantity: string | undefined): string | undefined {
  return quantity !== undefined && compareQuantities(quantity, "0") > 0 ? quantity : undefined;
}
