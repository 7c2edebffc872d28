import type { Literal } from "./expression.js";

/** Token. */
export interface Token {
  readonly type:
    | "punctuation"
    | "identifier"
    | "quoted identifier"
    | "int"
    | "uint"
    | "float"
    | "string"
    | "bytes"
    | "end";
  readonly text: string;
  /** Position in characters. */
  readonly at: number;
}

const tokenForms: readonly (readonly [Token["type"] | "space", RegExp])[] = [
  ["space", /[\t \r\n\f]+|\/\/[^\n]*/y],
  ["string", stringForm("")],
  ["bytes", stringForm("[bB]")],
  ["float", /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ["uint", /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ["int", /0x[0-9a-fA-F]+|\d+/y],
  ["identifier", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["quoted identifier", /`[A-Za-z0-9_.\-/ ]+`/y],
  ["punctuation", /==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>]/y],
];

/** Escapes are decoded later; here they only matter for finding the closing quote. */
function stringForm(prefix: string): RegExp {
  const escape =
    "\\\\(?:[abfnrtv\"'\\\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})";
  const plain = (quote: string): string => `${quote}(?:${escape}|[^\\\\\\n\\r${quote}])*${quote}`;
  const triple = (quote: string): string => `${quote}{3}(?:${escape}|[^\\\\])*?${quote}{3}`;
  const raw = `[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\\n\\r]*"|'[^'\\n\\r]*')`;
  return new RegExp(`${prefix}(?:${triple('"')}|${triple("'")}|${plain('"')}|${plain("'")}|${raw})`, "uy");
}

/** Splits an expression into tokens; invalid characters are reported and skipped. */
export function tokenize(source: string, report: (at: number, message: string) => void): Token[] {
  const tokens: Token[] = [];
  let index = 0;
  let at = 0;
  while (index < source.length) {
    const found = nextToken(source, index);
    if (found === undefined) {
      const character = String.fromCodePoint(source.codePointAt(index) ?? 0);
      // Like cel-go, skip the rest of the invalid token.
      const rest = /^(?:["'][^\n\r]*[\n\r]?|[=&|][^]?)/u.exec(source.slice(index))?.[0];
      const wrong = rest ?? character;
      report(at, `Syntax error: token recognition error at: '${wrong}'`);
      index += wrong.length;
      at += Array.from(wrong).length;
      continue;
    }
    const [type, text] = found;
    if (type !== "space") tokens.push({ type, text, at });
    index += text.length;
    at += Array.from(text).length;
  }
  tokens.push({ type: "end", text: "<EOF>", at });
  return tokens;
}

/** Finds the longest token, and of those the first: `in` is a keyword, `inner` an identifier. */
function nextToken(source: string, index: number): readonly [Token["type"] | "space", string] | undefined {
  let best: readonly [Token["type"] | "space", string] | undefined;
  for (const [type, form] of tokenForms) {
    form.lastIndex = index;
    const text = form.exec(source)?.[0];
    if (text !== undefined && (best === undefined || text.length > best[1].length)) best = [type, text];
  }
  return best;
}

/** Reserved identifiers, which cannot be names of variables and functions. */
export const reserved = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

/** Keywords, which cannot be field names either. */
export const keywords = new Set(["true", "false", "null", "in"]);

export const constants = new Map<string, Literal>([
  ["true", { type: "bool", value: true }],
  ["false", { type: "bool", value: false }],
  ["null", { type: "null", value: null }],
]);

/** True if an expression can begin with a token. */
export function canBegin({ type, text }: Token): boolean {
  if (type === "punctuation") return ["[", "{", "(", ".", "-", "!"].includes(text);
  return type !== "end" && type !== "quoted identifier" && text !== "in";
}
