import type { KubeObject } from "../../../model/core.js";
import type { Run } from "../../runs/run.js";
import type { Log } from "../../log/log.js";
import type { Observer } from "../observer.js";
import { FieldFights, type FightOptions } from "./field-fights.js";
import { Findings, type Finding, runObjectName } from "./finding.js";
import { HotLoops, type HotLoopOptions } from "./hot-loops.js";

export interface DetectorOptions {
  readonly hotLoops?: HotLoopOptions | undefined;
  readonly fights?: FightOptions | undefined;
}

interface Surroundings {
  readonly log: Log;
  /** Object in a cache of a controller. */
  objectOf(controller: string, kind: string, key: string): KubeObject | undefined;
  recordEvent(controller: string, object: KubeObject, reason: string, message: string): void;
  /** Called for each finding that is reported. */
  onFinding?(finding: Finding): void;
}

/**
 * Observer of runs that finds suspicious behaviour, and reports it in the log, as events and in `list`. It has two rules:
 *
 * - Hot loops. A run continues a chain if everything that triggered it is a write of an earlier run, or the previous run of
 *   its object, which requeued it at once or during which it was enqueued. A chain that comes back to an object ten times
 *   within a minute, each time in the same way, is a hot loop.
 * - Field fights. A field is set back when a run writes the value that it had written before, because somebody else had
 *   changed it; a field outside the spec counts only while the generation stays the same. A field that is set back three
 *   times within ten minutes is fought over.
 *
 * Nothing depends on it: without detectors, runs are the same.
 */
export class Detectors implements Observer {
  readonly #surroundings: Surroundings;
  readonly #hotLoops: HotLoops;
  readonly #fights: FieldFights;
  readonly #findings = new Findings();

  constructor(options: DetectorOptions, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#hotLoops = new HotLoops(options.hotLoops);
    this.#fights = new FieldFights(options.fights);
  }

  /** Findings of the last hour, newest first. */
  list(now: number): readonly Finding[] {
    return this.#findings.list(now);
  }

  ended(run: Run): void {
    for (const finding of this.#hotLoops.add(run)) this.#report(finding, run, [finding.object]);
    for (const write of run.writes) {
      for (const finding of this.#fights.add(run, write)) {
        this.#report(finding, run, [finding.object, runObjectName(run)]);
      }
    }
  }

  /** Reports a finding, with events on some objects. */
  #report(finding: Finding, run: Run, objects: readonly string[]): void {
    if (!this.#findings.add(finding)) return;
    const surroundings = this.#surroundings;
    const { controller, object, message, type, count } = finding;
    surroundings.log.warn({ controller, object, run: run.id, finding: type, count }, message);
    for (const name of new Set(objects)) {
      const [kind = "", key = ""] = name.split(" ");
      const about = surroundings.objectOf(controller, kind, key);
      const reason = type === "fight" ? "FieldFight" : "HotLoop";
      if (about !== undefined) surroundings.recordEvent(controller, about, reason, message);
    }
    surroundings.onFinding?.(finding);
  }
}
