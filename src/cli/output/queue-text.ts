import { formatAge, formatDuration } from "../../model/core.js";
import type { QueuedObject, QueueList } from "../../plane/management/contract.js";
import { cellText, columns, headerRow, type Colors, type TableCell } from "../terminal/columns.js";

/** Formats the objects in the queues of controllers. */
export function queueText({ objects }: QueueList, now: number, paint: Colors): string {
  if (objects.length === 0) return "the queues are empty\n";
  const rows = objects.map((each) => [
    { text: cellText(`${each.kind} ${each.key}`), paint: paint.bold },
    each.controller,
    stateCell(each, paint),
    each.failures === 0 ? "0" : { text: String(each.failures), paint: paint.red },
    dueText(each, now),
    cellText(each.reason),
  ]);
  const titles = ["OBJECT", "CONTROLLER", "STATE", "FAILURES", "DUE", "REASON"];
  return columns([headerRow(titles, paint), ...rows]);
}

/** State of a queued object in words; a failed one waits for its next attempt. */
function stateCell({ state, failures, hold }: QueuedObject, paint: Colors): TableCell {
  switch (state) {
    case "batched":
    case "delayed":
      if (hold !== undefined) return { text: heldText(hold), paint: paint.yellow };
      return failures > 0 ? { text: `retry ${failures}`, paint: paint.yellow } : state;
    case "dirty":
      return "running, again";
    case "dead":
      return { text: "given up", paint: paint.red };
    case "paused":
      return { text: state, paint: paint.yellow };
    default:
      return state;
  }
}

/** Strategy that holds an object back, in a few words. */
function heldText(hold: NonNullable<QueuedObject["hold"]>): string {
  const { type, name = type } = hold;
  return type === "batched" ? `${name}, ${hold.keys} of ${hold.size}` : `held by ${name}`;
}

function dueText({ due, state }: QueuedObject, now: number): string {
  if (due === undefined || state === "running" || state === "dirty") return "";
  return due > now ? `in ${shortDuration(due - now)}` : `${formatAge(now - due)} ago`;
}

/** Sentence about the next run of an object; undefined if it is not queued. */
export function nextRunText(
  { state, failures, due, key, kind }: Omit<QueuedObject, "controller">,
  now: number,
): string | undefined {
  const object = `${kind.toLowerCase()}/${key.slice(key.indexOf("/") + 1)}`;
  const time = due === undefined ? "" : ` (${new Date(due).toISOString().slice(0, 19)}Z)`;
  const when = due === undefined || due <= now ? "now" : `in ${shortDuration(due - now)}${time}`;
  switch (state) {
    case "dead":
      return `given up after ${failures === 1 ? "one failure" : `${failures} failures`}${time}; retry it with: fettle retry ${object}`;
    case "paused":
      return `paused; resume it with: fettle resume ${object}`;
    case "running":
    case "dirty":
      return state === "running" ? "running now" : "running now, and again afterwards";
    case "waiting":
      return "due now, waits for a worker";
    case "batched":
    case "delayed":
      return failures === 0
        ? `next run ${when}`
        : `attempt ${failures + 1} ${when}, after ${failures === 1 ? "one failure" : `${failures} failures in a row`}; retry it now with: fettle retry ${object}`;
  }
}

/** Duration for people: no milliseconds from a second on, no seconds from an hour on. */
function shortDuration(milliseconds: number): string {
  const unit = milliseconds < 1000 ? 1 : milliseconds < 3_600_000 ? 1000 : 60_000;
  return formatDuration(Math.ceil(milliseconds / unit) * unit);
}
