import picocolors from "picocolors";
import { formatDuration, renderDiff, type Json, type JsonObject } from "../../model/core.js";
import { escapeText, writeYamlValue } from "../../model/diff/yaml-text.js";
import { isJsonObject } from "../../model/object/json.js";
import { comparableVersions } from "../log/secrets.js";
import { sentOf } from "./compact-run.js";
import { describeTrigger } from "./describe.js";
import type { Run, StepRecord, Trigger, WriteRecord } from "./run.js";

export interface RenderRunOptions {
  /** Adds terminal colours. Default: false. */
  readonly colors?: boolean | undefined;
  /** Shows the differences that writes made. Default: true. */
  readonly diffs?: boolean | undefined;
}

/** Metadata that the line above a diff shows already, or that every write changes. */
export const hiddenMetadata: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "managedFields",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "uid",
  "selfLink",
]);

/** Functions that color text. Spelled out, since users of the declarations do not have picocolors. */
type Colors = Readonly<
  Record<"bold" | "cyan" | "dim" | "green" | "red" | "yellow", (text: string) => string>
>;

/**
 * Renders a run as text: its triggers, steps, writes and outcome.
 *
 * @example
 * for (const run of await controllers.runs.find({ kind: "Site", key: "default/hello" })) console.log(renderRun(run, { colors: true }));
 */
export function renderRun(run: Run, { colors = false, diffs = true }: RenderRunOptions = {}): string {
  const paint = picocolors.createColors(colors);
  const title = `${paint.bold(escapeText(`${run.kind} ${run.key}`))} ${paint.dim(`· ${clockTime(run.startedAt)} · ${escapeText(run.controller)}`)}`;
  const parts: (readonly [string, readonly string[]])[] = [
    ["because", because(run, paint)],
    ["timing", [timing(run)]],
    ["steps", run.steps.map((step) => stepLine(step, paint))],
    ["wrote", wroteLines(run, (write) => recordLines(write, paint, diffs, colors))],
    ["outcome", [outcomeLine(run, paint)]],
    ["run", [paint.dim(run.traceId === undefined ? run.id : `${run.id} · trace ${run.traceId}`)]],
  ];
  return [title, ...parts.flatMap(([name, lines]) => section(name, lines, paint))].join("\n");
}

/** Puts the name of a section before its first line. */
function section(name: string, lines: readonly string[], paint: Colors): readonly string[] {
  return lines.map((line, index) => `  ${paint.cyan((index === 0 ? name : "").padEnd(8))} ${line}`.trimEnd());
}

function because({ triggers, droppedTriggers, startedAt }: Run, paint: Colors): readonly string[] {
  const lines = triggers.map((trigger) => {
    const ago = before(trigger, startedAt);
    return escapeText(describeTrigger(trigger)) + (ago === "" ? "" : paint.dim(` ${ago}`));
  });
  if (droppedTriggers > 0) lines.push(`and ${count(droppedTriggers, "earlier reason")} not recorded`);
  return lines.length === 0 ? ["no trigger recorded"] : lines;
}

function before({ at, due }: Trigger, startedAt: number): string {
  const ago = startedAt - (due ?? at);
  return ago < 1 ? "" : `(${span(ago)} earlier)`;
}

