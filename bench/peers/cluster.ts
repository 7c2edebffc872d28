import { readFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";
import { builtGoProgram } from "./go-program.js";

/** kube-apiserver and its etcd, as `test/components` starts them; what benchmarks ask of it. */
export interface Cluster extends AsyncDisposable, Startable {
  readonly url: string;
  /** The authority that signed its certificate, in PEM. */
  readonly ca: string;
  /** The administrator's, whom priority and fairness do not slow down. */
  readonly token: string;
  /** The path of a kubeconfig of the same administrator. */
  readonly kubeconfig: string;
  readonly etcd: Startable;
}

interface Startable {
  readonly pid: number | undefined;
  halt(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a cluster that keeps its data in a folder below `directory`, on the same disk as what it is compared with. */
export async function startCluster(directory: string): Promise<Cluster> {
  // Components are sources that tests compile; they find what lies beside them, so they are loaded where they are.
  const file = fileURLToPath(new URL("../../../test/components/kubernetes.ts", import.meta.url));
  const loaded = await createJiti(import.meta.url).import<{ kubernetes: { start(): Promise<Cluster> } }>(
    file,
  );
  // A component takes the program that comes first on the PATH.
  const path = [dirname(builtGoProgram("etcd")), process.env["PATH"]].join(delimiter);
  return withEnvironment({ TMPDIR: directory, PATH: path }, () => loaded.kubernetes.start());
}

async function withEnvironment<Result>(
  changes: Readonly<Record<string, string>>,
  run: () => Promise<Result>,
): Promise<Result> {
  const before = { ...process.env };
  Object.assign(process.env, changes);
  try {
    return await run();
  } finally {
    for (const name of Object.keys(changes)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/** Bytes of memory, and microseconds of processor time of all threads, of a process that is no child of ours. */
export function usageOf(pid: number | undefined): { readonly rss: number; readonly processorTime: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const rss = Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1]) * 1024;
  // The name, which comes second, may have spaces in it; 12 fields after it come user and system time, in hundredths.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { rss, processorTime: (Number(fields[11]) + Number(fields[12])) * 10_000 };
}
