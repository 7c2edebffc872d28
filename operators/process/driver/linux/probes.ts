import { spawn } from "node:child_process";
import { request } from "node:http";
import { connect } from "node:net";
import type { Launch } from "../driver.js";
import { launchProblem } from "../launch-check.js";
import { encodeLaunch } from "./launch-file.js";
import { perl, shimProgram } from "./shim-server.js";

/** Bytes of a command's output that are quoted. */
const maxOutput = 200;

interface HttpTarget {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Succeeds with a status from 200 to 399, as in Kubernetes. */
export function probeHttp(target: HttpTarget, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const { host, port, path, headers } = target;
    // An agent would keep connections; a probe must make its own.
    const call = request({ host, port, path, headers, agent: false, signal }, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      call.destroy();
      resolve(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP status ${statusCode} from ${path}`);
    });
    call.on("error", (error) => resolve(signal.aborted ? timedOut : error.message));
    call.end();
  });
}

export function probeTcp(host: string, port: number, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (reason: string | undefined): void => {
      signal.removeEventListener("abort", abort);
      socket.destroy();
      resolve(reason);
    };
    const abort = (): void => end(timedOut);
    signal.addEventListener("abort", abort, { once: true });
    socket.once("connect", () => end(undefined));
    socket.on("error", (error) => end(error.message));
    if (signal.aborted) abort();
  });
}

/**
 * Runs a command with the user, environment and working folder of the process. The shim program does that, because Node cannot set the
 * groups of a user; it kills the command and its descendants when the command ends, the signal is aborted, or this program is killed.
 */
export async function probeCommand(
  argv: Launch["argv"],
  launch: Launch,
  signal: AbortSignal,
): Promise<string | undefined> {
  const probe: Launch = { ...launch, argv, notifyDescriptor: undefined };
  const problem = launchProblem(probe);
  if (problem) return problem.message;
  const text = Buffer.from(encodeLaunch(probe, "probe", []));
  const command = spawn(perl, [shimProgram, "probe"], {
    detached: true,
    cwd: "/",
    env: { LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  let length = 0;
  for (const stream of [command.stdout, command.stderr]) {
    stream?.on("data", (bytes: Buffer) => {
      if (length < maxOutput) output.push(bytes.subarray(0, maxOutput - length));
      length += bytes.length;
    });
  }
  const input = command.stdio[3] as NodeJS.WritableStream & { destroy(): void };
  input.on("error", () => {});
  input.write(`${text.length}\n`);
  input.write(text);
  const abort = (): void => input.destroy();
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    const [code, ended] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      command.once("error", reject);
      command.once("close", (code, ended) => resolve([code, ended]));
    });
    if (signal.aborted) return timedOut;
    if (code === 0) return undefined;
    const said = Buffer.concat(output).toString().trim();
    const how = ended === null ? `exit code ${code}` : `ended by ${ended}`;
    return said === "" ? how : `${how}: ${said}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    signal.removeEventListener("abort", abort);
    input.destroy();
  }
}

const timedOut = "no answer within the timeout";
