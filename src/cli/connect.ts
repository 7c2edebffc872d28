import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Client } from "../client/client.js";
import type { Connection } from "../client/transport/connection.js";
import type { HttpTransport } from "../client/transport/http/http-transport.js";
import type { OptionValues, Terminal } from "./command.js";
import { startProgress } from "./output/progress.js";

/** A server that a command talks to. */
export interface Connected extends AsyncDisposable {
  readonly client: Client;
  /** The client's, which also reads what is no object: discovery, tables, the server's own endpoints. */
  readonly transport: HttpTransport;
  readonly connection: Connection;
  /** The namespace that was asked for, or that of the context. */
  readonly namespace: string;
  /** Tells people who wait for an answer whom they wait for, once it takes long. */
  waitedFor<T>(answer: Promise<T>): Promise<T>;
}

/** Reaches the server that the options, the folder or the environment name. */
export async function connect(options: OptionValues, terminal: Terminal): Promise<Connected> {
  const { loadConnection } = await import("../client/kubeconfig/load-connection.js");
  const { httpTransport } = await import("../client/transport/http/http-transport.js");
  const { createClient } = await import("../client/create-client.js");
  const onWarning = (text: string): void => void terminal.stderr.write(`Warning: ${text}\n`);
  const kubeconfig = named(options["kubeconfig"], terminal) ?? ownKubeconfig(terminal);
  const connection = await loadConnection({
    kubeconfig,
    context: text(options["context"]),
    namespace: text(options["namespace"]),
    env: terminal.env,
    onWarning,
  }).catch((error: unknown) => {
    throw kubeconfig === undefined ? withWaysOut(error) : error;
  });
  const transport = httpTransport({ connection, userAgent: `fettle/${terminal.version}` });
  const client = createClient({
    transport,
    namespace: connection.namespace,
    fieldManager: "fettle",
    onWarning,
  });
  return {
    client,
    transport,
    connection,
    namespace: connection.namespace,
    async waitedFor(answer) {
      using progress = startProgress(terminal);
      progress.say(`waiting for a response from ${connection.server}`);
      return await answer;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Those that a command has. */
function withWaysOut(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith("There is no cluster to talk to")) return error;
  const message = error.message.replace("pass kubeconfig,", "pass --kubeconfig FILE,");
  return new Error(`${message}, or start a control plane in this folder: fettle up`);
}

/** The kubeconfig of the control plane that runs in this folder, if there is one and nothing else was asked for. */
export function ownKubeconfig({ cwd, env }: Terminal): string | undefined {
  if (env["KUBECONFIG"]) return undefined;
  const path = join(cwd, ".fettle", "kubeconfig");
  return existsSync(path) ? path : undefined;
}

/** A path that was given is meant from where the command was called. */
function named(value: OptionValues[string], { cwd }: Terminal): string | undefined {
  return typeof value === "string" ? resolve(cwd, value) : undefined;
}

function text(value: OptionValues[string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}
