import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** The installed command in a process of its own. */
export interface FettleProcess {
  readonly process: ChildProcess;
  out(): string;
  err(): string;
  /** Resolves when stdout or stderr matches. */
  says(what: RegExp): Promise<void>;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function fettle(words: readonly string[], surroundings?: Surroundings): FettleProcess {
  return program(process.execPath, [main, ...words], surroundings);
}

/** Starts a program in a process group of its own, as a shell does: a signal to `-pid` is like Ctrl-C. */
export function inGroup(
  name: string,
  words: readonly string[],
  surroundings?: Surroundings,
): FettleProcess & { readonly ctrlC: () => void } {
  const running = program(name, words, surroundings, true);
  const { pid } = running.process;
  const signal = (which: NodeJS.Signals): void => {
    if (pid !== undefined) process.kill(-pid, which);
  };
  onTestFinished(() => {
    try {
      signal("SIGKILL");
    } catch {
      // The group has no process left.
    }
  });
  return { ...running, ctrlC: () => signal("SIGINT") };
}

function program(
  name: string,
  words: readonly string[],
  { cwd, env = {} }: Surroundings = {},
  detached = false,
): FettleProcess {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(name, words, { cwd, env: { PATH, HOME, ...env }, detached });
  const text = { out: "", err: "" };
  const listeners = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => hear("out", chunk));
  child.stderr.on("data", (chunk: Buffer) => hear("err", chunk));
  function hear(which: "out" | "err", chunk: Buffer): void {
    text[which] += chunk.toString();
    for (const listener of listeners) listener();
  }
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return {
    process: child,
    out: () => text.out,
    err: () => text.err,
    ended,
    async says(what) {
      const matches = (): boolean => what.test(text.out) || what.test(text.err);
      const heard = new Promise<undefined>((resolve) => {
        const listener = (): void => {
          if (!matches()) return;
          listeners.delete(listener);
          resolve(undefined);
        };
        listeners.add(listener);
        listener();
      });
      const code = await Promise.race([heard, ended]);
      if (code === undefined || matches()) return;
      throw new Error(`it ended with ${code} and never printed ${String(what)}:\n${text.out}${text.err}`);
    },
  };
}
