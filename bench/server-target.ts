import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "./raw-http.js";
import { median } from "./report.js";

/** A server that is measured, in processes of its own. */
export interface Target extends AsyncDisposable {
  readonly name: string;
  /** Where it listens now; a restart may change that. */
  readonly endpoint: Endpoint;
  readonly token: string;
  /** What all its processes together have. */
  usage(): Promise<Usage>;
  /** Stops it and starts it on what it has stored, several times. */
  restart(): Promise<Starts>;
}

export interface Usage {
  readonly rss: number;
  /** Bytes of that which belong to one of several processes that is looked at alone. */
  readonly part?: number;
  /** Microseconds, of all threads. */
  readonly processorTime: number;
}

/** Milliseconds until it answers, from the start of its process. */
export interface Starts {
  readonly all: number;
  /** Parts of it, by what they are. */
  readonly parts: Readonly<Record<string, number>>;
}

interface Ready extends Endpoint {
  readonly token: string;
  readonly ready: number;
  readonly before: number;
}

const restarts = 5;
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** Our server, plain or over TLS, or a bare server of Node's. */
export async function startTarget(
  name: string,
  kind: "fettle" | "secure" | "bare",
  folder: string,
): Promise<Target> {
  const data = join(folder, kind);
  mkdirSync(data, { recursive: true });
  let { child, ready } = await start(kind, data);
  const stop = async (): Promise<void> => {
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
    children.delete(child);
  };
  return {
    name,
    get endpoint() {
      return ready;
    },
    get token() {
      return ready.token;
    },
    async usage() {
      child.send("usage");
      const [answer] = (await once(child, "message")) as [Usage];
      return answer;
    },
    async restart() {
      const times: Ready[] = [];
      for (let time = 0; time < restarts; time++) {
        await stop();
        ({ child, ready } = await start(kind, data));
        times.push(ready);
      }
      return {
        all: median(times.map((each) => each.ready + each.before)),
        parts: { "without Node's own start": median(times.map((each) => each.ready)) },
      };
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function start(kind: string, data: string): Promise<{ child: ChildProcess; ready: Ready }> {
  // Certificates that somebody wants trusted besides Node's own are read before anything of the server is: 60 ms here.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = fork(new URL("server-process.js", import.meta.url), [kind, data], {
    env: { ...env, SPAWNED: String(Date.now()) },
  });
  children.add(child);
  const [ready] = (await once(child, "message")) as [Ready];
  return { child, ready };
}
