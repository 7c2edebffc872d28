import type { SalvageSummary } from "../../plane/backup/salvage.js";

/** Lost objects that are named. */
const maxNamed = 20;

/** Lines about what is lost of a damaged store. */
export function lossLines(summary: SalvageSummary): string[] {
  const { lost, gaps, lostWithoutName, knowsGaps, mayHaveDeleted } = summary;
  const lines = lost
    .slice(0, maxNamed)
    .map(({ key, revision, kept }) =>
      kept === undefined
        ? `lost: ${key} (revision ${revision})`
        : `lost: revision ${revision} of ${key}; the older revision ${kept} is kept`,
    );
  if (lost.length > maxNamed) lines.push(`lost: ${lost.length - maxNamed} more objects`);
  if (lostWithoutName > 0) lines.push(`lost: ${lostWithoutName} objects whose names are lost, too`);
  for (const { after, before } of gaps.slice(0, maxNamed)) {
    lines.push(
      before === undefined
        ? `lost: changes after revision ${after}`
        : `lost: changes after revision ${after} and up to revision ${before}`,
    );
  }
  if (gaps.length > 0)
    lines.push(
      "objects that these changes created are lost, those they updated or deleted are older versions",
    );
  if (!knowsGaps)
    lines.push(
      "the record of where the history starts or ends is lost: whether more changes are missing cannot be told",
    );
  if (mayHaveDeleted)
    lines.push("the list of unused pages is lost: objects that were deleted may be there again");
  return lines;
}
