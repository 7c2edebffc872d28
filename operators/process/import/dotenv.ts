import type { ImportProblem } from "./import-problem.js";

/**
 * Reads a `.env` file: lines `NAME=value` with an optional `export`, comments, and values in single quotes (as they are) or double
 * quotes (with `\n`, `\t`, `\"` and `\\`), which may span lines. Nothing is expanded.
 *
 * @example
 * readDotenv('export TITLE="Hello" # of the page').variables; // Map { "TITLE" => "Hello" }
 */
export function readDotenv(text: string): {
  readonly variables: ReadonlyMap<string, string>;
  readonly problems: readonly ImportProblem[];
} {
  const variables = new Map<string, string>();
  const problems: ImportProblem[] = [];
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  let at = 0;
  const report = (message: string) =>
    problems.push({ line: source.slice(0, at).split("\n").length, column: 1, message });
  while (at < source.length) {
    const lineEnd = endOfLine(source, at);
    const line = source.slice(at, lineEnd);
    if (/^\s*(#|$)/.test(line)) {
      at = lineEnd + 1;
      continue;
    }
    const [head, name] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/.exec(line) ?? [];
    if (head === undefined || name === undefined) {
      report(`expected NAME=value, not ${JSON.stringify(line.trim().slice(0, 60))}`);
      at = lineEnd + 1;
      continue;
    }
    const value = readValue(source, at + head.length);
    if (typeof value === "string") {
      report(`${name}: ${value}`);
      at = lineEnd + 1;
      continue;
    }
    if (value.text.includes("\0")) report(`${name} contains a NUL character, which no process can receive`);
    variables.set(name, value.text);
    at = value.end + 1;
  }
  return { variables, problems };
}

/** Value that starts at an offset, and the end of its last line; a string says what is wrong with it. */
function readValue(source: string, start: number): { readonly text: string; readonly end: number } | string {
  const quote = source[start];
  if (quote !== '"' && quote !== "'") {
    const end = endOfLine(source, start);
    const text = source.slice(start, end);
    return { text: text.startsWith("#") ? "" : text.replace(/\s#.*$/, "").trim(), end };
  }
  const close = closingQuote(source, start);
  if (close === -1) return `the quote ${quote} is not closed`;
  const end = endOfLine(source, close);
  const after = source.slice(close + 1, end).trim();
  if (after !== "" && !after.startsWith("#")) {
    return `${JSON.stringify(after)} follows the closing quote: put quotes around the whole value`;
  }
  const inner = source.slice(start + 1, close);
  return { text: quote === '"' ? inner.replaceAll(/\\([\s\S])/g, unescaped) : inner, end };
}

function closingQuote(source: string, start: number): number {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === quote) return at;
    if (quote === '"' && source[at] === "\\") at++;
  }
  return -1;
}

function unescaped(whole: string, char: string): string {
  const control = { n: "\n", r: "\r", t: "\t" }[char];
  return control ?? ('"\\$`'.includes(char) ? char : whole);
}

function endOfLine(source: string, start: number): number {
  const end = source.indexOf("\n", start);
  return end === -1 ? source.length : end;
}
