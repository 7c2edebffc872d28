import type { Terminal } from "./command/command.js";

/** This process as a terminal. */
export interface ProcessTerminal {
  readonly terminal: Terminal;
  /** The exit code that stands for the signal that was received, if one was: 130 for Ctrl-C. */
  readonly received: () => number | undefined;
  /** Ends the process as soon as everything is written. */
  readonly finish: (code: number) => Promise<void>;
}

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Listens for signals: the first aborts the terminal's signal so that a command ends in good order, and a second Ctrl-C ends
 * the process at once. When nobody reads any more (`| head`), it ends in good order too, and without a word.
 */
export function processTerminal(version: string): ProcessTerminal {
  const ending = new AbortController();
  // A command is over when it says so: while it waits for a server to come back, nothing else may keep the process alive.
  setInterval(() => {}, 2 ** 30);
  let code: number | undefined;
  for (const [name, exitCode] of Object.entries(exitCodes)) {
    process.on(name, () => {
      if (code !== undefined && name === "SIGINT") process.exit(exitCode);
      code ??= exitCode;
      ending.abort(new Error(`received ${name}`));
    });
  }
  const broken = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE") throw error;
    code ??= 0;
    ending.abort(new Error("output pipe closed"));
  };
  process.stdout.on("error", broken);
  process.stderr.on("error", broken);
  const { env } = process;
  const terminal: Terminal = {
    stdout: process.stdout,
    stderr: process.stderr,
    // Opening it would keep the process from ending, so that is left to who reads it.
    get stdin() {
      return process.stdin;
    },
    env,
    cwd: process.cwd(),
    signal: ending.signal,
    colors: wantsColors(env, process.stdout.isTTY),
    version,
  };
  return {
    terminal,
    received: () => code,
    async finish(code) {
      await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
      // A connection that is kept alive, or a timer of a user's module, must not hold up the prompt.
      process.exit(code);
    },
  };
}

/** See no-color.org and force-color.org. */
function wantsColors(env: NodeJS.ProcessEnv, isTTY: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTTY && env["TERM"] !== "dumb";
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.errored !== null) resolve();
    else stream.write("", () => resolve());
  });
}
