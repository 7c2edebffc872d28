import picocolors from "picocolors";
import { formatDuration, renderDiff, type Json, type JsonObject } from "../../model/core.js";
import { escapeText, writeValue } from "../../model/diff/yaml-text.js";
import { isJsonObject } from "../../model/object/json.js";
import { comparable, withoutSecrets } from "../log/secrets.js";
import { describeTrigger } from "./describe.js";
import type { Run, RunOutcome, StepRecord, Trigger, WriteRecord } from "./run.js";

export interface RenderRunOptions {
  /** Colours for a terminal. Default false. */
  readonly colors?: boolean | undefined;
  /** Whether what was written is shown. Default true. */
  readonly diffs?: boolean | undefined;
}

/** What the line above a diff says already, and what every write changes and nobody asks about. */
const noise = new Set([
  "name",
  "namespace",
  "managedFields",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "uid",
  "selfLink",
]);

type Colors = ReturnType<typeof picocolors.createColors>;

/**
 * One run, for people to read: why it took place, what it did and how it ended.
 *
 * @example
 * for (const run of controllers.runs.of("Site", "default/hello")) console.log(renderRun(run, { colors: true }));
 */
export function renderRun(run: Run, { colors = false, diffs = true }: RenderRunOptions = {}): string {
  const paint = picocolors.createColors(colors);
  const title = `${paint.bold(escapeText(`${run.kind} ${run.key}`))} ${paint.dim(`· ${clockTime(run.startedAt)} · ${escapeText(run.controller)}`)}`;
  const parts: (readonly [string, readonly string[]])[] = [
    ["because", because(run, paint)],
    ["timing", [timing(run)]],
    ["steps", run.steps.map((step) => stepLine(step, paint))],
    ["wrote", wroteLines(run, (write) => writeLines(write, paint, diffs, colors))],
    ["outcome", [outcomeLine(run.outcome, paint)]],
    ["run", [paint.dim(run.traceId === undefined ? run.id : `${run.id} · trace ${run.traceId}`)]],
  ];
  return [title, ...parts.flatMap(([name, lines]) => section(name, lines, paint))].join("\n");
}

/** The name of a section stands before its first line only. */
function section(name: string, lines: readonly string[], paint: Colors): readonly string[] {
  return lines.map((line, index) => `  ${paint.cyan((index === 0 ? name : "").padEnd(8))} ${line}`.trimEnd());
}

function because({ triggers, droppedTriggers, startedAt }: Run, paint: Colors): readonly string[] {
  const lines = triggers.map((trigger) => {
    const ago = before(trigger, startedAt);
    return escapeText(describeTrigger(trigger)) + (ago === "" ? "" : paint.dim(` ${ago}`));
  });
  if (droppedTriggers > 0)
    lines.push(
      `and ${count(droppedTriggers, "earlier reason")} that ${droppedTriggers === 1 ? "was" : "were"} not kept`,
    );
  return lines.length === 0 ? ["nobody said why"] : lines;
}

function before({ at, due }: Trigger, startedAt: number): string {
  const ago = startedAt - (due ?? at);
  return ago < 1 ? "" : `(${span(ago)} earlier)`;
}

function timing({ wait, duration, failures, generation, timedOut }: Run): string {
  return [
    wait < 1 ? "started at once" : `waited ${span(wait)} for a worker`,
    `took ${span(duration)}`,
    ...(timedOut ? ["was stopped since its time was up"] : []),
    ...(generation === undefined ? [] : [`generation ${generation}`]),
    ...(failures === 0 ? [] : [`after ${count(failures, "failure")} in a row`]),
  ].join(", ");
}

function stepLine({ name, duration, attempts, outcome, error, undo }: StepRecord, paint: Colors): string {
  const sign = {
    done: paint.green("✓"),
    skipped: paint.dim("–"),
    failed: paint.red("✗"),
    planned: paint.dim("○"),
  }[outcome];
  const details = [
    outcome === "skipped" ? "nothing to do" : outcome === "planned" ? "would run" : span(duration),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(undo === undefined
      ? []
      : [undo.ok ? "undone" : `could not be undone: ${escapeText(undo.error ?? "")}`]),
  ].join(", ");
  const line = `${sign} ${escapeText(name)} ${paint.dim(`(${details})`)}`;
  return error === undefined ? line : `${line}: ${paint.red(escapeText(error))}`;
}

