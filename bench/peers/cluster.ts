import { readFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";
import { builtGoProgram } from "./go-program.js";

/** kube-apiserver and its etcd, as `test/components` starts them. */
export interface Cluster extends AsyncDisposable, Startable {
  readonly url: string;
  /** Certificate authority, in PEM. */
  readonly ca: string;
  /** Token of an administrator, who is exempt from priority and fairness. */
  readonly token: string;
  /** Path of a kubeconfig for the same administrator. */
  readonly kubeconfig: string;
  readonly etcd: Startable;
}

interface Startable {
  readonly pid: number | undefined;
  halt(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a cluster with its data below `directory`, on the same disk as the servers it is compared with. */
export async function startCluster(directory: string): Promise<Cluster> {
  // Components are TypeScript sources that refer to files beside them, so they are loaded from their own folder.
  const file = fileURLToPath(new URL("../../../test/components/kubernetes.ts", import.meta.url));
  const loaded = await createJiti(import.meta.url).import<{ kubernetes: { start(): Promise<Cluster> } }>(
    file,
  );
  // Components use the first program on the PATH.
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

/** Resident memory (bytes) and processor time of all threads (microseconds) of any process, from /proc. */
export function usageOf(pid: number | undefined): { readonly rss: number; readonly processorTime: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const rss = Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1]) * 1024;
  // The second field, the name in parentheses, may contain spaces. User and system time are fields 14 and 15, in ticks of 10 ms.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { rss, processorTime: (Number(fields[11]) + Number(fields[12])) * 10_000 };
}
