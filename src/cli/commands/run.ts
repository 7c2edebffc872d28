import { setFlagsFromString } from "node:v8";
import { type Command } from "../command/command.js";
import { kubeconfigOptions, configOption, forceDefinitionsOption } from "../command/options.js";

export const command: Command = {
  arguments: "[module...]",
  description:
    "Run the controllers of modules against Kubernetes or another Fettle control plane, without an API server and store of its own.\n\n" +
    "The CustomResourceDefinitions of their kinds are applied first. If several processes run the same controllers, one is the " +
    "leader and the others stand by; with --shards all of them work, each on a share of the objects. Health (/healthz, /livez, " +
    "/readyz) and metrics (/metrics) are served on a separate port.",
  options: [
    ...kubeconfigOptions,
    { flags: "-n, --namespace <name>", summary: "reconcile only this namespace (default: all)" },
    { flags: "--no-leader-election", summary: "run even if another process is the leader" },
    {
      flags: "--shards <number>",
      summary: "divide the objects into this many shards, shared by all processes, such as 64",
    },
    { flags: "--lease <name>", summary: "name of the Lease (default: derived from the controllers)" },
    {
      flags: "--health-port <port>",
      summary: "port for health and metrics, 0 for any free port (default: 8081)",
    },
    { flags: "--data <folder>", summary: "folder for files of operators (default: .fettle)" },
    { flags: "--runs <folder>", summary: "folder for the record of runs (default: none, in memory)" },
    {
      flags: "--definitions <how>",
      summary: "apply or skip the CustomResourceDefinitions of the kinds (default: apply)",
      choices: ["apply", "skip"],
    },
    forceDefinitionsOption,
    {
      flags: "--log <format>",
      summary: "log format (default: pretty on a terminal, json elsewhere)",
      choices: ["pretty", "json", "none"],
    },
    configOption,
  ],
  examples: [
    ["fettle run sites.ts", "against the cluster that kubectl uses"],
    ["fettle run sites.ts --context staging -n demo", "one namespace of another cluster"],
    ["fettle run sites.js --definitions skip --log json", "in a pod without permission to apply definitions"],
    ["fettle run sites.js --shards 64", "one of several processes that share the objects"],
  ],
  async run(words, options, terminal) {
    // Set before any large module is loaded.
    limitSemiSpace(terminal.env);
    const { run } = await import("../run/run.js");
    const { commandGroups } = await import("./index.js");
    return run(words, options, terminal, commandGroups);
  },
};

/**
 * Keeps V8's semi-space (where new objects are) at its initial size: a process that only runs controllers then needs a third
 * less memory, and it waits for its server far longer than for the garbage collector. Does nothing if Node was started with
 * a semi-space size.
 */
function limitSemiSpace(env: Readonly<Record<string, string | undefined>>): void {
  const isConfigured = [...process.execArgv, env["NODE_OPTIONS"] ?? ""].some((flags) =>
    /semi[-_]space/.test(flags),
  );
  if (!isConfigured) setFlagsFromString("--semi-space-growth-factor=1");
}
