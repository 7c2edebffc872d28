import { wellFormed } from "../object/quote.js";
import { anyButNewline, anyCharacter, inRanges } from "./character-sets.js";
import { readCharacter, readClass, readClassEscape, readEscape } from "./parse-class.js";
import { PatternError, type PatternNode, type Assertion, type RepeatNode } from "./pattern-node.js";

/** Flags that groups such as `(?i)` set. */
interface Flags {
  readonly fold: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  /** Repetitions are lazy, and a question mark makes them greedy. */
  readonly swapped: boolean;
}

/** Open group: its complete branches, and the parts of the current one. */
interface Frame {
  readonly branches: PatternNode[];
  parts: PatternNode[];
  /** Height of the tree inside. */
  height: number;
  /** Flags outside of the group, restored after it. */
  readonly outer: Flags;
}

const maxHeight = 1000;
const maxCopies = 1000;
const countedRepeat = /\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/y;
const groupName = /\(\?P?<([^>]*)>/y;
const groupFlags = /\(\?([imsU]*)(?:-([imsU]+))?([:)])/y;
const badGroup = /\(\?[imsU]*(?:-[imsU]*)?[^]?/uy;

/**
 * Parses a regular expression in RE2 syntax, as in Go's regexp package.
 *
 * @throws PatternError
 */
export function parsePattern(pattern: string): PatternNode {
  return new Parser(wellFormed(pattern)).parse();
}

class Parser {
  private at = 0;
  private flags: Flags = { fold: false, multiline: false, dotAll: false, swapped: false };
  private frame: Frame;
  private readonly open: Frame[] = [];
  private readonly heights = new WeakMap<PatternNode, number>();
  /** Start of the preceding repetition; another one must not follow directly. */
  private lastRepeat: number | undefined;

  constructor(private readonly source: string) {
    this.frame = this.newFrame();
  }

  parse(): PatternNode {
    while (this.at < this.source.length) {
      const start = this.at;
      const repeated = this.readOne(this.source.charAt(start));
      this.lastRepeat = repeated ? start : undefined;
    }
    if (this.open.length > 0) throw new PatternError("missing closing )", this.source);
    return this.closeFrame();
  }

  /** Parses the next element; true if it was a repetition. */
  private readOne(character: string): boolean {
    const { flags, source, at } = this;
    switch (character) {
      case "(":
        this.openGroup();
        return false;
      case ")":
        this.closeGroup();
        return false;
      case "|":
        this.endBranch();
        this.at++;
        return false;
      case "^":
        return this.pushAssertion(flags.multiline ? "line start" : "text start", 1);
      case "$":
        return this.pushAssertion(flags.multiline ? "line end" : "text end", 1);
      case ".":
        this.push({ type: "character", test: flags.dotAll ? anyCharacter : anyButNewline });
        this.at++;
        return false;
      case "[": {
        const { value, end } = readClass(source, at, flags.fold);
        this.push({ type: "character", test: value });
        this.at = end;
        return false;
      }
      case "*":
        return this.repeat(at + 1, 0, Infinity);
      case "+":
        return this.repeat(at + 1, 1, Infinity);
      case "?":
        return this.repeat(at + 1, 0, 1);
      case "{":
        return this.countedRepeat();
      case "\\":
        return this.readBackslash();
      default:
        return this.pushLiteral(readCharacter(source, at));
    }
  }

  private readBackslash(): boolean {
    const { source, at } = this;
    switch (source[at + 1]) {
      case "A":
        return this.pushAssertion("text start", 2);
      case "z":
        return this.pushAssertion("text end", 2);
      case "b":
        return this.pushAssertion("word edge", 2);
      case "B":
        return this.pushAssertion("no word edge", 2);
      case "Q": {
        const close = source.indexOf("\\E", at + 2);
        const end = close < 0 ? source.length : close;
        this.at += 2;
        while (this.at < end) this.pushLiteral(readCharacter(source, this.at));
        this.at = close < 0 ? end : close + 2;
        return false;
      }
      default: {
        const several = readClassEscape(source, at, this.flags.fold);
        if (!several) return this.pushLiteral(readEscape(source, at));
        this.push({ type: "character", test: several.value });
        this.at = several.end;
        return false;
      }
    }
  }

  private push(node: PatternNode, height = 1): void {
    this.frame.parts.push(node);
    this.heights.set(node, height);
    this.frame.height = Math.max(this.frame.height, height);
    if (this.frame.height > maxHeight) throw new PatternError("expression nests too deeply", this.source);
  }

  private pushAssertion(assertion: Assertion, length: number): false {
    this.push({ type: "assertion", assertion });
    this.at += length;
    return false;
  }

  private pushLiteral({ value, end }: { readonly value: number; readonly end: number }): false {
    this.push({ type: "character", test: inRanges([[value, value]], this.flags.fold) });
    this.at = end;
    return false;
  }

  private countedRepeat(): boolean {
    const { source, at } = this;
    countedRepeat.lastIndex = at;
    const match = countedRepeat.exec(source);
    // Other braces are literal.
    if (!match) return this.pushLiteral(readCharacter(source, at));
    const [whole, from = "", comma, to] = match;
    const min = Number(from);
    const max = comma === undefined ? min : to === undefined ? Infinity : Number(to);
    if (min > maxCopies || (max > maxCopies && max !== Infinity) || min > max || Number(to) > maxCopies) {
      throw new PatternError("invalid repeat count", whole);
    }
    const repeated = this.repeat(at + whole.length, min, max);
    const node = this.frame.parts.at(-1);
    if ((min >= 2 || (max >= 2 && max !== Infinity)) && node && !copiesFit(node, maxCopies)) {
      throw new PatternError("invalid repeat count", source.slice(at, this.at));
    }
    return repeated;
  }

  private repeat(after: number, min: number, max: number): true {
    const { source, at } = this;
    const end = source[after] === "?" ? after + 1 : after;
    if (this.lastRepeat !== undefined) {
      throw new PatternError("invalid nested repetition operator", source.slice(this.lastRepeat, end));
    }
    const part = this.frame.parts.pop();
    if (!part) throw new PatternError("missing argument to repetition operator", source.slice(at, end));
    const lazy = end > after !== this.flags.swapped;
    this.push({ type: "repeat", part, min, max, lazy }, (this.heights.get(part) ?? 1) + 1);
    this.at = end;
    return true;
  }

  private openGroup(): void {
    const { source, at } = this;
    const outer = this.flags;
    if (source[at + 1] !== "?") {
      this.at++;
    } else if (/^\(\?(?:P<|<)./s.test(source.slice(at, at + 5))) {
      const match = matchAt(groupName, source, at);
      if (!match) throw new PatternError("invalid named capture", source.slice(at));
      if (!/^\w+$/.test(match[1] ?? "")) throw new PatternError("invalid named capture", match[0]);
      this.at += match[0].length;
    } else {
      const match = matchAt(groupFlags, source, at);
      if (!match) {
        const part = matchAt(badGroup, source, at)?.[0] ?? "(?";
        throw new PatternError("invalid or unsupported Perl syntax", part);
      }
      const [whole, on = "", off = "", last] = match;
      const isSet = (letter: string, before: boolean): boolean =>
        !off.includes(letter) && (before || on.includes(letter));
      this.flags = {
        fold: isSet("i", outer.fold),
        multiline: isSet("m", outer.multiline),
        dotAll: isSet("s", outer.dotAll),
        swapped: isSet("U", outer.swapped),
      };
      this.at += whole.length;
      // Flags without a group apply to the rest of the enclosing group.
      if (last === ")") return;
    }
    this.open.push(this.frame);
    this.frame = this.newFrame(outer);
  }

  private closeGroup(): void {
    const outer = this.open.pop();
    if (!outer) throw new PatternError("unexpected )", this.source);
    const { height, outer: flags } = this.frame;
    const node = this.closeFrame();
    this.frame = outer;
    this.flags = flags;
    this.push(node, height + 1);
    this.at++;
  }

  private newFrame(outer = this.flags): Frame {
    return { branches: [], parts: [], height: 0, outer };
  }

  private endBranch(): void {
    const { parts, branches } = this.frame;
    const [only, ...others] = parts;
    branches.push(only && others.length === 0 ? only : { type: "sequence", parts });
    this.frame.parts = [];
  }

  private closeFrame(): PatternNode {
    this.endBranch();
    const { branches } = this.frame;
    const [only, ...others] = branches;
    return only && others.length === 0 ? only : { type: "choice", parts: branches };
  }
}

/** Checks the number of copies that nested repetitions create. */
function copiesFit(node: PatternNode, limit: number): boolean {
  switch (node.type) {
    case "repeat":
      return repeatFits(node, limit);
    case "sequence":
    case "choice":
      return node.parts.every((part) => copiesFit(part, limit));
    default:
      return true;
  }
}

function repeatFits({ part, min, max }: RepeatNode, limit: number): boolean {
  if (max === 0) return true;
  // Go counts counted repetitions only: star, plus and question mark create no copies.
  const copies = max === Infinity ? min : max;
  if (copies > limit) return false;
  return copiesFit(part, copies > 0 ? Math.floor(limit / copies) : limit);
}

function matchAt(expression: RegExp, source: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(source);
}
