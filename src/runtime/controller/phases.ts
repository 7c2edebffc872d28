import { PermanentError } from "./outcome.js";

/** Phases of an object and the transitions between them. */
export interface PhaseRules<Phase extends string = string> {
  readonly initial: NoInfer<Phase>;
  /** Phases that may follow each phase; a phase without any is final. */
  readonly transitions: Readonly<Record<Phase, readonly NoInfer<Phase>[]>>;
}

/** Checks a transition, which may be to the current phase, and returns the new phase. Throws if it is not declared. */
export function move(rules: PhaseRules, from: string | undefined, to: unknown): string {
  const { initial, transitions } = rules;
  if (typeof to !== "string") {
    const what = to === null ? "be taken away" : `be of type ${typeof to}`;
    throw new PermanentError(
      "UnknownPhase",
      `a declared phase cannot ${what}: the phases are ${Object.keys(transitions).join(", ")}`,
    );
  }
  if (!Object.hasOwn(transitions, to)) {
    throw new PermanentError(
      "UnknownPhase",
      `there is no phase ${to}: the phases are ${Object.keys(transitions).join(", ")}`,
    );
  }
  const present = from === undefined || !Object.hasOwn(transitions, from) ? initial : from;
  const allowed = transitions[present] ?? [];
  if (to === present || allowed.includes(to)) return to;
  const leads = allowed.length === 0 ? "it is final" : `from there it goes to ${allowed.join(" or ")}`;
  throw new PermanentError("ImpossibleTransition", `${present} cannot become ${to}: ${leads}`);
}
