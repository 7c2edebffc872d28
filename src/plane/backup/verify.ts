import { lockDirectory } from "../../store/sqlite/directory.js";
import type { StoreProblem } from "../../store/sqlite/integrity/damage.js";
import { salvageSteps } from "../../store/sqlite/salvage/salvage.js";
import { verifySteps, type VerifyProgress } from "../../store/sqlite/verify.js";
import { drain } from "./drain.js";
import { summarize, type SalvageSummary } from "./salvage.js";

export interface VerifyOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** Result of `fettle verify`. */
export interface Verification {
  readonly isIntact: boolean;
  readonly problems: readonly StoreProblem[];
  /** Parts that are intact, in words. */
  readonly intact: readonly string[];
  /** Newest revision of an intact store. */
  readonly revision?: number | undefined;
  /** Mutations in the log of an intact store, the history included. */
  readonly mutations?: number | undefined;
  /** Of a damaged store: the result that `fettle salvage` would have. */
  readonly salvage?: SalvageSummary | undefined;
}

const steps: Readonly<Record<VerifyProgress["step"], string>> = {
  pages: "checking pages",
  log: "checking mutations",
  structure: "checking the structure",
};

/** Checks a store from end to end, and if it is damaged finds out what it still proves. */
export async function verifyDataFolder(
  store: string,
  { signal, onProgress = () => {} }: VerifyOptions = {},
): Promise<Verification> {
  const report = await drain(verifySteps(store), {
    signal,
    onProgress: ({ step, done, of }) => onProgress(`${steps[step]}: ${done} of ${of}`),
  });
  const isIntact = report.problems.length === 0;
  if (isIntact) return { isIntact, ...report };
  const lock = lockDirectory(store);
  try {
    const plan = await drain(salvageSteps(store), {
      signal,
      onProgress: ({ pages, of }) => onProgress(`searching what is intact: ${pages} of ${of} pages`),
    });
    return { isIntact, ...report, salvage: summarize(plan) };
  } finally {
    lock.release();
  }
}
