import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Address } from "./runtime-client.js";

/** Resident memory in bytes. */
export interface ControllersMemory {
  readonly rss: number;
  /** Highest value since the start of the process. */
  readonly peak: number;
}

export interface ControllersProcess {
  memory(): Promise<ControllersMemory>;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** Starts `fettle run` with the controllers of runtime-controllers-module.ts. */
export async function runControllers(
  address: Address,
  namespace: string,
  nodeOptions: string,
): Promise<ControllersProcess> {
  const command = fileURLToPath(new URL("cli/main.js", import.meta.resolve("fettle")));
  const module = fileURLToPath(new URL("runtime-controllers-module.js", import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), "fettle-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(address)), { mode: 0o600 });
  const how = ["--no-leader-election", "--health-port", "0", "--definitions", "skip", "--log", "none"];
  const child = spawn(
    process.execPath,
    [command, "run", module, "-n", namespace, "--kubeconfig", kubeconfig, ...how],
    {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NODE_OPTIONS: nodeOptions },
    },
  );
  children.add(child);
  child.once("exit", (code) => {
    if (children.has(child)) throw new Error(`fettle run exited with ${code} during the measurement`);
  });
  return {
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      const of = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
      return { rss: of("VmRSS"), peak: of("VmHWM") };
    },
    async stop() {
      children.delete(child);
      child.kill("SIGTERM");
      await once(child, "exit");
      await rm(folder, { recursive: true });
    },
  };
}

function kubeconfigOf({ port, token, ca }: Address): object {
  if (ca !== undefined) throw new Error("runControllers() takes a server without TLS");
  const name = "bench";
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
}
