import picocolors from "picocolors";
import { formatDuration, type KubeObject } from "../../model/core.js";
import { escapeText } from "../../model/diff/yaml-text.js";
import type { Run, RunOutcome, WriteRecord } from "../../runtime/runs/run.js";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Maximum number of objects that are named; above it, only their number is shown. */
const maxNamed = 4;
/** Maximum number of objects whose last outcome is kept. */
const maxOutcomes = 10_000;

/**
 * Formats each run as a line for the terminal:
 *
 *     12:30:01 ✓ Site default/hello  created Page hello-1, hello-2 · publish · ready: Published · next run in 12h
 *
 * A run without effects and with the same outcome as the last one gets no line. Of repeated failures, the 1st, 2nd,
 * 4th, 8th … get one.
 */
export class RunLines {
  readonly #paint: Colors;
  /** Text of the last outcome by object. */
  readonly #last = new Map<string, string>();

  constructor(colors: boolean) {
    this.#paint = picocolors.createColors(colors);
  }

  /** Text of the last outcome of an object. */
  lastOf(object: string): string | undefined {
    return this.#last.get(object);
  }

  /** Line without its line break; undefined when there is nothing to show. */
  line(run: Run): string | undefined {
    const object = `${run.kind} ${run.key}`;
    const did = effectsOf(run);
    const end = outcomeText(run.outcome);
    const same = this.#last.get(object) === end;
    this.#keep(object, run.outcome.type === "gone" ? undefined : end);
    const isWell = run.outcome.type === "done" || run.outcome.type === "requeue";
    if (did.length === 0 && (isWell || (same && !isReported(run.failures)))) return undefined;
    if (run.outcome.type === "error" && !isReported(run.failures)) return undefined;
    const paint = this.#paint;
    const parts = [...did.map((each) => escapeText(each)), ...ending(run, paint)];
    return `${timeText(run.startedAt + run.duration, paint)} ${sign(run.outcome, paint)} ${paint.bold(escapeText(object))}  ${parts.join(paint.dim(" · "))}`;
  }

  #keep(object: string, end: string | undefined): void {
    this.#last.delete(object);
    if (end === undefined) return;
    this.#last.set(object, end);
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

function isReported(failures: number): boolean {
  const times = failures + 1;
  return (times & (times - 1)) === 0;
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

function ending({ outcome, failures }: Run, paint: Colors): readonly string[] {
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
      return [paint.red(text)];
    case "error": {
      const times = failures === 0 ? "" : `, ${failures + 1} times in a row`;
      return [paint.red(text) + paint.dim(`${times}; retrying`)];
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
