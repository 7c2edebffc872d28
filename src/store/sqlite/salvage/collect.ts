import { mutationSum, unpackSums } from "../integrity/checksum.js";
import { live } from "../schema.js";
import { cellsOf, type Cell } from "./cells.js";
import type { PageVersion, SalvagedPages } from "./pages.js";

/** Mutation of the log that its checksum proves. */
export interface ProvenMutation {
  readonly id: number;
  readonly key: string;
  readonly previous: number;
  readonly expires: number | undefined;
  readonly time: number;
  readonly sum: number;
  readonly chain: number;
  readonly deleted: boolean;
  /** It is in the newest version of a page that is in use, not only in what is left of an earlier one. */
  readonly isCurrent: boolean;
}

/** Everything that the pages of a store still prove. */
export interface SalvageFindings {
  readonly mutations: Map<number, ProvenMutation>;
  /** Newest versions by key, as far as the index has them. */
  readonly newest: Map<string, number>;
  /** Rows of `marks`. */
  readonly marks: Map<string, number>;
  /** False when pages that are not in use cannot be told from others. */
  readonly knowsFreePages: boolean;
}

/** Collects what the pages prove; yields the number of page versions that were read. */
export function* collect(pages: SalvagedPages): Generator<number, SalvageFindings> {
  const free = freePages(pages);
  const findings: SalvageFindings = {
    mutations: new Map(),
    newest: new Map(),
    marks: new Map(),
    knowsFreePages: free !== undefined,
  };
  let read = 0;
  for (const version of pages.all()) {
    const isCurrent = version.isCurrent && free?.has(version.page) !== true;
    for (const cell of cellsOf(version, pages)) {
      const mutation = mutationOf(cell);
      if (mutation !== undefined) {
        const before = findings.mutations.get(mutation.id);
        findings.mutations.set(mutation.id, {
          ...mutation.proven,
          isCurrent: isCurrent || before?.isCurrent === true,
        });
      } else if (isCurrent && version.isIntact) addIndexed(findings, cell, version);
    }
    yield ++read;
  }
  return findings;
}

/** Value of a proven put. */
export function valueOf(cell: Cell): Uint8Array | undefined {
  return mutationOf(cell)?.value;
}

function mutationOf({ rowid: id, columns }: Cell) {
  if (id === undefined || columns.length !== 8) return undefined;
  const [, key, previous, created, time, sums, expires = null, value = null] = columns;
  if (typeof key !== "string" || (value !== null && !(value instanceof Uint8Array))) return undefined;
  if (expires !== null && typeof expires !== "number") return undefined;
  if (typeof previous !== "number" || typeof created !== "number" || typeof time !== "number")
    return undefined;
  if (typeof sums !== "number") return undefined;
  const { sum, chain } = unpackSums(sums);
  if (sum !== mutationSum({ id, key, created, expires, value })) return undefined;
  const deleted = value === null;
  const proven = { id, key, previous, expires: expires ?? undefined, time, sum, chain, deleted };
  return { id, proven, value: value ?? undefined };
}

/** Rows of the tables `versions` and `marks`. */
function addIndexed({ newest, marks }: SalvageFindings, { columns }: Cell, { page }: PageVersion): void {
  const [first, second, third] = columns;
  if (page === 1 || typeof first !== "string" || typeof second !== "number") return;
  if (columns.length === 2) marks.set(first, second);
  else if (columns.length === 5 && third === live)
    newest.set(first, Math.max(second, newest.get(first) ?? 0));
}

/** Pages that are not in use; undefined when their list is damaged. */
function freePages(pages: SalvagedPages): Set<number> | undefined {
  const first = pages.current(1);
  if (first?.isIntact !== true) return undefined;
  const free = new Set<number>();
  for (let trunk = first.content.readUInt32BE(32); trunk !== 0;) {
    const version = pages.current(trunk);
    if (version?.isIntact !== true || free.has(trunk)) return undefined;
    free.add(trunk);
    const count = version.content.readUInt32BE(4);
    for (let leaf = 0; leaf < count; leaf++) free.add(version.content.readUInt32BE(8 + 4 * leaf));
    trunk = version.content.readUInt32BE(0);
  }
  return free;
}
