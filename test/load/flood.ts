import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./flood-process.mjs", import.meta.url));

export type FloodKind = "get" | "list" | "create";

/** Responses that the flooding clients received. */
export interface FloodAnswers {
  readonly codes: Readonly<Record<string, number>>;
  /** Responses with 429 and without Retry-After. */
  readonly withoutRetryAfter: number;
  /** Connections that the server closed. */
  readonly broken: number;
}

/** Starts to send requests on many connections at once, from another process; the returned function stops it. */
export function startFlood(
  url: string,
  token: string,
  connections: number,
  kind: FloodKind,
): () => Promise<FloodAnswers> {
  const child = spawn(process.execPath, [program, url, token, String(connections), kind], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const closed = once(child, "close");
  return async () => {
    child.stdin.end("enough\n");
    await closed;
    return JSON.parse(output) as FloodAnswers;
  };
}
