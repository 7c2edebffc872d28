import { invalid, renderFieldError } from "../object/field-errors.js";
import { validateQualifiedName } from "../object/names.js";
import {
  binaryOperators,
  type LabelOperator,
  type LabelRequirement,
  labelRequirement,
} from "./label-requirement.js";
import { SelectorError } from "./selector-error.js";

/** Token: a word, an operator or the end. Operators and `in`/`notin` are kinds of their own. */
interface Token {
  readonly kind: "word" | "end" | "(" | ")" | "," | "!" | "=" | "==" | "!=" | "<" | ">" | "in" | "notin";
  readonly text: string;
}

/**
 * White space, then an operator or a word. Kubernetes' lexer takes NUL for the end of input, but skips one
 * directly after a token; this does the same.
 */
const lexeme = /[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>\0]+)\0?/y;

const end: Token = { kind: "end", text: "" };

const kinds = new Map<string, Token["kind"]>(
  (["(", ")", ",", "!", "=", "==", "!=", "<", ">", "in", "notin"] as const).map((kind) => [kind, kind]),
);

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  lexeme.lastIndex = 0;
  for (let match = lexeme.exec(text); match !== null; match = lexeme.exec(text)) {
    const [, found = ""] = match;
    tokens.push({ kind: kinds.get(found) ?? "word", text: found });
  }
  tokens.push(end);
  return tokens;
}

const operators: Partial<Record<Token["kind"], LabelOperator>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

/**
 * Parses the string form of a label selector into requirements, in order. Throws a {@link SelectorError} with
 * the message of Kubernetes' parser.
 */
export function parseRequirements(text: string): LabelRequirement[] {
  const tokens = tokenize(text);
  let position = 0;
  const peek = (): Token => tokens[position] ?? end;
  const next = (): Token => tokens[position++] ?? end;

  const requirements: LabelRequirement[] = [];
  while (peek().kind !== "end") {
    if (!isWord(peek()) && peek().kind !== "!") {
      throw new SelectorError(`found '${peek().text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(peek, next));
    const separator = next();
    if (separator.kind === "end") break;
    if (separator.kind !== ",") {
      throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
    }
    if (!isWord(peek()) && peek().kind !== "!") {
      throw new SelectorError(`found '${peek().text}', expected: identifier after ','`);
    }
  }
  return requirements;
}

type Read = () => Token;

function parseRequirement(peek: Read, next: Read): LabelRequirement {
  try {
    const negated = peek().kind === "!";
    if (negated) next();
    const key = next();
    if (!isWord(key)) throw new SelectorError(`found '${key.text}', expected: identifier`);
    const faults = validateQualifiedName(key.text);
    if (faults.length > 0) {
      throw new SelectorError(renderFieldError(invalid("<nil>", key.text, faults.join("; "))));
    }
    if (negated) return labelRequirement(key.text, "!", []);
    if (isEndOfRequirement(peek())) return labelRequirement(key.text, "exists", []);

    const sign = next();
    const operator = operators[sign.kind];
    if (operator === undefined) {
      throw new SelectorError(`found '${sign.text}', expected: ${binaryOperators.join(", ")}`);
    }
    const isSet = operator === "in" || operator === "notin";
    return labelRequirement(key.text, operator, isSet ? parseSet(peek, next) : [parseValue(peek, next)]);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new SelectorError(`unable to parse requirement: ${error.message}`, { cause: error });
  }
}

function parseValue(peek: Read, next: Read): string {
  if (isEndOfRequirement(peek())) return "";
  const value = next();
  if (!isWord(value)) throw new SelectorError(`found '${value.text}', expected: identifier`);
  return value.text;
}

/** Parses `(a,b)`. A missing value between commas or parentheses is an empty string. */
function parseSet(peek: Read, next: Read): string[] {
  const open = next();
  if (open.kind !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
  const first = peek();
  if (first.kind === ")") {
    next();
    return [""];
  }
  if (!isWord(first) && first.kind !== ",") {
    throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  const values = new Set<string>();
  for (let token = next(); token.kind !== ")"; token = next()) {
    if (isWord(token)) {
      values.add(token.text);
      const after = peek();
      if (after.kind !== "," && after.kind !== ")") {
        throw new SelectorError(`found '${after.text}', expected: ',' or ')'`);
      }
    } else if (token.kind === ",") {
      const after = peek().kind;
      if (values.size === 0 || after === "," || after === ")") values.add("");
    } else throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
  }
  return [...values].sort();
}

/** `in` and `notin` are keywords only in the position of an operator. */
function isWord({ kind }: Token): boolean {
  return kind === "word" || kind === "in" || kind === "notin";
}

function isEndOfRequirement({ kind }: Token): boolean {
  return kind === "end" || kind === ",";
}
