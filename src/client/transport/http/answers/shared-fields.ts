/** How many different sets are remembered; beyond that all are forgotten, and what is in use is found again. */
const most = 1000;

const known = new Map<string, object>();

/**
 * Keeps equal sets of managed fields once. Objects of a kind are mostly written by the same managers, each of whom always
 * writes the same fields; told anew with every object, these sets are more than half of what an informer would keep.
 */
export function shareFields(object: Record<string, unknown>): void {
  const { managedFields } = (object["metadata"] ?? {}) as { readonly managedFields?: unknown };
  if (!Array.isArray(managedFields)) return;
  for (const entry of managedFields as ({ fieldsV1?: unknown } | null)[]) {
    if (typeof entry?.fieldsV1 !== "object" || entry.fieldsV1 === null) continue;
    const text = JSON.stringify(entry.fieldsV1);
    const same = known.get(text);
    if (same !== undefined) entry.fieldsV1 = same;
    else {
      if (known.size >= most) known.clear();
      known.set(text, entry.fieldsV1);
    }
  }
}
