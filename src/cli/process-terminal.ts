import type { Terminal } from "./command/command.js";

/** Terminal of this process. */
export interface ProcessTerminal {
  readonly terminal: Terminal;
  /** Exit code of the received signal, if any: 130 for Ctrl-C. */
  readonly received: () => number | undefined;
  /** Exits once all output is written. */
  readonly finish: (code: number) => Promise<void>;
}

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Listens for signals: the first aborts the terminal's signal, so that a command can shut down; a second Ctrl-C exits
 * at once. A closed output pipe (`| head`) also aborts the signal, and prints nothing.
 */
export function processTerminal(version: string): ProcessTerminal {
  const ending = new AbortController();
  // Keeps the process alive until the command ends: while it waits for a server to come back, nothing else may.
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
    // An open stdin would keep the process alive, so only its reader opens it.
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
      // Connections that are kept alive, and timers of a user's module, must not delay the exit.
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
