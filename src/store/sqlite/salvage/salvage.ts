import { join } from "node:path";
import { readHighWaterMark } from "../integrity/high-water-mark.js";
import { storeFiles } from "../integrity/store-files.js";
import { cellsOf } from "./cells.js";
import { collect, valueOf } from "./collect.js";
import { SalvagedPages } from "./pages.js";
import { planSalvage, type SalvagePlan } from "./plan.js";

/** Step of a salvage: pages read, of all. */
export interface SalvageProgress {
  readonly pages: number;
  readonly of: number;
}

/** Pages between two reports of progress. */
const pagesPerStep = 128;

/** Finds out what a store in a directory still proves, without changing it. The caller has locked it. */
export function* salvageSteps(directory: string): Generator<SalvageProgress, SalvagePlan> {
  const database = join(directory, "store.db");
  using pages = new SalvagedPages(database);
  const steps = collect(pages);
  for (;;) {
    const step = steps.next();
    if (step.done) {
      const mark = readHighWaterMark(storeFiles(database).mark);
      return planSalvage(step.value, typeof mark === "string" ? undefined : mark.revision);
    }
    if (step.value % pagesPerStep === 0) yield { pages: step.value, of: pages.count };
  }
}

/** Entry that is kept. */
export interface SalvagedEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly expires: number | undefined;
}

/** Reads the entries that a plan keeps, in the order in which they are found. */
export function* salvagedEntries(directory: string, { kept }: SalvagePlan): Generator<SalvagedEntry, void> {
  using pages = new SalvagedPages(join(directory, "store.db"));
  const wanted = new Map(kept.map((mutation) => [mutation.id, mutation]));
  for (const version of pages.all()) {
    for (const cell of cellsOf(version, pages)) {
      const mutation = cell.rowid === undefined ? undefined : wanted.get(cell.rowid);
      const value = mutation && valueOf(cell);
      if (mutation === undefined || value === undefined) continue;
      wanted.delete(mutation.id);
      yield { key: mutation.key, value, expires: mutation.expires };
    }
  }
}
