import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import picocolors from "picocolors";
import type { OptionValues, Terminal } from "../command/command.js";
import { ownProgram } from "../templates/own-package.js";
import { displayPath } from "./banner.js";
import { FileWatch } from "./watch-files.js";

/** Environment variable of a supervised process: `first` or `again`. */
const supervisedVariable = "FETTLE_SUPERVISED";

export const stopping = "\nStopping: waiting for running reconciles to finish.\n";
export const stopped = "Stopped. All data is on disk.\n";

/** Message of a child process to its supervisor after it has started. */
interface StartedMessage {
  readonly port: number;
  readonly sources: readonly string[];
}

export interface Supervised {
  readonly words: readonly string[];
  readonly options: OptionValues;
  /** Files to watch until a child reports its own. */
  readonly sources: readonly string[];
  readonly terminal: Terminal;
}

/**
 * Runs `fettle up` in a child process, and in a new one after every file change. A child shuts down gracefully before the next
 * one starts on the same data and port. If a child cannot start, for example because a file is half written, the next one
 * starts with the next change.
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
        const started = message as StartedMessage;
        port = started.port;
        files.follow(started.sources);
      });
      await Promise.race([woken, ended]);
      if (child.exitCode === null && child.signalCode === null) {
        if (!signal.aborted && changed !== undefined) {
          stdout.write(paint.dim(`\n${displayPath(changed, cwd)} has changed: restarting\n\n`));
        }
        if (signal.aborted) stdout.write(stopping);
        isStopping = signal.aborted;
        // Ctrl-C may have reached the child too; disconnecting stops it in either case.
        if (child.connected) child.disconnect();
        await ended;
      } else if (!signal.aborted && changed === undefined) {
        stderr.write(paint.dim("waiting for a file change\n"));
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

/** Command line flags of options, without `--watch`. */
function flagsOf(options: OptionValues): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (name === "watch" || value === undefined) return [];
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (value === true) return [`--${flag}`];
    if (value === false) return [`--no-${flag}`];
    return (typeof value === "string" ? [value] : value).flatMap((each) => [`--${flag}`, each]);
  });
}

/** Parent process that restarts this one. */
export interface Supervisor {
  /** True if another child ran before. */
  readonly isRestart: boolean;
  /** Aborts when this child should stop. */
  readonly disconnected: AbortSignal;
  report(started: StartedMessage): void;
}

/** Supervisor of this process; undefined without one. */
export function supervisor({ env }: Pick<Terminal, "env">): Supervisor | undefined {
  const mode = env[supervisedVariable];
  if (mode === undefined || process.send === undefined) return undefined;
  const ending = new AbortController();
  if (!process.connected) ending.abort();
  process.once("disconnect", () => ending.abort());
  return {
    isRestart: mode === "again",
    disconnected: ending.signal,
    report: (started) => void process.send?.(started),
  };
}
