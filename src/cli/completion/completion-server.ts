import type { Terminal } from "../command/command.js";
import type { ServerConnection } from "../server/connect.js";
import type { CompletionServer } from "./candidates.js";

/** Milliseconds to wait for the server: the user has pressed Tab and waits too. */
const timeout = 2000;

/** Completion from the server that the options name. Errors and warnings are not printed. */
export function completionServer(
  options: Readonly<Record<string, string>>,
  terminal: Terminal,
): CompletionServer {
  const { stdout, env, cwd, version } = terminal;
  const request = async <T>(
    read: (server: ServerConnection, signal: AbortSignal) => Promise<readonly T[]>,
  ) => {
    const { connect } = await import("../server/connect.js");
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(timeout)]);
    const silent: Terminal = {
      stdout,
      stderr: { write: () => true },
      stdin: { async *[Symbol.asyncIterator]() {} },
      env,
      cwd,
      signal,
      colors: false,
      version,
    };
    try {
      await using server = await connect(options, silent);
      return await read(server, signal);
    } catch {
      return [];
    }
  };
  return {
    async contexts() {
      try {
        const { kubeconfigOf } = await import("../server/connect.js");
        const { loadKubeconfig } = await import("../../client/kubeconfig/load-kubeconfig.js");
        const { contexts } = await loadKubeconfig({ kubeconfig: kubeconfigOf(options, terminal), env });
        return [...contexts.keys()];
      } catch {
        return [];
      }
    },
    kinds: () =>
      request(async (server) => {
        const listed = (await server.kinds()).filter(({ verbs }) => verbs.includes("list"));
        return [
          ...new Map(listed.map(({ plural, kind }) => [plural, { word: plural, summary: kind }])).values(),
        ];
      }),
    names: (word) =>
      request(async ({ client, namespace, kinds }, signal) => {
        const { findKind } = await import("../objects/find-kind.js");
        const kind = findKind(await kinds(), word);
        const where = kind.scope === "Cluster" ? {} : { namespace };
        const { items } = await client.list(kind, { ...where, limit: 500, metadataOnly: true, signal });
        return items.map(({ metadata }) => metadata.name ?? "");
      }),
  };
}
