import { type Expression, isTooDeep, type MapEntry } from "./expression.js";
import { expandMacro, type MacroContext } from "./macros.js";
import { readBytes, readString } from "./quoted.js";
import { type Issue, maxExpressionLength } from "./source.js";
import { textSize } from "../values/text.js";
import { canBegin, constants, keywords, reserved, type Token, tokenize } from "./token.js";

/** Expression, or its syntax errors. */
export type Parsed =
  | { readonly expression: Expression; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly expression?: undefined };

/**
 * Parses an expression and expands its macros.
 *
 * @example
 * parse("self.list.all(x, x > 0)").expression; // a loop over self.list
 */
export function parse(source: string): Parsed {
  const issues: Issue[] = [];
  const size = textSize(source);
  if (size > maxExpressionLength) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxExpressionLength}`;
    return { issues: [{ at: 0, message }] };
  }
  const tokens = tokenize(source, (at, message) => issues.push({ at, message }));
  try {
    const expression = new Parser(tokens, issues).parse();
    if (issues.length > 0) return { issues };
    return isTooDeep(expression) ? { issues: [recursionLimit] } : { expression };
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    return { issues: [...issues, error.issue] };
  }
}

class CelSyntaxError extends Error {
  constructor(readonly issue: Issue) {
    super(issue.message);
  }
}

const maxNesting = 250;
const recursionLimit: Issue = { at: 0, message: `expression recursion limit exceeded: ${maxNesting}` };
const comparisons = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);
const products = new Set(["*", "/", "%"]);
const sums = new Set(["+", "-"]);
const begin =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const more = "'.', '-', '!'";
const moreOptional = "'.', ',', '-', '!', '?'";
const intLimit = 2n ** 63n;

/** Recursive-descent parser, one method per level of the grammar. */
class Parser {
  private position = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly issues: Issue[],
  ) {}

  parse(): Expression {
    const expression = this.expression();
    if (this.next.type !== "end") {
      const what = this.after.type === "end" ? "extraneous" : "mismatched";
      this.fail(`${what} input '${this.next.text}' expecting <EOF>`);
    }
    return expression;
  }

  private get next(): Token {
    return this.tokens[this.position] ?? { type: "end", text: "<EOF>", at: 0 };
  }

  private get after(): Token {
    return this.tokens[this.position + 1] ?? this.next;
  }

  private is(text: string): boolean {
    const { type, text: found } = this.next;
    return found === text && (type === "punctuation" || (type === "identifier" && keywords.has(text)));
  }

  private take(text: string): Token | undefined {
    if (!this.is(text)) return undefined;
    const token = this.next;
    this.position++;
    return token;
  }

  /** Messages are those of cel-go's parser, including its error recovery. */
  private expect(text: string, others = `'${text}'`): Token {
    const token = this.take(text);
    if (token) return token;
    const found = this.next.text;
    if (text === ")" && this.next.type === "end") this.fail(`missing ')' at '${found}'`);
    const what = text === ")" && this.after.text === text ? "extraneous" : "mismatched";
    return this.fail(`${what} input '${found}' expecting ${others}`);
  }

  private fail(problem: string): never {
    throw new CelSyntaxError({ at: this.next.at, message: `Syntax error: ${problem}` });
  }

  private nested<Result>(read: () => Result): Result {
    if (++this.depth > maxNesting) this.tooDeep();
    const result = read();
    this.depth--;
    return result;
  }

  private tooDeep(): never {
    throw new CelSyntaxError(recursionLimit);
  }

  private expression(): Expression {
    return this.nested(() => {
      const condition = this.chain("||", () => this.chain("&&", () => this.relation()));
      const question = this.take("?");
      if (!question) return condition;
      const yes = this.chain("||", () => this.chain("&&", () => this.relation()));
      this.expect(":");
      const no = this.expression();
      return { kind: "call", name: "_?_:_", args: [condition, yes, no], at: question.at };
    });
  }

  /** Parses `a || b || c` as one call: there may be very many operands. */
  private chain(operator: string, read: () => Expression): Expression {
    const first = read();
    const sign = this.take(operator);
    if (!sign) return first;
    const args = [first];
    do args.push(read());
    while (this.take(operator));
    return { kind: "call", name: `_${operator}_`, args, at: sign.at };
  }

  /** Parses left-associative operators of one level. */
  private binary(signs: ReadonlySet<string>, read: () => Expression): Expression {
    let left = read();
    for (let count = 0; signs.has(this.next.text) && this.is(this.next.text); count++) {
      if (count >= maxNesting) this.tooDeep();
      const { text, at } = this.next;
      this.position++;
      const name = text === "in" ? "@in" : `_${text}_`;
      left = { kind: "call", name, args: [left, read()], at };
    }
    return left;
  }

  private relation(): Expression {
    return this.binary(comparisons, () => this.binary(sums, () => this.binary(products, () => this.unary())));
  }

  private unary(): Expression {
    const { text, at } = this.next;
    if (!this.is("!") && !this.is("-")) return this.member();
    let count = 0;
    while (this.take(text)) count++;
    const { type } = this.next;
    // The sign directly before a number is part of it: the smallest integer has no positive counterpart to
    // negate.
    if (text === "-" && (type === "int" || type === "float")) {
      const number = this.numberLiteral(this.tokens[this.position - 1]?.at ?? at, true);
      const inner = this.members(number);
      return count % 2 === 1 ? inner : { kind: "call", name: "-_", args: [inner], at };
    }
    const inner = this.member();
    if (count % 2 === 0) return inner;
    return { kind: "call", name: text === "!" ? "!_" : "-_", args: [inner], at };
  }

  private member(): Expression {
    return this.members(this.primary());
  }

  private members(start: Expression): Expression {
    let operand = start;
    for (let count = 0; ; count++) {
      if (count >= maxNesting) this.tooDeep();
      const dot = this.take(".");
      const bracket = dot ? undefined : this.take("[");
      if (dot) operand = this.select(operand, dot);
      else if (bracket) {
        const optional = this.take("?") !== undefined;
        const index = this.expression();
        this.expect("]");
        operand = {
          kind: "call",
          name: optional ? "_[?_]" : "_[_]",
          args: [operand, index],
          at: bracket.at,
        };
      } else return operand;
    }
  }

  private select(operand: Expression, dot: Token): Expression {
    const optional = this.take("?") !== undefined;
    const { type, text, at } = this.next;
    const isName = type === "identifier" && !keywords.has(text);
    if (!isName && type !== "quoted identifier") {
      this.fail(
        this.next.type === "end"
          ? `no viable alternative at input '.'`
          : `no viable alternative at input '.${text}'`,
      );
    }
    this.position++;
    if (type === "quoted identifier") {
      throw new CelSyntaxError({ at, message: "unsupported syntax: '`'" });
    }
    if (optional) {
      const field: Expression = {
        kind: "literal",
        literal: { type: "string", value: text },
        at: dot.at,
      };
      return { kind: "call", name: "_?._", args: [operand, field], at: dot.at };
    }
    const open = this.take("(");
    if (!open) return { kind: "select", operand, field: text, testOnly: false, at: dot.at };
    return this.call(text, operand, this.args(), open.at);
  }

  private args(): Expression[] {
    if (this.take(")")) return [];
    const args = [this.expression()];
    while (this.take(",")) args.push(this.expression());
    this.expect(")");
    return args;
  }

  private call(
    name: string,
    target: Expression | undefined,
    args: readonly Expression[],
    at: number,
  ): Expression {
    const build: MacroContext = {
      at,
      fault: (place, message) => void this.issues.push({ at: place, message }),
    };
    return expandMacro(name, target, args, build) ?? { kind: "call", name, target, args, at };
  }

  private primary(): Expression {
    const { type, at } = this.next;
    switch (type) {
      case "int":
      case "uint":
      case "float":
        return this.numberLiteral(at, false);
      case "string":
      case "bytes":
        return this.quotedLiteral();
      case "identifier":
        return this.identifier("");
      default:
    }
    if (this.take(".")) {
      if (this.next.type !== "identifier" || keywords.has(this.next.text)) {
        this.fail(`no viable alternative at input '.${this.next.type === "end" ? "" : this.next.text}'`);
      }
      return this.identifier(".");
    }
    if (this.take("(")) {
      const inner = this.expression();
      this.expect(")");
      return inner;
    }
    if (this.take("[")) return this.list(at);
    if (this.take("{")) return this.map(at);
    return this.unexpected(begin);
  }

  /** Reports an unexpected token. Parsing continues if an expression can begin after it. */
  private unexpected(expected: string): Expression {
    const { type, text } = this.next;
    const isLast = this.after.type === "end";
    const canContinue = type !== "end" && !isLast && canBegin(this.after);
    if (!canContinue) return this.fail(`mismatched input '${text}' expecting {${expected}}`);
    this.issues.push({
      at: this.next.at,
      message: `Syntax error: extraneous input '${text}' expecting {${expected}}`,
    });
    this.position++;
    return this.primary();
  }

  private identifier(dot: string): Expression {
    const { text, at } = this.next;
    this.position++;
    const constant = constants.get(text);
    if (constant && dot === "") return { kind: "literal", literal: constant, at };
    if (text === "in") {
      this.position--;
      this.fail(`mismatched input 'in' expecting {${begin}}`);
    }
    const open = this.take("(");
    if (reserved.has(text)) this.issues.push({ at, message: `reserved identifier: ${text}` });
    const name = dot + text;
    if (open) return this.call(name, undefined, this.args(), open.at);
    return this.struct(name) ?? { kind: "ident", name, at };
  }

  /** Parses `a.b.Name{…}`, which requires lookahead. */
  private struct(first: string): Expression | undefined {
    let position = this.position;
    let name = first;
    for (;;) {
      const [dot, word] = [this.tokens[position], this.tokens[position + 1]];
      if (dot?.text !== "." || dot.type !== "punctuation" || word?.type !== "identifier") break;
      name += `.${word.text}`;
      position += 2;
    }
    const open = this.tokens[position];
    if (open?.text !== "{" || open.type !== "punctuation") return undefined;
    this.position = position + 1;
    while (!this.is("}")) {
      this.take("?");
      if (this.next.type !== "identifier") this.fail(`extraneous input '${this.next.text}' expecting '}'`);
      this.position++;
      this.expect(":");
      this.expression();
      if (!this.take(",")) break;
    }
    this.expect("}", "{'}', ','}");
    return { kind: "struct", name, at: open.at };
  }

  private list(at: number): Expression {
    const items: Expression[] = [];
    const optional = new Set<number>();
    if (this.next.type === "end")
      this.unexpected(begin.replace("'{'", "']', '{'").replace(more, moreOptional));
    while (!this.is("]")) {
      if (this.take("?")) optional.add(items.length);
      items.push(this.expression());
      if (!this.take(",")) break;
    }
    this.expect("]", "{']', ','}");
    return { kind: "list", items, optional, at };
  }

  private map(at: number): Expression {
    const entries: MapEntry[] = [];
    if (this.next.type === "end")
      this.unexpected(begin.replace("'{'", "'{', '}'").replace(more, moreOptional));
    while (!this.is("}")) {
      const optional = this.take("?") !== undefined;
      const key = this.expression();
      this.expect(":");
      entries.push({ key, value: this.expression(), optional });
      if (!this.take(",")) break;
    }
    this.expect("}", "{'}', ','}");
    return { kind: "map", entries, at };
  }

  private quotedLiteral(): Expression {
    const { type, text, at } = this.next;
    this.position++;
    if (type === "bytes") {
      const value = readBytes(text);
      if (!value) this.issues.push({ at, message: "invalid bytes literal: unable to unescape string" });
      return { kind: "literal", literal: { type: "bytes", value: value ?? new Uint8Array() }, at };
    }
    const value = readString(text);
    if (value === undefined) this.issues.push({ at, message: `unable to unescape string` });
    return { kind: "literal", literal: { type: "string", value: value ?? "" }, at };
  }

  private numberLiteral(at: number, negative: boolean): Expression {
    const { type, text } = this.next;
    this.position++;
    if (type === "float") {
      const value = Number(text);
      if (!Number.isFinite(value)) this.issues.push({ at, message: "invalid double literal" });
      return { kind: "literal", literal: { type: "double", value: negative ? -value : value }, at };
    }
    if (type === "uint") {
      const value = BigInt(text.slice(0, -1));
      if (value >= 2n * intLimit) this.issues.push({ at, message: "invalid uint literal" });
      return { kind: "literal", literal: { type: "uint", value }, at };
    }
    const value = negative ? -BigInt(text) : BigInt(text);
    if (value >= intLimit || value < -intLimit) this.issues.push({ at, message: "invalid int literal" });
    return { kind: "literal", literal: { type: "int", value }, at };
  }
}
