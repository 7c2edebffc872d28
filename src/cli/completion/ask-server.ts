import { resolve } from "node:path";
import type { Terminal } from "../command.js";
import type { Known } from "./candidates.js";

/** How long a shell waits for a server, in milliseconds: who presses Tab waits too. */
const patience = 2000;

/** Asks the server that the options name. */
export function askServer(options: Readonly<Record<string, string>>, terminal: Terminal): Known {
  const quietly: Terminal = {
    stdout: terminal.stdout,
    stderr: { write: () => true },
    stdin: { async *[Symbol.asyncIterator]() {} },
    env: terminal.env,
    cwd: terminal.cwd,
    signal: terminal.signal,
    colors: false,
    version: terminal.version,
  };
  const asking = async <T>(
    ask: (server: Awaited<ReturnType<typeof reach>>, signal: AbortSignal) => Promise<readonly T[]>,
  ): Promise<readonly T[]> => {
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(patience)]);
    try {
      await using server = await reach(options, quietly, signal);
      return await ask(server, signal);
    } catch {
      return [];
    }
  };
  return {
    async contexts() {
      try {
        const { ownKubeconfig } = await import("../connect.js");
        const { loadKubeconfig } = await import("../../client/kubeconfig/load-kubeconfig.js");
        const file = options["kubeconfig"];
        const kubeconfig = file === undefined ? ownKubeconfig(terminal) : resolve(terminal.cwd, file);
        const { contexts } = await loadKubeconfig({ kubeconfig, env: terminal.env });
        return [...contexts.keys()];
      } catch {
        return [];
      }
    },
    kinds: () =>
      asking(async ({ served }) => {
        const listed = served.filter(({ verbs }) => verbs.includes("list"));
        return [
          ...new Map(listed.map(({ plural, kind }) => [plural, { word: plural, summary: kind }])).values(),
        ];
      }),
    names: (word) =>
      asking(async ({ client, namespace, served }, signal) => {
        const { findKind } = await import("../kinds/find-kind.js");
        const kind = findKind(served, word);
        const where = kind.scope === "Cluster" ? {} : { namespace };
        const { items } = await client.list(kind, { ...where, limit: 500, metadataOnly: true, signal });
        return items.map(({ metadata }) => metadata.name ?? "");
      }),
  };
}

async function reach(options: Readonly<Record<string, string>>, terminal: Terminal, signal: AbortSignal) {
  const { connect } = await import("../connect.js");
  const { servedKinds } = await import("../kinds/served-kinds.js");
  const connected = await connect(options, terminal);
  try {
    const served = await servedKinds(connected.transport, signal);
    return { ...connected, served };
  } catch (error) {
    await connected[Symbol.asyncDispose]();
    throw error;
  }
}
