import type { OperatorDefinition } from "./define-operator.js";

/**
 * All operators that the given ones require, and these, each once: an operator comes after those it requires.
 *
 * @throws {Error} for two operators of the same name, and for operators that require each other.
 */
export function orderOperators(operators: readonly OperatorDefinition[]): readonly OperatorDefinition[] {
  const ordered = new Map<string, OperatorDefinition>();
  const visit = (operator: OperatorDefinition, path: readonly OperatorDefinition[]): void => {
    const at = path.indexOf(operator);
    if (at >= 0) {
      const cycle = [...path.slice(at), operator].map(({ name }) => name);
      throw new Error(
        `operators require each other: ${cycle.join(" → ")}; move what both need to a third one`,
      );
    }
    const same = ordered.get(operator.name);
    if (same === operator) return;
    for (const required of operator.requires) visit(required, [...path, operator]);
    const other = ordered.get(operator.name);
    if (other !== undefined) throw new Error(twoNamed(operator.name, path));
    ordered.set(operator.name, operator);
  };
  for (const operator of operators) visit(operator, []);
  return [...ordered.values()];
}

function twoNamed(name: string, path: readonly OperatorDefinition[]): string {
  const by = path.at(-1);
  const required = by === undefined ? "" : ` (one is required by ${by.name})`;
  return `there are two operators named ${name}${required}: rename one; if both are the same, it is installed or loaded twice (npm ls)`;
}
