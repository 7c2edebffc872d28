import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import picocolors from "picocolors";
import type { OptionValues, Terminal } from "../command.js";
import { ownProgram } from "../templates/own-package.js";
import { shown } from "./banner.js";
import { FileWatch } from "./watch-files.js";

/** Says to a process that another one starts it anew when files change: `first`, or `again`. */
const supervisedVariable = "FETTLE_SUPERVISED";

export const stopping = "\nStopping: what is under way comes to its end.\n";
export const stopped = "Stopped; everything is on disk.\n";

/** What a generation tells its supervisor when it is at work. */
interface AtWork {
  readonly port: number;
  readonly sources: readonly string[];
}

export interface Supervised {
  readonly words: readonly string[];
  readonly options: OptionValues;
  /** What to watch until a generation knows better. */
  readonly sources: readonly string[];
  readonly terminal: Terminal;
}

/**
 * Runs `fettle up` in a process of its own, and in a new one after every change. A generation ends in good order before the
 * next one begins, on the same data and the same port, so nothing is lost but the time between. One that cannot start, since a
 * file is half written, is followed by the next as soon as something changes.
 */
export async function supervise({ words, options, sources, terminal }: Supervised): Promise<number> {
  const { signal, stdout, stderr, cwd } = terminal;
  const paint = picocolors.createColors(terminal.colors);
  let changed: string | undefined;
  let wake: () => void = () => {};
  const files = new FileWatch((path) => {
    changed = path;
    wake();
  });
  const poke = (): void => wake();
  signal.addEventListener("abort", poke, { once: true });
  files.follow(sources);
  let port: number | undefined;
  let isStopping = false;
  try {
    while (!signal.aborted) {
      changed = undefined;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const child = begin(words, options, port, terminal);
      const ended = once(child, "exit");
      child.on("message", (message) => {
        const { port: taken, sources: named } = message as AtWork;
        port = taken;
        files.follow(named);
      });
      await Promise.race([woken, ended]);
      if (child.exitCode === null && child.signalCode === null) {
        if (!signal.aborted && changed !== undefined) {
          stdout.write(paint.dim(`\n${shown(changed, cwd)} has changed: starting anew\n\n`));
        }
        if (signal.aborted) stdout.write(stopping);
        isStopping = signal.aborted;
        // Ctrl-C may have reached it too; hanging up says the same once more, and is heard only once.
        if (child.connected) child.disconnect();
        await ended;
      } else if (!signal.aborted && changed === undefined) {
        stderr.write(paint.dim("waiting for a change\n"));
        await woken;
      }
    }
    stdout.write(isStopping ? stopped : "");
    return 0;
  } finally {
    files.close();
    signal.removeEventListener("abort", poke);
  }
}

function begin(
  words: readonly string[],
  options: OptionValues,
  port: number | undefined,
  { env, cwd }: Terminal,
): ChildProcess {
  const given = { ...options, ...(port !== undefined && { port: String(port) }) };
  return spawn(process.execPath, [ownProgram(), "up", ...flagsOf(given), "--", ...words], {
    cwd,
    env: { ...env, [supervisedVariable]: port === undefined ? "first" : "again" },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

/** Options as they are typed, but for `--watch`. */
function flagsOf(options: OptionValues): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (name === "watch" || value === undefined) return [];
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (value === true) return [`--${flag}`];
    if (value === false) return [`--no-${flag}`];
    return (typeof value === "string" ? [value] : value).flatMap((each) => [`--${flag}`, each]);
  });
}

/** Who starts this process anew. */
export interface Supervisor {
  /** Whether another generation was at work before. */
  readonly isAgain: boolean;
  /** Aborts when this generation should end. */
  readonly hungUp: AbortSignal;
  tell(atWork: AtWork): void;
}

/** A generation's side of it; undefined in a process that nobody starts anew. */
export function supervisor({ env }: Pick<Terminal, "env">): Supervisor | undefined {
  const said = env[supervisedVariable];
  if (said === undefined || process.send === undefined) return undefined;
  const ending = new AbortController();
  if (!process.connected) ending.abort();
  process.once("disconnect", () => ending.abort());
  return {
    isAgain: said === "again",
    hungUp: ending.signal,
    tell: (atWork) => void process.send?.(atWork),
  };
}
