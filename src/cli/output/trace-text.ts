import { escapeText } from "../../model/diff/yaml-text.js";
import type { ChangeReport, RunReport } from "../../plane/management/contract.js";
import { describeTrigger } from "../../runtime/runs/describe.js";
import type { Colors } from "../terminal/columns.js";

const operations = { ADDED: "create", MODIFIED: "update", DELETED: "delete" } as const;
const timeLength = "2026-01-01T00:00:00Z".length;

/** A line about one write to the store. */
export function operationText(change: ChangeReport, paint: Colors): string {
  if (change.type === "EMITTED") {
    const { id, type: eventType, timestamp } = change.event;
    const title = paint.bold(escapeText(`event ${eventType}`));
    return lineOf(
      change.revision,
      timestamp,
      paint.cyan("append"),
      `${title} ${paint.dim(escapeText(id))}`,
      paint,
    );
  }
  const { revision, type, object, changes, time = "", user, managers } = change;
  const { namespace, name = "" } = object.metadata;
  const title = `${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  const color = { ADDED: paint.green, MODIFIED: paint.yellow, DELETED: paint.red }[type];
  const by = user ?? managers[0];
  const fields =
    changes.length === 0 ? "" : ` (${changes.length === 1 ? "1 field" : `${changes.length} fields`})`;
  const writer = by === undefined ? "" : paint.dim(escapeText(` by ${by}`));
  return lineOf(
    revision,
    time,
    color(operations[type]),
    `${paint.bold(escapeText(title))}${fields}${writer}`,
    paint,
  );
}

function lineOf(revision: number, time: string, operation: string, text: string, paint: Colors): string {
  // Times of events have milliseconds, those of objects do not.
  const at = time.replace(/\.\d+Z$/, "Z").padEnd(timeLength);
  return `${String(revision).padStart(6)}  ${paint.dim(at)}  ${operation}  ${text}\n`;
}

/** A line for each event that a run has handled. */
export function handledText(run: RunReport, paint: Colors): string {
  const { kind, key, controller, triggers, droppedTriggers, duration, outcome, id, startedAt } = run;
  const isFailed = outcome.type === "fail" || outcome.type === "error";
  const result = `${isFailed ? paint.red(outcome.type) : paint.green(outcome.type)} in ${Math.round(duration)}ms`;
  const line = (at: number, text: string): string =>
    [
      paint.dim(new Date(at).toISOString()),
      paint.bold(escapeText(`${kind} ${key}`)),
      `${escapeText(text)} → ${escapeText(controller)}: ${result} ${paint.dim(`(run ${id})`)}\n`,
    ].join("  ");
  return [
    ...triggers.map((trigger) => line(trigger.at, describeTrigger(trigger))),
    ...(droppedTriggers === 0 ? [] : [line(startedAt, `${droppedTriggers} more events`)]),
  ].join("");
}