/** The lines of all writes; of those that were not kept, which came before the last one, how many they were. */
export function wroteLines<Write>(
  { writes, droppedWrites }: { readonly writes: readonly Write[]; readonly droppedWrites: number },
  linesOf: (write: Write) => readonly string[],
): readonly string[] {
  if (droppedWrites === 0) return writes.flatMap(linesOf);
  const dropped = `and ${count(droppedWrites, "write")} that ${droppedWrites === 1 ? "was" : "were"} not kept`;
  return [...writes.slice(0, -1).flatMap(linesOf), dropped, ...writes.slice(-1).flatMap(linesOf)];
}

function writeLines(write: WriteRecord, paint: Colors, diffs: boolean, colors: boolean): readonly string[] {
  const { verb, kind, namespace, name, subresource, error, before, after } = write;
  const object = `${kind.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
  const head = `${did(verb, isNew(write))} ${paint.bold(escapeText(object))}${subresource === undefined ? "" : ` (${subresource})`}`;
  if (error !== undefined)
    return [`${verb} ${paint.bold(escapeText(object))} ${paint.red(`failed: ${escapeText(error)}`)}`];
  if (!diffs || after === undefined || verb === "delete" || verb === "deleteCollection") return [head];
  const sent = sentOf(write);
  if (sent !== undefined) return [`${head} ${paint.dim(unknownBefore)}`, ...sentLines(sent)];
  const [from, to] = comparable(before, after);
  const text = renderDiff(contentOf(from), contentOf(to), { color: colors, context: 0 });
  return text === ""
    ? [`${head} ${paint.dim("(no change)")}`]
    : [head, ...text.split("\n").map((line) => `  ${line}`)];
}

/** Whether an object may have been made by a write: nothing was there, or what is applied may find nothing. */
export function isNew({ verb, before, sent }: Pick<WriteRecord, "verb" | "before" | "sent">): boolean {
  return before === undefined && (sent === undefined || verb === "apply");
}

/** What was sent where it is not known what was there before: of a Secret which entries, and not what they are. */
export function sentOf({ kind, sent }: Pick<WriteRecord, "kind" | "sent">): Json | undefined {
  if (kind.kind !== "Secret" || sent === undefined) return sent as Json | undefined;
  return isJsonObject(sent as Json)
    ? (withoutSecrets({ ...(sent as JsonObject), kind: "Secret" }) as Json)
    : "[hidden]";
}

/** Stands behind a write of which nobody can tell what it changed. */
export const unknownBefore = "(what was there before is not known; this was sent)";

/** What was sent, as it stands below a write. */
export function sentLines(sent: Json): readonly string[] {
  const lines: string[] = [];
  writeValue(isJsonObject(sent) ? (contentOf(sent) ?? {}) : sent, "  ", "  ", (line) => lines.push(line));
  return lines;
}

/** All of an object that is worth comparing. */
function contentOf(object: Json | undefined): Json | undefined {
  if (!isJsonObject(object)) return undefined;
  const { apiVersion: _, kind: __, metadata = {}, ...content } = object;
  const fields = Object.entries(metadata as JsonObject).filter(([name]) => !noise.has(name));
  return fields.length === 0 ? content : { metadata: Object.fromEntries(fields), ...content };
}

/** What a write did, in a word or two. */
export function did(verb: string, isNew: boolean): string {
  switch (verb) {
    case "create":
      return "made";
    case "delete":
      return "deleted";
    case "deleteCollection":
      return "deleted all of";
    default:
      return isNew ? "applied" : "changed";
  }
}

function outcomeLine(outcome: RunOutcome, paint: Colors): string {
  switch (outcome.type) {
    case "done":
      return paint.green("done");
    case "gone":
      return paint.green("done: the object is gone");
    case "requeue":
      return `${paint.green("done")}, again in ${formatDuration(outcome.after)}${forReason(outcome.reason)}`;
    case "wait": {
      const after = outcome.after === undefined ? "" : `, looks again in ${formatDuration(outcome.after)}`;
      return paint.yellow(`waits: ${said(outcome)}`) + after;
    }
    case "fail":
      return paint.red(`failed for good: ${said(outcome)}`);
    case "error":
      return `${paint.red(`failed: ${said(outcome)}`)}; it will be tried again`;
    case "cancelled":
      return paint.yellow(`cancelled: ${escapeText(outcome.message)}`);
  }
}

function forReason(reason: string): string {
  return reason === "" ? "" : `: ${escapeText(reason)}`;
}

function said({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return escapeText(message === "" ? reason : `${reason}: ${message}`);
}

/** How long something took: of what took less than can be measured, that it was less. */
function span(milliseconds: number): string {
  if (milliseconds < 1) return "<1ms";
  // Of a minute nobody asks for the milliseconds.
  return formatDuration(milliseconds < 60_000 ? milliseconds : Math.round(milliseconds / 1000) * 1000);
}

function clockTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("T", " ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
