import type { JsonObject, KubeObject } from "../../../model/core.js";
import type { Log } from "../../log/log.js";
import type { Observer } from "../observer.js";
import type { Run } from "../../runs/run.js";
import { lastWriter } from "./contested.js";
import { Fights, type FightOptions } from "./fights.js";
import { Findings, type Finding } from "./finding.js";
import { HotLoops, type HotLoopOptions } from "./hot-loops.js";

export interface DetectorOptions {
  readonly hotLoops?: HotLoopOptions | undefined;
  readonly fights?: FightOptions | undefined;
}

export interface DetectorsContext extends DetectorOptions {
  readonly log: Log;
  now(): number;
  /** The manager under whose name a controller applies. */
  managerOf(controller: string): string;
  /** An object as a cache of a controller has it. */
  objectOf(controller: string, kind: string, key: string): KubeObject | undefined;
  note(controller: string, object: KubeObject, reason: string, message: string): void;
  /** Is told of what is new. */
  onFinding?(finding: Finding): void;
}

/** Watches controllers for loops and fights, and tells people: in the log, as events on the objects, and on request. */
export class Detectors {
  readonly #context: DetectorsContext;
  readonly #hotLoops: HotLoops;
  readonly #fights: Fights;
  readonly #findings = new Findings();

  constructor(context: DetectorsContext) {
    this.#context = context;
    this.#hotLoops = new HotLoops(context.hotLoops, context.fights);
    this.#fights = new Fights(context.fights);
  }

  readonly observer: Observer = { ended: (run) => this.#ended(run) };

  /** What was found within the last hour, the last first. */
  list(): readonly Finding[] {
    return this.#findings.list(this.#context.now());
  }

  /** A child is set back to what it should be. */
  drifted(controller: string, owner: KubeObject, desired: JsonObject, current: KubeObject): void {
    const ours = this.#context.managerOf(controller);
    for (const finding of this.#fights.add({ controller, ours, desired, current }, this.#context.now())) {
      this.#tell(finding, [owner, current], "FieldFight");
    }
  }

  #ended(run: Run): void {
    const context = this.#context;
    const changedBy = (text: string): string | undefined => {
      const space = text.indexOf(" ");
      const object = context.objectOf(run.controller, text.slice(0, space), text.slice(space + 1));
      return object && lastWriter(object, context.managerOf(run.controller));
    };
    const findings = this.#hotLoops.add(run, context.now(), changedBy);
    if (findings.length === 0) return;
    const object = context.objectOf(run.controller, run.kind, run.key);
    const about = object === undefined ? [] : [object];
    for (const finding of findings) {
      this.#tell(finding, about, finding.type === "fight" ? "FieldFight" : "HotLoop", run.id);
    }
  }

  #tell(finding: Finding, about: readonly KubeObject[], reason: string, run?: string): void {
    if (!this.#findings.add(finding)) return;
    const context = this.#context;
    const { controller, message, type, count } = finding;
    const facts = { controller, object: finding.object, ...(run !== undefined && { run }) };
    context.log.warn({ ...facts, finding: type, count }, message);
    for (const object of about) context.note(controller, object, reason, message);
    context.onFinding?.(finding);
  }
}
