import { entry, pattern, text, variable, type Entry } from "../directive.js";
import { RefusedValue } from "../refusal.js";
import type { SharedVariables } from "../shared-variables.js";
import type { CandidateList } from "./candidates.js";

/** Flags in the key of one `map`: more would not fit into an argument of nginx. */
const maxFlags = 150;

/**
 * Maps that refer to each other, one after the other. nginx takes 100 nested variables for a cycle; from `shareBelow` on, a list is
 * copied rather than shared with the enclosing location.
 */
const maxDepth = 90;
const shareBelow = 40;

/** Value of a choice if no rule applies. */
export const noChoice = "none";

/** Value of a choice for a rule. */
export function choiceOf(index: number): string {
  return `rule-${index}`;
}

interface Choice {
  readonly name: string;
  readonly depth: number;
}

/**
 * Variables that hold the rule that a location applies: the first one whose conditions hold. Each condition is a flag; the key of a
 * `map` is a row of flags, and a regular expression for each rule says which of them have to be set:
 *
 *     map "${match_a}${match_b}" $choice { default rule-3; "~^1" rule-1; "~^.1" rule-2; }
 */
export class Choices {
  readonly #variables: SharedVariables;
  readonly #heads: ReadonlySet<CandidateList>;
  readonly #choices = new Map<CandidateList, Choice>();

  constructor(variables: SharedVariables, heads: ReadonlySet<CandidateList>) {
    this.#variables = variables;
    this.#heads = heads;
  }

  /** Name of the variable with the choice for a list. */
  variableFor(head: CandidateList): string {
    return this.#choice(head).name;
  }

  #choice(head: CandidateList): Choice {
    const existing = this.#choices.get(head);
    if (existing !== undefined) return existing;
    const { origin } = head.candidate.rule;
    const flags = new Map<string, number>();
    const entries: Entry[] = [];
    let otherwise: Choice | undefined;
    let last = noChoice;
    for (let node: CandidateList | undefined = head; node !== undefined; node = node.next) {
      const { index, rule, conditions } = node.candidate;
      if (conditions.length === 0) {
        last = choiceOf(index);
        break;
      }
      const names = conditions.map((one) => this.#variables.flag(one.variable, one.expression, rule.origin));
      otherwise = this.#continuation(node, head, new Set([...flags.keys(), ...names]).size);
      if (otherwise !== undefined) break;
      for (const name of names) if (!flags.has(name)) flags.set(name, flags.size);
      const places = names.map((name) => flags.get(name) ?? 0);
      entries.push(entry(pattern(rowWith(places)), choiceOf(index), rule.origin));
    }
    const depth = 1 + (otherwise?.depth ?? 0);
    if (depth > maxDepth)
      throw new RefusedValue(
        "too many rules with conditions for one path; use fewer rules or conditions",
        origin,
      );
    const rest = otherwise === undefined ? last : text(variable(otherwise.name));
    const key = text(...[...flags.keys()].map((name) => variable(name)));
    const name = this.#variables.map("choice", key, [entry("default", rest), ...entries], origin);
    const choice = { name, depth };
    this.#choices.set(head, choice);
    return choice;
  }

  /** Choice that goes on at a node: where another location begins, or where the key has as many flags as it can have. */
  #continuation(node: CandidateList, head: CandidateList, flags: number): Choice | undefined {
    if (node === head) return undefined;
    if (flags > maxFlags) return this.#choice(node);
    if (!this.#heads.has(node)) return undefined;
    const shared = this.#choice(node);
    return shared.depth < shareBelow ? shared : undefined;
  }
}

/** Regular expression for a row of flags, some of which are set. */
function rowWith(places: readonly number[]): string {
  let expression = "^";
  let next = 0;
  for (const place of [...new Set(places)].sort((a, b) => a - b)) {
    const gap = place - next;
    expression += `${gap === 0 ? "" : gap === 1 ? "." : `.{${gap}}`}1`;
    next = place + 1;
  }
  return expression;
}
