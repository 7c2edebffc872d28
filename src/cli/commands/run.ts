import { setFlagsFromString } from "node:v8";
import { connectionOptions, type Command, type CommandOption } from "../command.js";

const others: readonly CommandOption[] = connectionOptions.filter(
  ({ flags }) => !flags.includes("--namespace"),
);

export const command: Command = {
  arguments: "[module...]",
  description:
    "Runs the controllers of modules against Kubernetes, or another Fettle: no API and no store of its own.\n\n" +
    "Their kinds are registered first. Of several processes that run the same controllers, one works at a time and another " +
    "takes over when it goes; with --shards all of them work, and share the objects. /healthz, /livez, /readyz and /metrics are served on a port of their own.",
  options: [
    ...others,
    { flags: "-n, --namespace <name>", summary: "only objects of this namespace (default: of all)" },
    { flags: "--no-leader-election", summary: "work whatever others do" },
    {
      flags: "--shards <number>",
      summary: "let all processes work, each on some of so many shards of the objects, such as 64",
    },
    { flags: "--lease <name>", summary: "the Lease's name (default: after the controllers)" },
    { flags: "--health-port <port>", summary: "the port for health and metrics, 0 for any (default: 8081)" },
    { flags: "--runs <folder>", summary: "folder for the record of runs (default: none, in memory)" },
    {
      flags: "--definitions <how>",
      summary: "whether to register the kinds first (default: apply)",
      choices: ["apply", "skip"],
    },
    {
      flags: "--log <format>",
      summary: "how to tell what happens (default: pretty on a terminal, json elsewhere)",
      choices: ["pretty", "json", "none"],
    },
    { flags: "-c, --config <file>", summary: "the configuration (default: fettle.yaml, if there is one)" },
  ],
  examples: [
    ["fettle run sites.ts", "against the server that kubectl would use"],
    ["fettle run sites.ts --context staging -n demo", "one namespace of another cluster"],
    ["fettle run sites.js --definitions skip --log json", "in a pod that may not change definitions"],
    ["fettle run sites.js --shards 64", "one of several that share the work"],
  ],
  async run(words, options, terminal) {
    // Before anything large is loaded.
    limitSemiSpace(terminal.env);
    const { run } = await import("../run/run.js");
    return run(words, options, terminal);
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
