import picocolors from "picocolors";
import type { FieldChange, Json } from "../../model/core.js";
import { isJsonObject } from "../../model/object/json.js";
import type { RunReport } from "../../plane/management/contract.js";
import {
  contentOf,
  hiddenMetadata,
  renderRun,
  writeLines,
  wroteLines,
} from "../../runtime/runs/render-run.js";
import { changeLines } from "./change-lines.js";

type Write = RunReport["writes"][number];
type Colors = ReturnType<typeof picocolors.createColors>;

/** Lines of a run below its writes: the outcome and the id. */
const linesAfter = 2;

/**
 * Formats a run of the management API. Everything but the writes is formatted by the runtime; of the writes, only the changed
 * fields are available here.
 */
export function runText(run: RunReport, colors: boolean): string {
  const paint = picocolors.createColors(colors);
  const lines = renderRun({ ...run, writes: [], droppedWrites: 0 }, { colors }).split("\n");
  const wrote = wroteLines(run, (write) => reportLines(write, paint, colors)).map(
    (line, index) => `  ${paint.cyan((index === 0 ? "wrote" : "").padEnd(8))} ${line}`,
  );
  lines.splice(-linesAfter, 0, ...wrote);
  return lines.join("\n");
}

function reportLines(write: Write, paint: Colors, colors: boolean): readonly string[] {
  const changedLines = (): readonly string[] => changeLines(write.changes.flatMap(withoutAddress), colors);
  return writeLines({ ...write, sent: write.sent as Json | undefined }, changedLines, paint);
}

/** Metadata of a new object that is not shown; `fettle tree` shows its owner. */
const hiddenWhenNew = new Set([...hiddenMetadata, "ownerReferences"]);

/** Removes the fields of a new object that its heading shows already. */
function withoutAddress(change: FieldChange): readonly FieldChange[] {
  if (change.kind !== "add" || change.path.length > 0 || !isJsonObject(change.to)) return [change];
  const printed = contentOf(change.to, hiddenWhenNew) ?? {};
  return Object.keys(printed).length === 0 ? [] : [{ ...change, to: printed }];
}
