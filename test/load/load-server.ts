import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseMetrics, type Metrics } from "../server/http/metrics-text.js";
import {
  ServerProcess,
  type Exit,
  type ProcessOptions,
  type ProcessPlace,
} from "../server/server-process.js";
import { Connection } from "./connection.js";

/** Two users with the same permissions. */
export const alice = "token-of-alice-for-load";
export const bob = "token-of-bob-for-load";

/** A server without TLS in a process of its own. */
export interface LoadServer extends AsyncDisposable {
  readonly url: string;
  metrics(): Promise<Metrics>;
  /** Current memory and processor time. */
  usage(): Promise<Usage>;
  stop(signal: NodeJS.Signals): Promise<Exit>;
}

interface Usage {
  /** Resident memory in MiB. */
  readonly memory: number;
  /** Processor time of all threads in seconds. */
  readonly processor: number;
}

export async function startLoadServer(
  options: Pick<ProcessOptions, "limits"> = {},
  place: ProcessPlace = {},
): Promise<LoadServer> {
  const folder = mkdtempSync(join(tmpdir(), "fettle-load-"));
  const tokenFile = join(folder, "tokens");
  const users = [`${alice},alice,1,"system:masters"`, `${bob},bob,2,"system:masters"`];
  writeFileSync(tokenFile, `${users.join("\n")}\n`, { mode: 0o600 });
  const server = new ServerProcess({ ...options, tokenFile, tls: false }, place);
  await server.up;
  const own = await Connection.open(server.url, bob);
  // Callers take turns.
  let last: Promise<unknown> = Promise.resolve();
  const metrics = (): Promise<Metrics> => {
    const next = last.then(async () => parseMetrics((await own.ask("GET", "/metrics")).bytes.toString()));
    last = next.catch(() => {});
    return next;
  };
  return {
    url: server.url,
    metrics,
    async usage() {
      const all = await metrics();
      return {
        memory: (all.value("process_resident_memory_bytes", {}) ?? NaN) / 2 ** 20,
        processor: all.value("process_cpu_seconds_total", {}) ?? NaN,
      };
    },
    stop: (signal) => server.stop(signal),
    async [Symbol.asyncDispose]() {
      own.close();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Peak memory of a server during some work, by sampling; MiB. */
export async function peakMemory<Result>(
  server: LoadServer,
  during: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly peak: number }> {
  let over = false;
  const work = during().finally(() => (over = true));
  // Awaited below, also when it fails.
  work.catch(() => {});
  let peak = 0;
  do {
    peak = Math.max(peak, (await server.usage()).memory);
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (!over);
  return { result: await work, peak };
}
