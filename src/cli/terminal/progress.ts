import type { Terminal } from "../command/command.js";

/** Progress line on stderr, removed when it is disposed. */
export interface Progress extends Disposable {
  /** Replaces the text of the line. */
  show(text: string): void;
  /** Removes the line until the next {@link show}, so that something else can be written. */
  clear(): void;
}

/** Milliseconds before the line appears: fast operations show none. */
const delay = 1000;

/**
 * Starts a progress line. It appears only on a terminal, and only for operations that take long.
 *
 * @example
 * using progress = startProgress(terminal);
 * progress.show("waiting for site/hello to be deleted");
 */
export function startProgress({ stderr, stdout }: Terminal): Progress {
  let text = "";
  let isDrawn = false;
  let isDue = false;
  const clear = (): void => {
    if (isDrawn) stderr.write("\r\u001B[2K");
    isDrawn = false;
  };
  const draw = (): void => {
    if (!isDue || text === "" || stderr.isTTY !== true) return;
    clear();
    const width = (stdout.columns ?? 80) - 1;
    stderr.write(text.length > width ? `${text.slice(0, width - 1)}…` : text);
    isDrawn = true;
  };
  const timer = setTimeout(() => {
    isDue = true;
    draw();
  }, delay);
  timer.unref();
  return {
    show: (next) => {
      text = next;
      draw();
    },
    clear,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      text = "";
      clear();
    },
  };
}
