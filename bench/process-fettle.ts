import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, httpTransport, kind, loadConnection, type Client } from "fettle";
import { until, type Supervisor, type SupervisorFolder } from "./process-supervisor.js";

const root = dirname(fileURLToPath(import.meta.resolve("fettle/package.json")));
const Process = kind<{ spec: { command: readonly string[] } }>("process.fettle.dev/v1", "Process", {
  plural: "processes",
});
/** Requests at once when objects are created. */
const concurrency = 16;

/** Starts `fettle up operators/process` with its data in a folder. */
export async function startFettle(folder: string): Promise<Supervisor & SupervisorFolder> {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  const output = openSync(join(folder, "output"), "w");
  const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { bin: { fettle: string } };
  const data = join(folder, "data");
  const child = spawn(
    process.execPath,
    [join(root, bin.fettle), "up", "operators/process", "--data", data, "--port", "0", "--log", "none"],
    { cwd: root, env, stdio: ["ignore", output, output] },
  );
  closeSync(output);
  const exited = once(child, "exit");
  let isUp = false;
  let client: Client | undefined;
  const connect = async (): Promise<Client> => {
    const connection = await loadConnection({ kubeconfig: join(data, "kubeconfig") });
    return createClient({ transport: httpTransport({ connection, rate: false }), namespace: "default" });
  };
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
  };
  try {
    await until(
      "fettle up serves processes",
      async () => {
        if (child.exitCode !== null)
          throw new Error(`fettle up ended: ${readFileSync(join(folder, "output"), "utf8")}`);
        client = await connect().catch(() => undefined);
        isUp =
          client !== undefined &&
          (await client.list(Process).then(
            () => true,
            () => false,
          ));
        return isUp;
      },
      { seconds: 60, pause: 100 },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  const connected = client as unknown as Client;
  return {
    name: "fettle",
    folder,
    pids: [child.pid ?? 0],
    async add(commands) {
      const entries = [...commands.entries()];
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
          for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
            const [index, command] = entry;
            await connected.create(Process, {
              metadata: { name: `w${index}` },
              spec: { command: [...command] },
            });
          }
        }),
      );
    },
    async [Symbol.asyncDispose]() {
      // Processes outlive Fettle, so they are deleted first.
      await connected.deleteAll(Process, {});
      await until("processes are deleted", async () => (await connected.list(Process)).items.length === 0);
      await connected[Symbol.asyncDispose]();
      await stop();
    },
  };
}
