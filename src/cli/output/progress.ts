import type { Terminal } from "../command.js";

/** What is being waited for, on a line of its own that is gone when it is over. */
export interface Progress extends Disposable {
  /** Replaces what the line says. */
  say(text: string): void;
  /** Takes the line away while something else is written. */
  clear(): void;
}

/** Nobody needs to be told about what is over at once. */
const patience = 1000;

/**
 * Tells people on a terminal what takes so long, once it does; says nothing elsewhere.
 *
 * @example
 * using progress = startProgress(terminal);
 * progress.say("waiting for site/hello to be deleted");
 */
export function startProgress({ stderr, stdout }: Terminal): Progress {
  let latest = "";
  let shown = false;
  let late = false;
  const clear = (): void => {
    if (shown) stderr.write("\r\u001B[2K");
    shown = false;
  };
  const show = (): void => {
    if (!late || latest === "" || stderr.isTTY !== true) return;
    clear();
    const width = (stdout.columns ?? 80) - 1;
    stderr.write(latest.length > width ? `${latest.slice(0, width - 1)}…` : latest);
    shown = true;
  };
  const timer = setTimeout(() => {
    late = true;
    show();
  }, patience);
  timer.unref();
  return {
    say: (text) => {
      latest = text;
      show();
    },
    clear,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      latest = "";
      clear();
    },
  };
}
