import { duration, fraction } from "../../model/core.js";
import { seededRandom } from "../time/seeded-random.js";
import { choose, oneMore } from "./choose.js";
import {
  describeFault,
  differenceOf,
  perturbFailure,
  reportText,
  type PerturbFailure,
  type PerturbReport,
} from "./report.js";
import type { PerturbOptions, Scenario } from "./scenario.js";
import { faultKinds, isFaultKind, parseSchedule, scheduleId, type FaultSchedule } from "./schedule.js";
import { runTrial, type TrialOutcome, type TrialOptions } from "./trial.js";

/**
 * Runs controllers through a workload, then repeats it with a fault in a different place each time: crashes between any
 * two effects, stale reads, missed events, conflicts, errors, lost and slow responses. At the end, the objects and the
 * outside world must be the same as without the fault.
 *
 * Everything is in memory and time is virtual, so a schedule of faults always has the same result. Pass its id in `only`
 * to run it again.
 *
 * @example
 * const report = await perturb({
 *   controllers: (cdn) => [sites(cdn)],
 *   world: { create: () => new FakeCdn(), snapshot: (cdn) => cdn.pages() },
 *   async workload({ client, settled }) {
 *     await client.create(Site, { metadata: { name: "a" }, spec: { title: "A" } });
 *     await settled();
 *     await client.delete(Site, "a");
 *     await settled();
 *   },
 * });
 * expect(report.failures, report.text()).toEqual([]);
 */
export async function perturb<World = unknown>(
  scenario: Scenario<World>,
  options: PerturbOptions = {},
): Promise<PerturbReport> {
  const { limit = 300, faults = faultKinds, depth = 1, seed = 1, settle = "1m", onProgress } = options;
  checkOptions({ ...options, limit, faults, depth, seed });
  const only = options.only && [...new Set(options.only)].map(parseSchedule);
  const settings = {
    seed: seed === 1 ? undefined : seed,
    settle: duration(settle) === duration("1m") ? undefined : settle,
  };
  const trial: TrialOptions = { seed, settle: duration(settle) };
  const reference = await runTrial(scenario, [], trial);
  const expected = reference.snapshot;
  if (reference.trouble !== undefined || expected === undefined) {
    throw new Error(`the workload fails without any fault: ${reference.trouble}`);
  }
  const second = await runTrial(scenario, [], trial);
  const unstable =
    (second.trouble ?? differenceOf(expected, second.snapshot)) ||
    firstOther(reference.director.effects, second.director.effects);
  if (unstable !== "") {
    throw new Error(
      `two runs of the workload without faults differ, so faults cannot be examined; use only the given clock and random, do no I/O, and leave out in normalize what may differ:\n${unstable}`,
    );
  }
  const choice = { kinds: faults, limit, random: seededRandom(seed) };
  const { chosen, possible } =
    only === undefined
      ? choose(reference.director, choice)
      : { chosen: only, possible: only.filter(({ length }) => length === 1).length };
  const pairs = depth > 1 && only === undefined ? Math.max(0, limit - chosen.length) : 0;

  const found: (readonly [FaultSchedule, PerturbFailure])[] = [];
  const survived: (readonly [FaultSchedule, TrialOutcome])[] = [];
  const tried = new Set<string>();
  const attempt = async (schedule: FaultSchedule): Promise<void> => {
    const id = scheduleId(schedule);
    if (tried.has(id) || found.length >= (options.failures ?? Infinity)) return;
    const outcome = await runTrial(scenario, schedule, trial).catch((error: unknown) => {
      throw new Error(`${id} cannot be run: ${String(error)}`, { cause: error });
    });
    if (only !== undefined) checkFaults(schedule, outcome);
    const difference = differenceOf(expected, outcome.snapshot);
    const failed = difference !== "" || outcome.trouble !== undefined;
    if (failed) found.push([schedule, perturbFailure(schedule, outcome, difference, settings)]);
    else if (pairs > 0 && schedule.length === 1) survived.push([schedule, outcome]);
    tried.add(id);
    const total = chosen.length + pairs;
    onProgress?.({ done: tried.size, of: total, failures: found.length, schedule: id });
  };
  for (const schedule of chosen) await attempt(schedule);
  // Combine faults that do no harm alone, so that a failure needs both.
  const harmful = new Set(found.map(([, { what }]) => what));
  for (let round = 0; round < pairs && survived.length > 0; round++) {
    const [schedule, outcome] = survived[Math.floor(fraction(choice.random) * survived.length)] ?? [];
    if (schedule === undefined || outcome === undefined) continue;
    const longer = oneMore(schedule, outcome, choice, (fault) => !harmful.has(describeFault(fault, outcome)));
    if (longer !== undefined) await attempt(longer);
  }
  const failures = found
    .toSorted(([a], [b]) => a.length - b.length || (a[0]?.at ?? 0) - (b[0]?.at ?? 0))
    .map(([, failure]) => failure);
  const result = { failures, tried: [...tried], possible };
  return { ...result, text: () => reportText(result) };
}

function checkOptions({ limit, failures, depth, seed, faults = [] }: PerturbOptions): void {
  for (const [name, number] of Object.entries({ limit, failures })) {
    if (number === undefined || (Number.isInteger(number) && number >= 1)) continue;
    throw new TypeError(`${name} must be an integer of at least 1, got ${number}`);
  }
  if (!Number.isInteger(seed)) throw new TypeError(`seed must be an integer, got ${seed}`);
  if (depth !== 1 && depth !== 2) throw new TypeError(`depth must be 1 or 2, got ${String(depth)}`);
  const unknown = faults.find((kind) => !isFaultKind(kind));
  if (unknown === undefined) return;
  throw new TypeError(`unknown fault ${JSON.stringify(unknown)}; the faults are ${faultKinds.join(", ")}`);
}

/** Fails when a requested fault did not happen, since the run proves nothing then. */
function checkFaults(schedule: FaultSchedule, { director: { effects, delivered } }: TrialOutcome): void {
  const happened = new Set([...effects, ...delivered].map(({ fault }) => fault));
  const missing = schedule.find((fault) => !happened.has(fault));
  if (missing === undefined) return;
  throw new Error(
    `${scheduleId([missing])} of ${JSON.stringify(scheduleId(schedule))} did not happen: there were ${effects.length} effects and ${delivered.length} events, or the fault is not possible there. The numbers change with the controllers, the workload, seed and settle: run without only to find the new id`,
  );
}

function firstOther(
  before: readonly { readonly what: string }[],
  after: readonly { readonly what: string }[],
): string {
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    const [a, b] = [before[index]?.what, after[index]?.what];
    if (a !== b) return `effect ${index + 1} was ${a ?? "not there"}, and then ${b ?? "not there"}`;
  }
  return "";
}
