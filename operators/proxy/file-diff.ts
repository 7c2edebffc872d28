import { structuredPatch } from "diff";

type Files = ReadonlyMap<string, string>;

/** Lines around a change. */
const contextLines = 2;
/** Lines of a diff; a longer one is cut. */
const maxLines = 400;
/** Edits after which two files count as entirely different. */
const maxEdits = 2000;

/** Differences between two sets of files, for people. Contents of certificates and keys are not shown. */
export function fileDiff(before: Files, after: Files): string {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  const lines = paths.flatMap((path) => pathDiff(path, before.get(path), after.get(path)));
  const cut = lines.slice(0, maxLines);
  return (lines.length > maxLines ? [...cut, `… ${lines.length - maxLines} more lines`] : cut).join("\n");
}

function pathDiff(path: string, before: string | undefined, after: string | undefined): readonly string[] {
  if (before === after) return [];
  const verb = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  if (path.startsWith("certificates/")) return [`${path} ${verb}`];
  const patch = structuredPatch(path, path, before ?? "", after ?? "", undefined, undefined, {
    context: contextLines,
    maxEditLength: maxEdits,
  });
  if (patch === undefined) return [`${path} ${verb} in more than ${maxEdits} lines`];
  const hunks = patch.hunks.map(
    ({ oldStart, newStart, lines }) => `@@ ${oldStart} → ${newStart} @@\n${lines.join("\n")}`,
  );
  return [`${path} ${verb}`, ...hunks.join("\n").split("\n")];
}
