import { connect, isIPv6 } from "node:net";
import { sleep, type Clock } from "fettle/model";
import { NotServed, type VerifyOptions } from "../driver.js";
import { isFinal, summarize, type ErrorLog } from "./error-log.js";
import type { InternalSocket } from "./internal-socket.js";
import type { MasterProcess } from "./master-process.js";

/** Milliseconds between two looks. */
const interval = 25;
/** Responses in a row, each on a connection of its own: a worker of the old configuration may still accept some. */
const requiredResponses = 3;
const connectTimeout = 1000;

export interface VerificationParts {
  readonly clock: Clock;
  readonly master: MasterProcess;
  readonly socket: InternalSocket;
  readonly errorLog: ErrorLog;
  readonly addresses: readonly string[];
  /** Workers from before the reload. While they accept connections, nginx serves two configurations. */
  readonly oldWorkers: () => ReadonlySet<number>;
  /** Reloads an nginx that has been started since it was to be reloaded. */
  readonly reloadIfStarted: () => Promise<void>;
  /** Makes paths of the driver short. */
  readonly shorten: (text: string) => string;
}

/** Waits until nginx serves a generation on all ports. */
export async function verifyServed(
  parts: VerificationParts,
  generation: number,
  ports: readonly number[],
  { timeout, signal }: VerifyOptions,
): Promise<void> {
  const { clock } = parts;
  const end = clock.now() + timeout;
  for (;;) {
    signal?.throwIfAborted();
    const problem = await findProblem(parts, generation, ports, signal);
    if (problem === undefined) return;
    if (clock.now() >= end || (await wasRefused(parts, problem))) throw problem;
    // nginx that was killed leaves its socket behind, with which its successor could not start.
    if (problem.reason === "NotRunning") await parts.socket.removeStale();
    await sleep(clock, interval, signal);
  }
}

async function findProblem(
  parts: VerificationParts,
  generation: number,
  ports: readonly number[],
  signal: AbortSignal | undefined,
): Promise<NotServed | undefined> {
  const { master, socket, oldWorkers } = parts;
  const pid = await master.pid();
  if (pid === undefined) return failure(parts, "NotRunning", "nginx is not running");
  const served = await stableResponse(socket, signal);
  if (served !== generation) {
    if (served !== undefined) await parts.reloadIfStarted();
    const text =
      served !== undefined || (await socket.exists())
        ? "nginx kept the old configuration"
        : `nginx (process ${pid}) has not loaded the configuration, or its socket ${socket.path} was deleted and it has to be restarted`;
    return failure(parts, "OldConfiguration", text);
  }
  const workers = await master.workers();
  if ([...oldWorkers()].some((worker) => workers.has(worker)))
    return failure(parts, "OldConfiguration", "nginx still serves the old configuration as well");
  for (const address of parts.addresses) {
    for (const port of ports) {
      const problem = await connectProblem(loopbackOf(address), port);
      if (problem === undefined) continue;
      return failure(
        parts,
        "PortNotServed",
        `Port ${port} on ${address} accepts no connections (${problem})`,
      );
    }
  }
  return undefined;
}

/** Response that several requests got alike. */
async function stableResponse(
  socket: InternalSocket,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const first = await socket.served(signal);
  for (let count = 1; count < requiredResponses; count++)
    if ((await socket.served(signal)) !== first) return undefined;
  return first;
}

async function failure(
  { errorLog, shorten }: VerificationParts,
  reason: NotServed["reason"],
  text: string,
): Promise<NotServed> {
  const messages = summarize(await errorLog.messages());
  return new NotServed(reason, messages === "" ? text : `${text}: ${shorten(messages)}`);
}

/** True if a running nginx has given up loading the configuration: waiting for the timeout would not help. */
async function wasRefused({ master, errorLog }: VerificationParts, { reason }: NotServed): Promise<boolean> {
  if (reason !== "OldConfiguration") return false;
  const pid = await master.pid();
  return (await errorLog.messages()).some((message) => message.pid === pid && isFinal(message));
}

/** Address at which a socket that listens on an address can be reached. */
function loopbackOf(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  return isIPv6(address) && /^[0:]+$/.test(address) ? "::1" : address;
}

function connectProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectTimeout });
    const end = (problem: string | undefined): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end("no response"));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
