import type { RoutingRule, VirtualServer } from "../translate/configuration.js";
import { actionOf, isImmediate, type ActionContext } from "./actions.js";
import { block, directive, text, variable, word, type Directive } from "./directive.js";
import { limitOf } from "./limits.js";
import { locationCandidates, type CandidateList } from "./matching/candidates.js";
import { Choices, choiceOf, noChoice } from "./matching/choices.js";
import type { Candidate } from "./matching/conditions.js";

/** File that does not exist, as the root of all files is no folder. */
const noFile = word("/none");

/**
 * Locations of a server. One whose first rule has no conditions performs its action. Others pass a request on to a named location,
 * one for each rule, which a variable chooses.
 */
export function locationsOf({ rules, origin }: VirtualServer, context: ActionContext): readonly Directive[] {
  const locations = locationCandidates(rules);
  const isChosen = (list: CandidateList | undefined): list is CandidateList =>
    list !== undefined && list.candidate.conditions.length > 0;
  const heads = new Set(locations.map(({ candidates }) => candidates).filter(isChosen));
  const choices = new Choices(context.variables, heads);
  const named = new Map<string, Directive>();
  const visited = new Set<CandidateList | undefined>();

  const directives = locations.map(({ type, path, candidates }) => {
    const name = type === "exact" ? ["=", text(path)] : [text(path)];
    const first = candidates?.candidate;
    if (isChosen(candidates))
      return block("location", name, choose(candidates), first?.rule.origin ?? origin);
    const content = first === undefined ? [directive("return", 404)] : perform(first);
    return block("location", name, content, first?.rule.origin ?? origin);
  });
  return [...directives, ...[...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, location]) => location)];

  function choose(list: CandidateList): readonly Directive[] {
    // Where another location has been, all that follows is there already.
    for (let node: CandidateList | undefined = list; !visited.has(node); node = node?.next) {
      visited.add(node);
      if (node === undefined) addNamed(noChoice, () => [directive("return", 404)], undefined);
      else addChoice(node.candidate);
      if (node?.candidate.conditions.length === 0) break;
    }
    return [directive("try_files", noFile, text("@", variable(choices.variableFor(list))))];
  }

  function addChoice(one: Candidate): void {
    addNamed(choiceOf(one.index), () => perform(one), one);
  }

  function perform(one: Candidate): readonly Directive[] {
    const { rule } = one;
    if (rule.limit === undefined) return act(rule);
    const limit = limitOf(rule.limit, rule);
    if (!isImmediate(rule)) return [...limit, ...act(rule)];
    const name = `${choiceOf(one.index)}-within-limit`;
    addNamed(name, () => act(rule), one);
    return [...limit, directive("try_files", noFile, text(`@${name}`))];
  }

  /** A refused rule has no directives: the whole rendering fails in the end. */
  function act(rule: RoutingRule): readonly Directive[] {
    return context.refusals.collect(() => actionOf(rule, context)) ?? [];
  }

  function addNamed(name: string, content: () => readonly Directive[], one: Candidate | undefined): void {
    if (named.has(name)) return;
    named.set(name, block("location", [text(`@${name}`)], content(), one?.rule.origin ?? origin));
  }
}
