import { renderDiff, type Json } from "../../model/core.js";
import type { TimelineEntry } from "./director.js";
import type { PerturbOptions } from "./scenario.js";
import { scheduleId, type Fault, type Past, type FaultSchedule } from "./schedule.js";
import type { Snapshot } from "./snapshot.js";
import type { TrialOutcome } from "./trial.js";

/** Schedule after which the end differs from the end without faults. */
export interface PerturbFailure {
  /** Id of the schedule, for `only`. */
  readonly schedule: string;
  /** Description of the faults: `the controllers crash right after create Page default/a-1`. */
  readonly what: string;
  /** Difference between the ends: `-` without the fault, `+` with it. */
  readonly difference: string;
  /** Effects of the controllers and events delivered to them, with the faults in their places. */
  readonly story: readonly string[];
  /** Source code of a test that reproduces the failure. */
  readonly reproduce: string;
}

export interface PerturbReport {
  /** Shortest and earliest first. */
  readonly failures: readonly PerturbFailure[];
  /** Ids of all schedules that were run. */
  readonly tried: readonly string[];
  /** Number of possible schedules with one fault. */
  readonly possible: number;
  /** Formats the report for people. */
  text(): string;
}

/** Formats the difference between two ends; empty when there is none, or nothing to compare. */
export function differenceOf(expected: Snapshot, actual: Snapshot | undefined): string {
  if (actual === undefined) return "";
  const parts: string[] = [];
  const names = new Set([...Object.keys(expected.objects), ...Object.keys(actual.objects)]);
  for (const name of [...names].toSorted()) {
    parts.push(part(name, expected.objects[name], actual.objects[name]));
  }
  parts.push(part("the outside world", expected.world, actual.world));
  return parts.filter((text) => text !== "").join("\n");
}

function part(name: string, before: Json | undefined, after: Json | undefined): string {
  if (JSON.stringify(before) === JSON.stringify(after)) return "";
  if (after === undefined) return `- ${name} is missing`;
  if (before === undefined) return `+ ${name} should not be there`;
  const text = renderDiff(before, after, { color: false, context: 0 });
  return [name, ...text.split("\n").map((line) => `  ${line}`)].join("\n");
}

/** Options that a schedule depends on. */
type Settings = Pick<PerturbOptions, "seed" | "settle">;

export function perturbFailure(
  schedule: FaultSchedule,
  outcome: TrialOutcome,
  difference: string,
  settings: Settings = {},
): PerturbFailure {
  const id = scheduleId(schedule);
  const what = schedule.map((fault) => describeFault(fault, outcome)).join("; then ");
  return {
    schedule: id,
    what,
    difference: [outcome.trouble ?? "", difference].filter((text) => text !== "").join("\n"),
    story: outcome.story.map(lineText),
    reproduce: [
      `test(${JSON.stringify(`it does no harm when ${what}`)}, async () => {`,
      `  const report = await perturb(scenario, { ${optionsText(id, settings)} });`,
      `  expect(report.failures, report.text()).toEqual([]);`,
      `});`,
    ].join("\n"),
  };
}

function optionsText(id: string, { seed, settle }: Settings): string {
  return [
    `only: [${JSON.stringify(id)}]`,
    ...(seed === undefined ? [] : [`seed: ${seed}`]),
    ...(settle === undefined ? [] : [`settle: ${JSON.stringify(settle)}`]),
  ].join(", ");
}

