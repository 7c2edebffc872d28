import { renderDiff, type Json } from "../../model/core.js";
import type { Line } from "./director.js";
import type { PerturbOptions } from "./scenario.js";
import { scheduleId, type Fault, type Past, type Schedule } from "./schedule.js";
import type { Snapshot } from "./snapshot.js";
import type { Outcome } from "./trial.js";

/** A schedule after which something is not as it should be. */
export interface Failure {
  /** Names the schedule, for `only`. */
  readonly schedule: string;
  /** What went wrong, in words: `the controllers crash right after create Page default/a-1`. */
  readonly what: string;
  /** What is different in the end: `-` without the fault, `+` with it. */
  readonly difference: string;
  /** What the controllers did and were told, line by line, with the faults in their places. */
  readonly story: readonly string[];
  /** The source text of a test that fails because of this. */
  readonly reproduce: string;
}

export interface Report {
  /** Shortest and earliest first. */
  readonly failures: readonly Failure[];
  /** The ids of all schedules that were tried. */
  readonly tried: readonly string[];
  /** How many schedules with one fault there are. */
  readonly possible: number;
  /** For people. */
  text(): string;
}

/** What differs between two ends, for people; empty when nothing does, or when there is nothing to compare. */
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

/** What a schedule has to be run with to end in the same way. */
type Settings = Pick<PerturbOptions, "seed" | "settle">;

export function failureOf(
  schedule: Schedule,
  outcome: Outcome,
  difference: string,
  settings: Settings = {},
): Failure {
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

/** A fault and its place in words. */
export function describeFault({ kind, at, past }: Fault, { director }: Pick<Outcome, "director">): string {
  const effect = director.effects[at - 1]?.what ?? `effect ${at}, which never came`;
  const event = director.told[at - 1]?.what ?? `event ${at}, which never came`;
  switch (kind) {
    case "crash":
      return `the controllers crash right after ${effect}`;
    case "down":
      return `the controllers crash right after ${effect} and stay down until the workload goes on`;
    case "stale": {
      const when = past === undefined ? "before" : describePast(past, director);
      return `the controllers crash right after ${effect} and then see things as they were ${when}`;
    }
    case "missed":
      return `it is not told that ${event}, nor what follows, until the workload goes on`;
    case "lag":
      return `nothing is told for a while after ${effect}`;
    case "lost":
      return `the answer to ${effect} gets lost`;
    case "error":
      return `${effect} fails`;
    case "conflict":
      return `${effect} is refused with a conflict`;
    case "slow":
      return `the answer to ${effect} takes its time`;
    case "repeated":
      return `it is told twice that ${event}`;
  }
}

function describePast({ before, number }: Past, { effects, told }: Outcome["director"]): string {
  switch (before) {
    case "write":
      return `before write ${number} of the workload`;
    case "effect":
      return `before ${effects[number - 1]?.what ?? "it"}`;
    case "event":
      return `before ${told[number - 1]?.what ?? "it"}`;
  }
}

function lineText(line: Line): string {
  switch (line.type) {
    case "workload":
      return `workload: ${line.text}`;
    case "fault":
      return `    *** ${line.text}`;
    case "told":
      return `    told ${line.told.number}: ${line.told.what}${mark(line.told.fault)}`;
    case "effect":
      return `  did ${line.effect.number}: ${line.effect.what}${mark(line.effect.fault)}`;
  }
}

function mark(fault: Fault | undefined): string {
  return fault === undefined ? "" : `   *** ${scheduleId([fault])}`;
}

/** How much of a story is shown around what went wrong. */
const around = { before: 6, after: 14 };

export function reportText({ failures, tried, possible }: Omit<Report, "text">): string {
  const runs = triedText(tried, possible);
  if (failures.length === 0) return `${runs}; all of them end as they should.`;
  // Many faults uncover the same mistake: each end is told once, by the shortest way to it.
  const ends = new Map<string, Failure[]>();
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
  if (pairs === 0) return `${single} were tried`;
  const both = `${pairs} with two faults`;
  return possible === 0 ? `${both} were tried` : `${single} were tried, and ${both}`;
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
