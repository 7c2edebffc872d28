import type { Literal } from "./expression.js";
import type { Token } from "./token.js";

/** Words that cannot be names of variables and functions. */
export const reserved = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

/** Words that cannot be names of anything. */
export const words = new Set(["true", "false", "null", "in"]);

export const constants = new Map<string, Literal>([
  ["true", { type: "bool", value: true }],
  ["false", { type: "bool", value: false }],
  ["null", { type: "null", value: null }],
]);

/** Whether an expression can begin with a token. */
export function canBegin({ type, text }: Token): boolean {
  if (type === "punctuation") return ["[", "{", "(", ".", "-", "!"].includes(text);
  return type !== "end" && type !== "quoted identifier" && text !== "in";
}
