import { codePoints } from "../values/text.js";

/** Error in an expression, with its position in characters. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Limit for the length of an expression, in characters. */
export const maxExpressionLength = 100_000;

const maxSnippetLength = 16_384;
const maxIssues = 100;

/** Renders errors like cel-go: each with its line and a marker below it. */
export function renderIssues(source: string, issues: readonly Issue[]): string {
  const lines = source.split("\n");
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += codePoints(line).length + 1;
  }
  const placed = issues.map((issue) => {
    let row = starts.length - 1;
    while (row > 0 && (starts[row] ?? 0) > issue.at) row--;
    return { row, column: issue.at - (starts[row] ?? 0), message: issue.message };
  });
  placed.sort((a, b) => a.row - b.row || a.column - b.column);
  const rendered = placed.slice(0, maxIssues).map(({ row, column, message }) => {
    const head = `ERROR: <input>:${row + 1}:${column + 1}: ${message}`;
    const line = lines[row] ?? "";
    return line.length > maxSnippetLength ? head : head + snippet(line, column);
  });
  if (placed.length > maxIssues) rendered.push(`${placed.length - maxIssues} more errors were truncated`);
  return rendered.join("\n");
}

function snippet(line: string, column: number): string {
  const characters = codePoints(line.replaceAll("\t", " "));
  const isWide = (character: string | undefined): boolean =>
    character !== undefined && (character.codePointAt(0) ?? 0) > 0x7f;
  const dots = characters.slice(0, column).map((character) => (isWide(character) ? "\uFF0E" : "."));
  const mark = isWide(characters[column]) ? "\uFF3E" : "^";
  return `\n | ${characters.join("")}\n | ${dots.join("")}${mark}`;
}
