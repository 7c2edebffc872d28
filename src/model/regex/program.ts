import {
  type CharacterTest,
  PatternError,
  type PatternNode,
  type Assertion,
  type RepeatNode,
} from "./pattern-node.js";

/** What an instruction of a program does. */
export const operations = {
  /** The text matches. */
  match: 0,
  /** Goes on at `first` if the next character passes the test numbered `second`. */
  character: 1,
  /** Goes on at `first` if this is the place numbered `second`. */
  assertion: 2,
  /** Goes on at `first` and at `second`; what `first` leads to is preferred. */
  split: 3,
} as const;

/** A regular expression as a machine that may be in several places at once: no text makes it go back. */
export interface Program {
  readonly ops: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly tests: readonly CharacterTest[];
  readonly start: number;
  /** Whether a match can begin at the start of the text only. */
  readonly anchored: boolean;
  /** Which of its surroundings a place in the text is judged by. */
  readonly usesLines: boolean;
  readonly usesWords: boolean;
}

/** The places, by number. */
export const assertions: readonly Assertion[] = [
  "text start",
  "text end",
  "line start",
  "line end",
  "word edge",
  "no word edge",
];

/** Go allows more; but what it takes to match a text grows with this. */
const maxInstructions = 50_000;

/** Turns a tree into a program. */
export function compileProgram(node: PatternNode, pattern: string): Program {
  const ops: number[] = [];
  const first: number[] = [];
  const second: number[] = [];
  const tests: CharacterTest[] = [];
  const testNumbers = new Map<CharacterTest, number>();
  const usedAssertions = new Set<Assertion>();

  const emit = (op: number, one: number, two: number): number => {
    if (ops.length === maxInstructions) throw new PatternError("expression too large", pattern);
    first.push(one);
    second.push(two);
    return ops.push(op) - 1;
  };

  const testNumber = (test: CharacterTest): number => {
    let number = testNumbers.get(test);
    if (number === undefined) {
      number = tests.push(test) - 1;
      testNumbers.set(test, number);
    }
    return number;
  };

  /** Writes a node that goes on at `next`, and returns where it begins: a program is written from its end. */
  const write = (part: PatternNode, next: number): number => {
    switch (part.type) {
      case "character":
        return emit(operations.character, next, testNumber(part.test));
      case "assertion":
        usedAssertions.add(part.assertion);
        return emit(operations.assertion, next, assertions.indexOf(part.assertion));
      case "sequence":
        return part.parts.reduceRight((after, inner) => write(inner, after), next);
      case "choice":
        return part.parts
          .map((inner) => write(inner, next))
          .reduceRight((after, begin) => emit(operations.split, begin, after));
      case "repeat":
        return writeRepeat(part, next);
    }
  };

  const writeRepeat = ({ part, min, max, lazy }: RepeatNode, next: number): number => {
    let begin = next;
    if (max === Infinity) {
      begin = emit(operations.split, next, next);
      (lazy ? second : first)[begin] = write(part, begin);
    } else {
      for (let copy = min; copy < max; copy++) {
        const again = write(part, begin);
        begin = lazy ? emit(operations.split, next, again) : emit(operations.split, again, next);
      }
    }
    for (let copy = 0; copy < min; copy++) begin = write(part, begin);
    return begin;
  };

  const start = write(node, emit(operations.match, 0, 0));
  return {
    ops,
    first,
    second,
    tests,
    start,
    anchored: beginsAtStart(node),
    usesLines: usedAssertions.has("line start") || usedAssertions.has("line end"),
    usesWords: usedAssertions.has("word edge") || usedAssertions.has("no word edge"),
  };
}

function beginsAtStart(node: PatternNode): boolean {
  switch (node.type) {
    case "assertion":
      return node.assertion === "text start";
    case "sequence":
      return node.parts[0] !== undefined && beginsAtStart(node.parts[0]);
    case "choice":
      return node.parts.every(beginsAtStart);
    case "repeat":
      return node.min > 0 && beginsAtStart(node.part);
    default:
      return false;
  }
}
