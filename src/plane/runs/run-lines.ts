import { messageOf } from "../../runtime/log/message-of.js";
import { compactRun, compactWrite } from "../../runtime/runs/compact-run.js";
import type { Run, RunOutcome, Trigger } from "../../runtime/runs/run.js";

/** Maximum length of a text in a run that is too long to be stored whole. */
const maxText = 2000;

/** Milliseconds since 1970 of the latest `Date`. */
const maxTime = 8.64e15;

/**
 * Encodes a run as one line of JSON. A run that is too long, or that JSON cannot represent, is stored with less: first without
 * its large writes and with shortened texts, then without writes, steps and triggers. Never throws.
 *
 * @returns Undefined if there is no way to store the run.
 */
export function encodeRun(run: Run, maxLength: number): string | undefined {
  for (const reduce of [compactRun, withoutLargeParts, withoutDetails]) {
    try {
      const line = JSON.stringify(reduce(run, maxLength));
      if (line.length <= maxLength) return line;
    } catch {
      // A value that JSON cannot represent, such as a BigInt or an object that contains itself.
    }
  }
}

/** Keeps writes that fill less than half of the line together, and the beginning of every text. */
function withoutLargeParts(run: Run, maxLength: number): Run {
  let left = maxLength / 2;
  const writes = run.writes.flatMap((write) => {
    try {
      const compact = compactWrite(write);
      const { length } = JSON.stringify(compact);
      if (length > left) return [];
      left -= length;
      return [compact];
    } catch {
      return [];
    }
  });
  const triggers = run.triggers.map((trigger) => ({ ...trigger, text: shortened(trigger.text) }));
  const steps = run.steps.map((step) => ({
    ...step,
    name: shortened(step.name),
    error: shortened(step.error),
    undo: step.undo && { ...step.undo, error: shortened(step.undo.error) },
  }));
  const droppedWrites = run.droppedWrites + run.writes.length - writes.length;
  return { ...run, triggers, steps, writes, droppedWrites, outcome: shortOutcome(run.outcome) };
}

function withoutDetails(run: Run): Run {
  const { triggers, droppedTriggers, writes, droppedWrites, outcome } = run;
  return {
    ...run,
    triggers: [],
    droppedTriggers: droppedTriggers + triggers.length,
    steps: [],
    writes: [],
    droppedWrites: droppedWrites + writes.length,
    outcome: shortOutcome(outcome),
  };
}

function shortOutcome(outcome: RunOutcome): RunOutcome {
  return {
    ...outcome,
    ...("reason" in outcome && { reason: shortened(outcome.reason) }),
    ...("message" in outcome && { message: shortened(outcome.message) }),
  };
}

/** Plain JavaScript can also report values that are not text. */
function shortened<T extends string | undefined>(value: T): T {
  if (value === undefined) return value;
  const text = messageOf(value);
  if (text.length <= maxText) return text as T;
  return `${text.slice(0, maxText)}… (${text.length - maxText} more characters)` as T;
}

/** Decodes a line. Returns undefined if it is not a run, for instance because the file was damaged. */
export function decodeRun(line: string): Run | undefined {
  try {
    const run: unknown = JSON.parse(line);
    return isRun(run) ? run : undefined;
  } catch {
    return undefined;
  }
}

/** Fields of an outcome that are text. */
const outcomeTexts: Readonly<Record<RunOutcome["type"], readonly string[]>> = {
  done: [],
  gone: [],
  requeue: ["reason"],
  wait: ["reason", "message"],
  fail: ["reason", "message"],
  error: ["reason", "message"],
  cancelled: ["message"],
};

const triggerTypes: Readonly<Record<Trigger["type"], true>> = {
  found: true,
  created: true,
  updated: true,
  status: true,
  deleted: true,
  child: true,
  watched: true,
  resync: true,
  requeue: true,
  retry: true,
  manual: true,
  external: true,
  event: true,
  shard: true,
};

/** Checks all that readers rely on, but not the contents of objects. */
function isRun(value: unknown): value is Run {
  const run = value as Readonly<Record<keyof Run, unknown>>;
  return (
    hasType("object", value) &&
    hasType("string", run.id, run.controller, run.user ?? "", run.apiVersion, run.kind, run.key) &&
    hasType("number", run.startedAt, run.duration, run.wait, run.failures) &&
    hasType("number", run.droppedTriggers, run.droppedWrites) &&
    isListOf(run.triggers, isTrigger) &&
    isListOf(run.steps, ({ name, duration }) => hasType("string", name) && hasType("number", duration)) &&
    isListOf(run.writes, isWrite) &&
    hasType("object", run.outcome) &&
    isOutcome(run.outcome as Fields)
  );
}

function isTrigger({ type, at }: Fields): boolean {
  return Object.hasOwn(triggerTypes, String(type)) && hasType("number", at);
}

function isOutcome(outcome: Fields): boolean {
  const type = String(outcome["type"]);
  if (!Object.hasOwn(outcomeTexts, type)) return false;
  const texts = outcomeTexts[type as RunOutcome["type"]];
  return (
    hasType("string", ...texts.map((name) => outcome[name])) &&
    (type !== "requeue" || hasType("number", outcome["after"]))
  );
}

type Fields = Readonly<Record<string, unknown>>;

function isWrite({ verb, kind, namespace, name, before, after }: Fields): boolean {
  return (
    hasType("string", verb, namespace, name) &&
    hasType("object", kind) &&
    hasType("string", (kind as Fields)["kind"], (kind as Fields)["apiVersion"]) &&
    [before, after].every((object) => object === undefined || isObject(object))
  );
}

function isObject(value: unknown): boolean {
  return hasType("object", value) && hasType("object", (value as Fields)["metadata"]);
}

function isListOf(value: unknown, isItem: (item: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => hasType("object", item) && isItem(item as Fields));
}

/** Tests that all values have a type. Null is not an object, and numbers have to be times that a `Date` can have. */
function hasType(type: "string" | "number" | "object", ...values: readonly unknown[]): boolean {
  return values.every(
    (value) =>
      typeof value === type && value !== null && (typeof value !== "number" || Math.abs(value) <= maxTime),
  );
}
