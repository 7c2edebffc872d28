import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "./raw-http.js";
import { median } from "./report.js";

/** A server to measure, in processes of its own. */
export interface Target extends AsyncDisposable {
  readonly name: string;
  /** Current endpoint; a restart may change it. */
  readonly endpoint: Endpoint;
  readonly token: string;
  /** Usage of all its processes together. */
  usage(): Promise<Usage>;
  /** Stops it and starts it again on its data, several times. */
  restart(): Promise<Starts>;
}

export interface Usage {
  readonly rss: number;
  /** Bytes of `rss` that belong to the main process, if there are several. */
  readonly part?: number;
  /** Processor time of all threads; microseconds. */
  readonly processorTime: number;
}

/** Milliseconds from the start of the process until it serves requests. */
export interface Starts {
  readonly all: number;
  /** Parts of that time, by name. */
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

/** Starts our server, with or without TLS, or a bare `node:http` server. */
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
  // Node reads these certificates at every start, which takes 60 ms.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = fork(new URL("server-process.js", import.meta.url), [kind, data], {
    env: { ...env, SPAWNED: String(Date.now()) },
  });
  children.add(child);
  const [ready] = (await once(child, "message")) as [Ready];
  return { child, ready };
}
