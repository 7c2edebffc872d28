import type { Terminal } from "../command/command.js";

// oxlint-disable-next-line no-control-regex -- that is what colours are made of
const colour = /^\u001B\[[0-9;]*m/;

/**
 * Shows a text that changes: on a terminal in place, elsewhere one after the other with an empty line between them. What is
 * the same as before is not shown again.
 */
export class Screen {
  readonly #terminal: Terminal;
  #last: string | undefined;
  #height = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Something else has been written: what is drawn next stands below it. */
  leave(): void {
    this.#height = 0;
    this.#last = undefined;
  }

  draw(text: string): void {
    if (text === this.#last) return;
    const { stdout } = this.#terminal;
    if (stdout.isTTY !== true) {
      stdout.write(this.#last === undefined ? text : `\n${text}`);
      this.#last = text;
      return;
    }
    // Some terminals do not know their size, and say 0.
    const lines = fitted(text, stdout.columns || 80, stdout.rows || 24);
    const back = this.#height === 0 ? "" : `\u001B[${this.#height}A\r`;
    // Each line clears what was on it before, and the last one all below: nothing flickers.
    stdout.write(`${back}${lines.map((line) => `${line}\u001B[K\n`).join("")}\u001B[J`);
    this.#height = lines.length;
    this.#last = text;
  }
}

/** The lines that can be seen at once: a line that wraps, or scrolls away, could not be drawn over. */
function fitted(text: string, columns: number, rows: number): readonly string[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const most = Math.max(1, rows - 1);
  const shown =
    lines.length <= most ? lines : [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more lines`];
  return shown.map((line) => clipped(line, columns));
}

function clipped(line: string, columns: number): string {
  let width = 0;
  /** Where the last character that can be kept ends, if the line has to be cut. */
  let end = 0;
  for (let at = 0; at < line.length;) {
    const [escape] = colour.exec(line.slice(at)) ?? [];
    if (escape !== undefined) {
      at += escape.length;
      continue;
    }
    if (width === columns - 1) end = at;
    if (width === columns) return `${line.slice(0, end)}…\u001B[0m`;
    at += (line.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    width++;
  }
  return line;
}
