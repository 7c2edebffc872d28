/** A mistake in the description of a type, found by the tests. */
export class IdlError extends Error {
  override readonly name = "IdlError";

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
  }
}

/** A parsed line. */
export interface IdlLine {
  readonly number: number;
  /** `map(name,uid)` is the word `map` with arguments. */
  readonly words: readonly Word[];
  readonly comment?: string | undefined;
}

export interface Word {
  readonly text: string;
  readonly arguments?: readonly string[] | undefined;
}

/** Part of a description and the number of its first line. */
export interface Passage {
  readonly text: string;
  readonly number: number;
}

/** Lines of a passage that are neither blank nor comments. */
export function readIdlLines({ text, number }: Passage): IdlLine[] {
  return text.split("\n").flatMap((line, index) => readLine(line, number + index) ?? []);
}

/** Parses a line; undefined for blank lines and comments. */
export function readLine(text: string, number: number): IdlLine | undefined {
  const hash = text.search(/(^|\s)#/);
  const code = hash < 0 ? text : text.slice(0, hash);
  if (code.trim() === "") return undefined;
  const comment = hash < 0 ? undefined : text.slice(text.indexOf("#", hash) + 1).trim();
  const words = code
    .trim()
    .split(/\s+/)
    .map((word) => readWord(word, number));
  return { number, words, ...(comment && { comment }) };
}

/**
 * Splits a description into passages: an unindented line and the indented lines below it, which are not parsed.
 */
export function* readPassages(description: string): Generator<Passage> {
  let number = 1;
  let firstNumber = 1;
  let first = 0;
  let at = 0;
  while (at < description.length) {
    const end = description.indexOf("\n", at);
    const next = end < 0 ? description.length : end + 1;
    const indented = /\s/.test(description.charAt(at));
    if (!indented && at > first) {
      yield { text: description.slice(first, at), number: firstNumber };
      first = at;
      firstNumber = number;
    }
    at = next;
    number++;
  }
  yield { text: description.slice(first), number: firstNumber };
}

function readWord(word: string, line: number): Word {
  // A default may contain anything.
  if (word.startsWith("=")) return { text: "=", arguments: [word.slice(1)] };
  const open = word.indexOf("(");
  if (open < 0) return { text: word };
  if (!word.endsWith(")") || open === 0) throw new IdlError(line, `"${word}" should look like "word(a,b)"`);
  const inside = word.slice(open + 1, -1);
  if (inside === "") throw new IdlError(line, `"${word}" has nothing in its brackets`);
  return { text: word.slice(0, open), arguments: inside.split(",") };
}
