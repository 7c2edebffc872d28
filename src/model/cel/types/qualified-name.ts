import type { Expression } from "../syntax/expression.js";

/** `a.b.c` as one name; undefined when it is something else. */
export function qualifiedName(node: Expression): string | undefined {
  if (node.kind === "ident") return node.name;
  if (node.kind !== "select" || node.testOnly) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}

/** Functions of Kubernetes that policies have, and the rules of schemas do not. */
export const authorizerFunctions = new Set(
  "path group serviceAccount resource subresource namespace name fieldSelector labelSelector check allowed reason errored error".split(
    " ",
  ),
);
