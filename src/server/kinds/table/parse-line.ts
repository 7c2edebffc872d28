import { TableError } from "./table-error.js";

/** One line of a table, taken apart. */
export interface Line {
  readonly number: number;
  /** Fields are indented; everything else begins in the first column. */
  readonly indented: boolean;
  /** `map(name,uid)` is the word `map` with arguments. */
  readonly words: readonly Word[];
  readonly comment?: string | undefined;
}

export interface Word {
  readonly text: string;
  readonly arguments?: readonly string[] | undefined;
}

/** The lines of a table that say something. */
export function readLines(table: string): Line[] {
  const lines: Line[] = [];
  for (const [index, text] of table.split("\n").entries()) {
    const hash = text.search(/(^|\s)#/);
    const code = hash < 0 ? text : text.slice(0, hash);
    if (code.trim() === "") continue;
    const comment = hash < 0 ? undefined : text.slice(text.indexOf("#", hash) + 1).trim();
    const number = index + 1;
    const words = code
      .trim()
      .split(/\s+/)
      .map((word) => readWord(word, number));
    lines.push({ number, indented: /^\s/.test(code), words, ...(comment && { comment }) });
  }
  return lines;
}

function readWord(word: string, line: number): Word {
  // A default may contain anything.
  if (word.startsWith("=")) return { text: "=", arguments: [word.slice(1)] };
  const open = word.indexOf("(");
  if (open < 0) return { text: word };
  if (!word.endsWith(")") || open === 0) throw new TableError(line, `"${word}" should look like "word(a,b)"`);
  const inside = word.slice(open + 1, -1);
  if (inside === "") throw new TableError(line, `"${word}" has nothing in its brackets`);
  return { text: word.slice(0, open), arguments: inside.split(",") };
}
