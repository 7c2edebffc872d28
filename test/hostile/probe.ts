import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./probe-process.mjs", import.meta.url));

/** Responses that a well-behaved user received. */
interface Probe {
  /** Milliseconds until each 200. */
  readonly latencies: readonly number[];
  /** Number of other outcomes, by status or error code. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Requests of another user during an attack. */
export interface Probes {
  /** Small requests on one connection. */
  readonly get: Probe;
  /** Health checks, each on a new connection. */
  readonly livez: Probe;
}

/** Starts to send small requests from another process; the returned function ends it. */
export async function startProbes(url: string, token: string): Promise<() => Promise<Probes>> {
  const child = spawn(process.execPath, [program, url, token], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  return async () => {
    const line = once(lines, "line") as Promise<[string]>;
    child.stdin.end("enough\n");
    const [text] = await line;
    return JSON.parse(text) as Probes;
  };
}