/** Describes a fault and its place. */
export function describeFault(
  { kind, at, past }: Fault,
  { director }: Pick<TrialOutcome, "director">,
): string {
  const effect = director.effects[at - 1]?.what ?? `effect ${at}, which did not happen`;
  const event = director.delivered[at - 1]?.what ?? `event ${at}, which did not happen`;
  switch (kind) {
    case "crash":
      return `the controllers crash right after ${effect}`;
    case "down":
      return `the controllers crash right after ${effect} and stay down until the workload continues`;
    case "stale": {
      const when = past === undefined ? "before" : describePast(past, director);
      return `the controllers crash right after ${effect} and then see the state from ${when}`;
    }
    case "missed":
      return `no events are delivered from "${event}" on until the workload continues`;
    case "lag":
      return `no events are delivered for a while after ${effect}`;
    case "lost":
      return `the response to ${effect} is lost`;
    case "error":
      return `${effect} fails`;
    case "conflict":
      return `${effect} fails with a conflict`;
    case "slow":
      return `the response to ${effect} is slow`;
    case "repeated":
      return `the event "${event}" is delivered twice`;
  }
}

function describePast({ before, number }: Past, { effects, delivered }: TrialOutcome["director"]): string {
  switch (before) {
    case "write":
      return `before write ${number} of the workload`;
    case "effect":
      return `before ${effects[number - 1]?.what ?? "it"}`;
    case "event":
      return `before ${delivered[number - 1]?.what ?? "it"}`;
  }
}

function lineText(line: TimelineEntry): string {
  switch (line.type) {
    case "workload":
      return `workload: ${line.text}`;
    case "fault":
      return `    *** ${line.text}`;
    case "delivered":
      return `    event ${line.delivered.number}: ${line.delivered.what}${mark(line.delivered.fault)}`;
    case "effect":
      return `  effect ${line.effect.number}: ${line.effect.what}${mark(line.effect.fault)}`;
  }
}

function mark(fault: Fault | undefined): string {
  return fault === undefined ? "" : `   *** ${scheduleId([fault])}`;
}

/** Lines of the story to print around the fault. */
const around = { before: 6, after: 14 };

export function reportText({ failures, tried, possible }: Omit<PerturbReport, "text">): string {
  const runs = triedText(tried, possible);
  if (failures.length === 0) return `${runs}; all of them end as without faults.`;
  // Many faults reveal the same mistake: each different end is reported once, with its shortest schedule.
  const ends = new Map<string, PerturbFailure[]>();
  for (const failure of failures) {
    ends.set(failure.difference, [...(ends.get(failure.difference) ?? []), failure]);
  }
  const count = failures.length === 1 ? "1 ends" : `${failures.length} end`;
  const parts = [`${runs}; ${count} differently, in ${ends.size === 1 ? "one way" : `${ends.size} ways`}.`];
  for (const [first, ...same] of ends.values()) {
    if (first === undefined) continue;
    const more =
      same
        .slice(0, 8)
        .map(({ schedule }) => schedule)
        .join(" ") + (same.length > 8 ? " …" : "");
    parts.push(
      [
        `✗ ${first.schedule}: ${first.what}`,
        indent("in the end", first.difference.split("\n")),
        indent("what happened", excerpt(first.story)),
        ...(same.length === 0 ? [] : [`  and the same after ${more}`]),
        indent("reproduce", first.reproduce.split("\n")),
      ].join("\n"),
    );
  }
  return parts.join("\n\n");
}

function triedText(tried: readonly string[], possible: number): string {
  const pairs = tried.filter((id) => id.includes("+")).length;
  const single = `${tried.length - pairs} of ${possible} schedules`;
  if (pairs === 0) return `${single} were run`;
  const both = `${pairs} with two faults`;
  return possible === 0 ? `${both} were run` : `${single} were run, and ${both}`;
}

function indent(title: string, lines: readonly string[]): string {
  return [`  ${title}`, ...lines.map((line) => `    ${line}`.trimEnd())].join("\n");
}

function excerpt(story: readonly string[]): readonly string[] {
  const place = Math.max(
    0,
    story.findIndex((line) => line.includes("***")),
  );
  const start = Math.max(0, place - around.before);
  const end = place + around.after;
  return [
    ...(start > 0 ? [`… ${start} lines before`] : []),
    ...story.slice(start, end),
    ...(end < story.length ? [`… ${story.length - end} lines after`] : []),
  ];
}
