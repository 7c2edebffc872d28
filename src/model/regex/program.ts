import {
  type CharacterTest,
  PatternError,
  type PatternNode,
  type Assertion,
  type RepeatNode,
} from "./pattern-node.js";

/** Opcodes. */
export const opcodes = {
  /** Match. */
  match: 0,
  /** Continue at `first` if the next character passes test `second`. */
  character: 1,
  /** Continue at `first` if assertion `second` holds. */
  assertion: 2,
  /** Continue at both `first` and `second`, preferring `first`. */
  split: 3,
} as const;

/** Program of a non-deterministic automaton: it never backtracks. */
export interface Program {
  readonly ops: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly tests: readonly CharacterTest[];
  readonly start: number;
  /** True if a match can only begin at the start of the input. */
  readonly anchored: boolean;
  /** True if assertions depend on line breaks or on word characters. */
  readonly usesLines: boolean;
  readonly usesWords: boolean;
}

/** Assertions by number. */
export const assertions: readonly Assertion[] = [
  "text start",
  "text end",
  "line start",
  "line end",
  "word edge",
  "no word edge",
];

/** Limit for instructions. Go allows more, but the time to match grows with it. */
const maxInstructions = 50_000;

/** Compiles a syntax tree to a program. */
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

  /** Emits a node that continues at `next`, and returns its start: programs are emitted from the end. */
  const write = (part: PatternNode, next: number): number => {
    switch (part.type) {
      case "character":
        return emit(opcodes.character, next, testNumber(part.test));
      case "assertion":
        usedAssertions.add(part.assertion);
        return emit(opcodes.assertion, next, assertions.indexOf(part.assertion));
      case "sequence":
        return part.parts.reduceRight((after, inner) => write(inner, after), next);
      case "choice":
        return part.parts
          .map((inner) => write(inner, next))
          .reduceRight((after, begin) => emit(opcodes.split, begin, after));
      case "repeat":
        return writeRepeat(part, next);
    }
  };

  const writeRepeat = ({ part, min, max, lazy }: RepeatNode, next: number): number => {
    let begin = next;
    if (max === Infinity) {
      begin = emit(opcodes.split, next, next);
      (lazy ? second : first)[begin] = write(part, begin);
    } else {
      for (let copy = min; copy < max; copy++) {
        const again = write(part, begin);
        begin = lazy ? emit(opcodes.split, next, again) : emit(opcodes.split, again, next);
      }
    }
    for (let copy = 0; copy < min; copy++) begin = write(part, begin);
    return begin;
  };

  const start = write(node, emit(opcodes.match, 0, 0));
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
