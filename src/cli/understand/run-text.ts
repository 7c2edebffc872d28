import picocolors from "picocolors";
import type { FieldChange, Json } from "../../model/core.js";
import { escapeText } from "../../model/diff/yaml-text.js";
import { isJsonObject } from "../../model/object/json.js";
import type { RunReport } from "../../plane/management/contract.js";
import { did, renderRun, sentLines, unknownBefore, wroteLines } from "../../runtime/runs/render-run.js";
import { changeLines } from "./change-lines.js";

type Write = RunReport["writes"][number];

/** How many lines stand below what was written: the outcome, and the run's id. */
const linesAfter = 2;

/**
 * One run as it was told, for people to read. All but the writes is put the way the runtime puts it; of the writes only the
 * changes are known here.
 */
export function runText(run: RunReport, colors: boolean): string {
  const paint = picocolors.createColors(colors);
  const lines = renderRun({ ...run, writes: [], droppedWrites: 0 }, { colors }).split("\n");
  const wrote = wroteLines(run, (write) => writeLines(write, colors)).map(
    (line, index) => `  ${paint.cyan((index === 0 ? "wrote" : "").padEnd(8))} ${line}`,
  );
  lines.splice(-linesAfter, 0, ...wrote);
  return lines.join("\n");
}

function writeLines(write: Write, colors: boolean): readonly string[] {
  const paint = picocolors.createColors(colors);
  const { verb, kind, namespace, name, subresource, error } = write;
  const object = paint.bold(escapeText(`${kind} ${namespace === "" ? name : `${namespace}/${name}`}`));
  if (error !== undefined) return [`${verb} ${object} ${paint.red(`failed: ${escapeText(error)}`)}`];
  const head = `${did(verb, write.isNew)} ${object}${subresource === undefined ? "" : ` (${subresource})`}`;
  if (verb === "delete" || verb === "deleteCollection") return [head];
  if (write.sent !== undefined) {
    return [`${head} ${paint.dim(unknownBefore)}`, ...sentLines(write.sent as Json)];
  }
  const lines = changeLines(write.changes.flatMap(withoutAddress), colors);
  return lines.length === 0
    ? [`${head} ${paint.dim("(no change)")}`]
    : [head, ...lines.map((line) => `  ${line}`)];
}

const known = new Set([
  "name",
  "namespace",
  "managedFields",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "uid",
  "ownerReferences",
]);

/** Of a whole object that is new, what the line above it does not say already. */
function withoutAddress(change: FieldChange): readonly FieldChange[] {
  if (change.kind !== "add" || change.path.length > 0 || !isJsonObject(change.to)) return [change];
  const { apiVersion: _, kind: __, metadata = {}, ...content } = change.to;
  const more = Object.fromEntries(
    Object.entries(metadata as Readonly<Record<string, Json>>).filter(([field]) => !known.has(field)),
  );
  const shown = Object.keys(more).length === 0 ? content : { metadata: more, ...content };
  return Object.keys(shown).length === 0 ? [] : [{ ...change, to: shown }];
}
