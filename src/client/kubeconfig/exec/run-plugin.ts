import { spawn } from "node:child_process";
import { deferred } from "../../async/deferred.js";
import type { Clock } from "../../../model/core.js";
import type { ExecConfig } from "../kubeconfig.js";
import { codeOf, reasonOf } from "../kubeconfig-error.js";
import type { Environment } from "../surroundings.js";
import { ExecPluginError } from "./exec-plugin-error.js";

export interface PluginRun {
  readonly env: Environment;
  readonly clock: Clock;
  /** The plugin gets the terminal. */
  readonly interactive: boolean;
  /** Timeout in milliseconds; undefined for none. */
  readonly timeout: number | undefined;
  /** Called for each line of stderr, such as the URL to log in. */
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

const maxStdout = 4 * 1024 * 1024;
const maxStderr = 4096;

/** Runs a plugin; resolves with its stdout. */
export function runPlugin(plugin: ExecConfig, run: PluginRun): Promise<string> {
  const { promise, resolve, reject } = deferred<string>();
  const child = spawn(plugin.command, [...plugin.args], {
    env: run.env,
    stdio: [run.interactive ? "inherit" : "ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const printed: Buffer[] = [];
  let size = 0;
  let stderr = "";
  let line = "";

  const fail = (
    problem: string,
    details: { readonly installHint?: string; readonly cause?: unknown } = {},
  ): void => reject(new ExecPluginError(plugin.command, problem, { stderr, ...details }));
  const hint = plugin.installHint === undefined ? {} : { installHint: plugin.installHint };
  /** Child processes of the plugin may keep the pipes open, so they are destroyed. */
  const kill = (): void => {
    child.kill("SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const { timeout } = run;
  const timer =
    timeout === undefined
      ? undefined
      : run.clock.after(timeout, () => {
          kill();
          fail(`did not end within ${timeout / 1000} s and was killed`);
        });
  const abort = (): void => {
    kill();
    reject(run.signal.reason as Error);
  };
  run.signal.addEventListener("abort", abort, { once: true });

  child.stdout?.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxStdout) return void printed.push(chunk);
    kill();
    fail(`printed more than ${maxStdout} bytes and was killed`);
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = (stderr + chunk).slice(-maxStderr);
    if (run.interactive) return void process.stderr.write(chunk);
    const lines = (line + chunk).split("\n");
    line = lines.pop() ?? "";
    for (const each of lines) run.onLine(each);
  });
  child.on("error", (cause) => {
    const missing = codeOf(cause) === "ENOENT";
    const where = /[\\/]/.test(plugin.command) ? "does not exist" : "is not on the PATH";
    fail(missing ? where : `cannot be started: ${reasonOf(cause)}`, { cause, ...hint });
  });
  child.on("close", (code, signal) => {
    if (code === 0) return resolve(Buffer.concat(printed).toString("utf8"));
    fail(code === null ? `was ended by ${signal}` : `failed with exit code ${code}`, hint);
  });

  return promise.finally(() => {
    timer?.cancel();
    run.signal.removeEventListener("abort", abort);
    if (line.trim() !== "" && !run.interactive) run.onLine(line);
  });
}