function timing({ wait, duration, failures, generation, timedOut }: Run): string {
  return [
    wait < 1 ? "started at once" : `waited ${span(wait)} for a worker`,
    `took ${span(duration)}`,
    ...(timedOut ? ["cancelled by its timeout"] : []),
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

/** Lines of all writes, with the number of dropped writes before the last one. */
export function wroteLines<Write>(
  { writes, droppedWrites }: { readonly writes: readonly Write[]; readonly droppedWrites: number },
  linesOf: (write: Write) => readonly string[],
): readonly string[] {
  if (droppedWrites === 0) return writes.flatMap(linesOf);
  const dropped = `and ${count(droppedWrites, "write")} not recorded`;
  return [...writes.slice(0, -1).flatMap(linesOf), dropped, ...writes.slice(-1).flatMap(linesOf)];
}

/** A write as it is shown, without the fields that it changed. */
interface WriteSummary {
  readonly verb: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string | undefined;
  readonly error?: string | undefined;
  readonly isNew: boolean;
  /** Body of a request that has nothing to compare with. */
  readonly sent?: Json | undefined;
}

/** Lines of one write: a heading, and below it what was sent or the lines of the fields that changed. */
export function writeLines(
  { verb, kind, namespace, name, subresource, error, isNew, sent }: WriteSummary,
  changedLines: (() => readonly string[]) | undefined,
  paint: Colors,
): readonly string[] {
  const object = paint.bold(escapeText(`${kind} ${namespace === "" ? name : `${namespace}/${name}`}`));
  if (error !== undefined) return [`${verb} ${object} ${paint.red(`failed: ${escapeText(error)}`)}`];
  const head = `${did(verb, isNew)} ${object}${subresource === undefined ? "" : ` (${subresource})`}`;
  if (changedLines === undefined || verb === "delete" || verb === "deleteCollection") return [head];
  if (sent !== undefined) {
    return [`${head} ${paint.dim("(previous state unknown; this was sent)")}`, ...sentLines(sent)];
  }
  const lines = changedLines();
  if (lines.length === 0) return [`${head} ${paint.dim("(no change)")}`];
  return [head, ...lines.map((line) => `  ${line}`)];
}

function recordLines(write: WriteRecord, paint: Colors, diffs: boolean, colors: boolean): readonly string[] {
  const { before, after } = write;
  const changedLines = (): readonly string[] => {
    const [from, to] = comparableVersions(before, after);
    const text = renderDiff(contentOf(from), contentOf(to), { color: colors, context: 0 });
    return text === "" ? [] : text.split("\n");
  };
  return writeLines(
    { ...write, kind: write.kind.kind, isNew: isNew(write), sent: sentOf(write) },
    diffs && after !== undefined ? changedLines : undefined,
    paint,
  );
}

/** Tests whether a write may have created its object: none was there before, or it is not known and apply can create. */
export function isNew({ verb, before, sent }: Pick<WriteRecord, "verb" | "before" | "sent">): boolean {
  return before === undefined && (sent === undefined || verb === "apply");
}

/** Body of a request as indented YAML lines. */
function sentLines(sent: Json): readonly string[] {
  const lines: string[] = [];
  writeYamlValue(isJsonObject(sent) ? (contentOf(sent) ?? {}) : sent, "  ", "  ", (line) => lines.push(line));
  return lines;
}

/** Parts of an object that are shown and compared. */
export function contentOf(
  object: Json | undefined,
  hidden: ReadonlySet<string> = hiddenMetadata,
): JsonObject | undefined {
  if (!isJsonObject(object)) return undefined;
  const { apiVersion: _, kind: __, metadata = {}, ...content } = object;
  const fields = Object.entries(metadata as JsonObject).filter(([name]) => !hidden.has(name));
  return fields.length === 0 ? content : { metadata: Object.fromEntries(fields), ...content };
}

/** Past tense of a verb. */
function did(verb: string, isNew: boolean): string {
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

function outcomeLine({ outcome, givenUp }: Pick<Run, "outcome" | "givenUp">, paint: Colors): string {
  switch (outcome.type) {
    case "done":
      return paint.green("done");
    case "gone":
      return paint.green("done: the object is gone");
    case "requeue":
      return `${paint.green("done")}, again in ${formatDuration(outcome.after)}${forReason(outcome.reason)}`;
    case "wait": {
      const after = outcome.after === undefined ? "" : `, checks again in ${formatDuration(outcome.after)}`;
      return paint.yellow(`waits: ${reasonText(outcome)}`) + after;
    }
    case "fail":
      return paint.red(`failed permanently: ${reasonText(outcome)}`);
    case "error": {
      const next = givenUp === true ? "its retries are used up" : "it will be retried";
      return `${paint.red(`failed: ${reasonText(outcome)}`)}; ${next}`;
    }
    case "cancelled":
      return paint.yellow(`cancelled: ${escapeText(outcome.message)}`);
  }
}

function forReason(reason: string): string {
  return reason === "" ? "" : `: ${escapeText(reason)}`;
}

function reasonText({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return escapeText(message === "" ? reason : `${reason}: ${message}`);
}

/** Duration as text, with seconds as the finest unit from a minute on. */
function span(milliseconds: number): string {
  if (milliseconds < 1) return "<1ms";
  return formatDuration(
    milliseconds < 60_000 ? Math.round(milliseconds) : Math.round(milliseconds / 1000) * 1000,
  );
}

function clockTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("T", " ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
