import { commitCases } from "./commit-cases.js";
import { withStores, type ConformanceCase, type StoreHarness } from "./harness.js";
import { historyCase } from "./histories.js";
import { historyCases } from "./history-cases.js";
import { watchCases } from "./watch-cases.js";

export type { ConformanceCase, StoreHarness };

/**
 * Everything the store contract promises, as cases that any test runner can run.
 *
 * @example
 * for (const { name, run } of storeConformance(harness)) test(name, run);
 */
export function storeConformance(harness: StoreHarness): ConformanceCase[] {
  return [...withStores(harness, { ...commitCases, ...historyCases, ...watchCases }), historyCase(harness)];
}
