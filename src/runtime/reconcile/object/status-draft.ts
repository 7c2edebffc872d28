import {
  removeCondition,
  setCondition,
  type Clock,
  type Condition,
  type ConditionUpdate,
} from "../../../model/core.js";
import { move, type PhaseRules } from "../../controller/phases.js";

/** Servers refuse messages above 32768 characters, and with them the whole status. */
const maxMessageLength = 32_000;

type Fields = Readonly<Record<string, unknown>>;

/** Status of an object. */
export interface StatusFields extends Fields {
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  readonly phase?: unknown;
}

export interface MergeOptions {
  /** Generation that the run has seen; conditions carry it. */
  readonly generation: number | undefined;
  /** Set as `status.observedGeneration`, which claims that the run is complete; left as it is if undefined. */
  readonly observedGeneration: number | undefined;
  readonly clock: Clock;
}

/**
 * Changes of a run to the status of its object. They are merged into the status at the time of writing, so that fields of
 * other writers are kept.
 */
export class StatusDraft {
  readonly #fields = new Map<string, unknown>();
  readonly #conditions = new Map<string, ConditionUpdate>();
  readonly #removed = new Set<string>();
  #phases: { readonly rules: PhaseRules; from: string | undefined } | undefined;

  get isEmpty(): boolean {
    return this.#fields.size === 0 && this.#conditions.size === 0 && this.#removed.size === 0;
  }

  report(fields: Fields): void {
    for (const [field, value] of Object.entries(fields)) {
      if (field === "conditions" || field === "observedGeneration") {
        throw new TypeError(
          `report cannot set ${field}: use condition(), and leave observedGeneration to the runtime`,
        );
      }
      // As it is sent, so that it can be compared with the current status.
      if (value !== undefined) this.#fields.set(field, typeof value === "object" ? jsonOf(value) : value);
    }
  }

  phase(rules: PhaseRules, current: unknown, phase: unknown): void {
    const from = this.#fields.get("phase") ?? current;
    this.#fields.set("phase", move(rules, asPhase(from), phase));
    this.#phases ??= { rules, from: asPhase(current) };
  }

  condition(update: ConditionUpdate): void {
    const { message = "" } = update;
    const cut = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
    this.#removed.delete(update.type);
    const { type, status, reason } = update;
    this.#conditions.set(type, { type, status, reason, message: cut });
  }

  removeCondition(type: string): void {
    this.#conditions.delete(type);
    this.#removed.add(type);
  }

  /** Notes that the draft was written: a later phase is a transition from the one that is written now. */
  markWritten(): void {
    if (this.#phases !== undefined) this.#phases.from = asPhase(this.#fields.get("phase"));
  }

  hasCondition(type: string): boolean {
    return this.#conditions.has(type);
  }

  /** Throws if another writer has changed the phase to one from which the draft's phase cannot be reached. */
  #checkPhase(current: StatusFields | undefined): void {
    const present = asPhase(current?.phase);
    const phase = this.#fields.get("phase");
    if (this.#phases === undefined || present === this.#phases.from || typeof phase !== "string") return;
    try {
      move(this.#phases.rules, present, phase);
    } catch {
      // An error that is retried: from the new phase, the reconciler may decide otherwise.
      throw new Error(
        `the phase cannot become ${phase}: another writer has changed it to ${present} in the meantime`,
      );
    }
  }

  /**
   * The status with this draft merged into it. Throws if the draft's phase can no longer be reached, because another writer has
   * changed the phase: then the object has to be reconciled again.
   */
  mergeInto(
    current: StatusFields | undefined,
    { generation, observedGeneration, clock }: MergeOptions,
  ): StatusFields {
    this.#checkPhase(current);
    const status: Record<string, unknown> = Object.assign({}, current);
    for (const [field, value] of this.#fields) {
      if (value === null) delete status[field];
      else status[field] = value;
    }
    let conditions = current?.conditions;
    for (const type of this.#removed) conditions = conditions && removeCondition(conditions, type);
    for (const update of this.#conditions.values()) {
      conditions = setCondition(
        conditions,
        generation === undefined ? update : of(update, generation),
        clock,
      );
    }
    if (conditions !== undefined) status["conditions"] = conditions;
    if (observedGeneration !== undefined) status["observedGeneration"] = observedGeneration;
    return status;
  }
}

function of({ type, status, reason, message = "" }: ConditionUpdate, generation: number): ConditionUpdate {
  return { type, status, reason, message, observedGeneration: generation };
}

function asPhase(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
