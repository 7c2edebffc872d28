import { commitCases } from "./commit-cases.js";
import { runnable, type ConformanceCase, type StoreHarness } from "./harness.js";
import { historyCases } from "./history-cases.js";
import { randomHistories } from "./random-histories.js";
import { reopenCases } from "./reopen-cases.js";
import { twoStoreCases } from "./two-store-cases.js";
import { watchCases } from "./watch-cases.js";

export type { ConformanceCase, StoreHarness };

/**
 * Promises of the store contract, as cases for any test runner.
 *
 * @example
 * for (const { name, run } of storeConformance(harness)) test(name, run);
 */
export function storeConformance(harness: StoreHarness): ConformanceCase[] {
  const cases = { ...commitCases, ...historyCases, ...watchCases, ...(harness.reopen && reopenCases) };
  return [
    ...runnable(harness, cases, async (body, tracked) => body(await tracked.create(), tracked)),
    randomHistories(harness, 1),
    ...(harness.openSecond ? [...withTwoStores(harness), randomHistories(harness, 2)] : []),
  ];
}

function withTwoStores(harness: StoreHarness): ConformanceCase[] {
  return runnable(harness, twoStoreCases, async (body, tracked) => {
    const first = await tracked.create();
    await body(first, await tracked.openSecond(first), tracked);
  });
}
