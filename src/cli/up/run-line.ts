import picocolors from "picocolors";
import { formatDuration, type KubeObject } from "../../model/core.js";
import type { Colors } from "../terminal/columns.js";
import { escapeText } from "../../model/diff/yaml-text.js";
import type { Run, RunOutcome, WriteRecord } from "../../runtime/runs/run.js";

/** Maximum number of objects that are named; above it, only their number is shown. */
const maxNamed = 4;
/** Maximum number of objects whose last outcome is kept. */
const maxOutcomes = 10_000;
/** Outcomes that are kept for each object: events may arrive after the next run. */
const outcomesPerObject = 4;
/** Characters of an event's message that are compared. */
const comparedLength = 500;

/**
 * Formats each run as a line for the terminal:
 *
 *     12:30:01 ✓ Site default/hello  created Page hello-1, hello-2 · publish · ready: Published · next run in 12h
 *
 * A run without effects and with the same outcome as the last one gets no line. Of repeated failures, the 1st, 2nd,
 * 4th, 8th … and the last one get a line.
 */
export class RunLines {
  readonly #paint: Colors;
  /** Texts of the last outcomes by object, newest last. */
  readonly #last = new Map<string, readonly string[]>();

  constructor(colors: boolean) {
    this.#paint = picocolors.createColors(colors);
  }

  /** True when an event repeats the outcome of one of the last runs of its object. */
  hasOutcome(
    object: string,
    { reason, message }: { readonly reason: string; readonly message: string },
  ): boolean {
    // The server may have cut a long message.
    const text = message.slice(0, comparedLength);
    const outcomes = this.#last.get(object) ?? [];
    return outcomes.some(
      (outcome) => outcome.includes(text) || (reason === "GivenUp" && outcome.startsWith("failed")),
    );
  }

  /** Line without its line break; undefined when there is nothing to show. */
  line(run: Run): string | undefined {
    const object = `${run.kind} ${run.key}`;
    const did = effectsOf(run);
    const end = outcomeText(run.outcome);
    const same = this.#last.get(object)?.at(-1) === end;
    this.#keep(object, run.outcome.type === "gone" ? undefined : end);
    const isWell = run.outcome.type === "done" || run.outcome.type === "requeue";
    if (did.length === 0 && (isWell || (same && !isReported(run)))) return undefined;
    if (run.outcome.type === "error" && !isReported(run)) return undefined;
    const paint = this.#paint;
    const parts = [...did.map((each) => escapeText(each)), ...ending(run, paint)];
    return `${timeText(run.startedAt + run.duration, paint)} ${sign(run.outcome, paint)} ${paint.bold(escapeText(object))}  ${parts.join(paint.dim(" · "))}`;
  }

  #keep(object: string, end: string | undefined): void {
    const before = this.#last.get(object) ?? [];
    this.#last.delete(object);
    if (end === undefined) return;
    this.#last.set(object, [...before.slice(1 - outcomesPerObject), end]);
    const [oldest] = this.#last.keys();
    if (this.#last.size > maxOutcomes && oldest !== undefined) this.#last.delete(oldest);
  }
}

/** Time of day in the local time zone. */
export function timeText(at: number, paint: Colors): string {
  const time = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  return paint.dim(`${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`);
}

function isReported({ failures, givenUp }: Run): boolean {
  const times = failures + 1;
  return givenUp === true || (times & (times - 1)) === 0;
}

function sign({ type }: RunOutcome, paint: Colors): string {
  if (type === "fail" || type === "error") return paint.red("✗");
  return type === "wait" || type === "cancelled" ? paint.yellow("…") : paint.green("✓");
}

/** Effects of a run: steps, writes and the new status. */
export function effectsOf(run: Run): readonly string[] {
  const isOwn = ({ kind, namespace, name }: WriteRecord): boolean =>
    kind.kind === run.kind && (namespace === "" ? name : `${namespace}/${name}`) === run.key;
  const written = run.writes.filter((write) => write.error === undefined && hasChanged(write));
  const others = new Map<string, string[]>();
  for (const write of written.filter((each) => !isOwn(each))) {
    const key = `${verbOf(write)} ${write.kind.kind}`;
    others.set(key, [...(others.get(key) ?? []), write.name]);
  }
  const status = written.findLast((write) => isOwn(write) && write.subresource === "status");
  const steps = run.steps.filter(({ outcome }) => outcome === "done" || outcome === "failed");
  return [
    ...Array.from(others, ([what, names]) => grouped(what, names)),
    ...steps.map(({ name, outcome, undo }) => {
      if (outcome === "failed") return `${name} failed`;
      return undo === undefined ? name : `${name}, ${undo.ok ? "undone" : "could not be undone"}`;
    }),
    ...(status === undefined ? [] : readiness(status.after)),
  ];
}

function hasChanged({ before, after }: WriteRecord): boolean {
  const version = after?.metadata?.resourceVersion;
  return version === undefined || before?.metadata.resourceVersion !== version;
}

function verbOf({ verb, before, sent }: WriteRecord): string {
  if (verb === "delete" || verb === "deleteCollection") return "deleted";
  return verb === "create" || (before === undefined && sent === undefined) ? "created" : "changed";
}

function grouped(what: string, names: readonly string[]): string {
  const unique = [...new Set(names)];
  if (unique.length <= maxNamed) return `${what} ${unique.join(", ")}`;
  const [verb = "", kind = ""] = what.split(" ");
  return `${verb} ${unique.length} ${kind} objects`;
}

function readiness(object: KubeObject | undefined): readonly string[] {
  const { status } = (object ?? {}) as { readonly status?: { readonly conditions?: unknown } };
  const conditions = Array.isArray(status?.conditions)
    ? (status.conditions as Record<string, unknown>[])
    : [];
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined) return ["new status"];
  return [`${ready["status"] === "True" ? "ready" : "not ready"}: ${String(ready["reason"])}`];
}

function ending({ outcome, failures, givenUp }: Run, paint: Colors): readonly string[] {
  const text = escapeText(outcomeText(outcome));
  switch (outcome.type) {
    case "done":
      return [];
    case "gone":
    case "requeue":
      return [paint.dim(text)];
    case "wait":
    case "cancelled":
      return [paint.yellow(text)];
    case "fail":
      return [paint.red(text) + paint.dim("; given up until something changes")];
    case "error": {
      const times = failures === 0 ? "" : `, ${failures + 1} times in a row`;
      const next = givenUp === true ? "given up until something changes" : "retrying";
      return [paint.red(text) + paint.dim(`${times}; ${next}`)];
    }
  }
}

function outcomeText(outcome: RunOutcome): string {
  switch (outcome.type) {
    case "done":
      return "done";
    case "gone":
      return "gone";
    case "requeue": {
      const why = outcome.reason === "" ? "" : `: ${outcome.reason}`;
      return `next run in ${formatDuration(outcome.after)}${why}`;
    }
    case "wait":
      return `waiting: ${reasonText(outcome)}`;
    case "fail":
      return `failed permanently: ${reasonText(outcome)}`;
    case "error":
      return `failed: ${reasonText(outcome)}`;
    case "cancelled":
      return `cancelled: ${outcome.message}`;
  }
}

function reasonText({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return message === "" ? reason : `${reason}: ${message}`;
}
