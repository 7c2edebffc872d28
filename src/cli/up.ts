import { mkdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

export const upUsage = `fettle up: starts the API server on a durable store, and runs until Ctrl-C

  --data FOLDER         where everything is kept (default .fettle)
  --port PORT           default 7700
  --host HOST           default 127.0.0.1
  --kubeconfig FILE     where to write the kubeconfig (default FOLDER/kubeconfig)
  --token-file FILE     more users, a line each: token,user,uid,"group1,group2"
  --no-tls              plain HTTP; kubectl sends no token over it, curl does

  fettle up --port 8800 &
  KUBECONFIG=.fettle/kubeconfig kubectl get namespaces
`;

const options = {
  data: { type: "string", default: ".fettle" },
  port: { type: "string", default: "7700" },
  host: { type: "string" },
  kubeconfig: { type: "string" },
  "token-file": { type: "string" },
  "no-tls": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Starts the server and stays until it is told to stop; throws an error that people can read. */
export async function up(words: readonly string[], version: string): Promise<void> {
  const { values } = parseArgs({ args: [...words], options });
  if (values.help) {
    process.stdout.write(upUsage);
    return;
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port ${values.port} is not a port: use a number from 0 (any free one) to 65535`);
  }
  const { openSqliteStore } = await import("../store/sqlite/sqlite-store.js");
  const { startServer } = await import("../server/server.js");
  const data = resolve(values.data);
  await mkdir(data, { recursive: true });
  await using store = await openSqliteStore(join(data, "store"));
  await using server = await startServer({
    store,
    data,
    port,
    version,
    host: values.host,
    kubeconfig: values.kubeconfig,
    tokenFile: values["token-file"],
    tls: !values["no-tls"],
    onError: (error, doing) => console.error(`fettle: ${doing}:`, error),
  });
  console.log(`Fettle ${version} serves ${server.url}, data in ${data}`);
  console.log(`  KUBECONFIG=${relative(process.cwd(), server.kubeconfig)} kubectl get namespaces`);
  await stopped();
  console.log("stopping");
}

/** Resolves when somebody wants the process to end. */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}
