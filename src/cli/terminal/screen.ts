import type { Terminal } from "../command/command.js";

// oxlint-disable-next-line no-control-regex -- escape sequences of colours
const colour = /^\u001B\[[0-9;]*m/;

/**
 * Prints a text that changes: redrawn in place on a terminal, otherwise appended with an empty line in between. An unchanged
 * text is not printed again.
 */
export class Screen {
  readonly #terminal: Terminal;
  #last: string | undefined;
  #height = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Starts a new drawing below other output. */
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
    // Some terminals report a size of 0.
    const lines = fitted(text, stdout.columns || 80, stdout.rows || 24);
    const back = this.#height === 0 ? "" : `\u001B[${this.#height}A\r`;
    // Each line clears its rest, and the last one everything below: no flicker.
    stdout.write(`${back}${lines.map((line) => `${line}\u001B[K\n`).join("")}\u001B[J`);
    this.#height = lines.length;
    this.#last = text;
  }
}

/** Lines that fit on the screen: lines that wrap or scroll cannot be redrawn. */
function fitted(text: string, columns: number, rows: number): readonly string[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const most = Math.max(1, rows - 1);
  const visible =
    lines.length <= most ? lines : [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more lines`];
  return visible.map((line) => clipped(line, columns));
}

function clipped(line: string, columns: number): string {
  let width = 0;
  /** Position to cut at, if the line is too long. */
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
