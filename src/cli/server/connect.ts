import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Client } from "../../client/client.js";
import type { Connection } from "../../client/transport/connection.js";
import type { HttpTransport } from "../../client/transport/http/http-transport.js";
import type { OptionValues, Terminal } from "../command/command.js";
import { textOption } from "../command/options.js";
import { startProgress } from "../terminal/progress.js";
import { managementClient, type ManagementClient } from "./management-client.js";
import { discoverKinds, type ServedKind } from "./served-kinds.js";

/** Connection of a command to a server. */
export interface ServerConnection extends AsyncDisposable {
  readonly client: Client;
  /** Transport of the client; also reads documents that are not objects: discovery, tables, OpenAPI. */
  readonly transport: HttpTransport;
  readonly connection: Connection;
  /** Namespace of the options, or of the context. */
  readonly namespace: string;
  /** Management API of a Fettle control plane. Its calls fail on other Kubernetes servers. */
  readonly plane: ManagementClient;
  /** Kinds that the server serves; requested once. */
  readonly kinds: () => Promise<readonly ServedKind[]>;
}

/**
 * Connects to the server that the options, the current folder or the environment name. Requests end when the terminal's
 * signal aborts.
 */
export async function connect(options: OptionValues, terminal: Terminal): Promise<ServerConnection> {
  const { loadConnection } = await import("../../client/kubeconfig/load-connection.js");
  const { httpTransport } = await import("../../client/transport/http/http-transport.js");
  const { createClient } = await import("../../client/create-client.js");
  const onWarning = (text: string): void => void terminal.stderr.write(`Warning: ${text}\n`);
  const kubeconfig = kubeconfigOf(options, terminal);
  const connection = await loadConnection({
    kubeconfig,
    trusted: kubeconfig === undefined || options["kubeconfig"] !== undefined,
    context: textOption(options, "context"),
    namespace: textOption(options, "namespace"),
    env: terminal.env,
    onWarning,
  }).catch((error: unknown) => {
    throw kubeconfig === undefined ? withHint(error) : error;
  });
  const { namespace, server } = connection;
  const transport = httpTransport({ connection, userAgent: `fettle/${terminal.version}` });
  const client = createClient({ transport, namespace, fieldManager: "fettle", onWarning });
  const withProgress = async <T>(response: Promise<T>): Promise<T> => {
    using progress = startProgress(terminal);
    progress.show(`waiting for a response from ${server}`);
    return await response;
  };
  let kinds: Promise<readonly ServedKind[]> | undefined;
  return {
    client,
    transport,
    connection,
    namespace,
    plane: managementClient({ transport, server, withProgress, signal: terminal.signal }),
    kinds: () => (kinds ??= withProgress(discoverKinds(transport, terminal.signal))),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Adds how a command can be given a server. */
function withHint(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith("There is no cluster to talk to")) return error;
  const message = error.message.replace("pass kubeconfig,", "pass --kubeconfig FILE,");
  return new Error(`${message}, or start a control plane in this folder: fettle up`);
}

/**
 * Path of the kubeconfig: `--kubeconfig`, or that of the control plane in the current folder, unless KUBECONFIG is set.
 * Undefined when there is neither.
 */
export function kubeconfigOf(options: OptionValues, { cwd, env }: Terminal): string | undefined {
  const file = textOption(options, "kubeconfig");
  if (file !== undefined) return resolve(cwd, file);
  if (env["KUBECONFIG"]) return undefined;
  const path = join(cwd, ".fettle", "kubeconfig");
  return existsSync(path) ? path : undefined;
}
