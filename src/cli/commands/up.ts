import { UsageError, type Command } from "../command/command.js";
import { configOption, forceDefinitionsOption, textOption } from "../command/options.js";

export const command: Command = {
  arguments: "[file...]",
  description:
    "Start a control plane: the API server, a durable store, and the controllers of the given modules.\n\n" +
    "A file is a TypeScript or JavaScript module that exports controllers, schedules, kinds, operators, subscriptions, plugins or handlers of events, or a YAML or JSON manifest to " +
    "apply. A folder stands for its manifests and its index module. Modules and manifests default to those of fettle.yaml. " +
    "Runs until Ctrl-C, and prints what the controllers do.",
  options: [
    { flags: "-p, --port <port>", summary: "port to listen on, 0 for any free port (default: 7700)" },
    { flags: "--host <address>", summary: "address to listen on (default: 127.0.0.1)" },
    { flags: "--data <folder>", summary: "data folder (default: .fettle)" },
    { flags: "--store <store>", summary: "sqlite, or memory for no persistence (default: sqlite)" },
    {
      flags: "--runs <folder>",
      summary: "folder for the record of runs (default: runs in the data folder)",
    },
    {
      flags: "--kubeconfig <file>",
      summary: "path of the kubeconfig to write (default: kubeconfig in the data folder)",
    },
    {
      flags: "--token-file <file>",
      summary:
        'file with more users, one per line: token,user,uid,"group1,group2"; members of system:masters may do everything, others nothing',
    },
    {
      flags: "--hosts <names>",
      summary: "further host names of the server, separated by commas: fettle.example.com,10.0.0.5",
    },
    {
      flags: "--cert-file <file>",
      summary: "own certificate, with --key-file (default: one signed by a CA in the data folder)",
    },
    { flags: "--key-file <file>", summary: "private key of the certificate" },
    {
      flags: "--service-cluster-ip-range <range>",
      summary: "range of the addresses of services (default: 10.96.0.0/16)",
    },
    {
      flags: "--service-node-port-range <range>",
      summary: "range of the node ports of services (default: 30000-32767)",
    },
    { flags: "--tls", summary: "serve HTTPS (default)" },
    { flags: "--no-tls", summary: "serve plain HTTP; kubectl sends no token over it, curl does" },
    {
      flags: "--log <format>",
      summary: "log format (default: pretty)",
      choices: ["pretty", "json", "none"],
    },
    forceDefinitionsOption,
    { flags: "-w, --watch", summary: "restart when a file changes; objects are kept" },
    configOption,
  ],
  examples: [
    ["fettle up", "the modules of fettle.yaml, or the API server alone"],
    ["fettle up sites.ts site.yaml", "a controller and an object for it"],
    ["fettle up --watch src/controllers.ts manifests/", "restart on every change"],
    [
      "fettle up --host 0.0.0.0 --cert-file tls.crt --key-file tls.key",
      "for other machines, with your own certificate",
    ],
    ["fettle up --port 0 --store memory", "any free port, nothing persisted"],
    ["fettle up --log json | jq .object", "logs for other programs"],
  ],
  async run(words, options, terminal) {
    const { loadConfig } = await import("../../plane/config/load-config.js");
    const { env, cwd, signal, stdout } = terminal;
    const loaded = await loadConfig({ file: textOption(options, "config"), flags: options, env, cwd });
    const { config, file } = loaded;
    const { start, sourcesOf } = await import("../up/start.js");
    if (options["watch"] === true) {
      if (config.store === "memory") {
        throw new UsageError(
          "--watch restarts the control plane, which loses an in-memory store; remove --store memory",
        );
      }
      const { modules, manifests } = sourcesOf(config, words, cwd);
      const sources = [...modules, ...manifests, ...(file === undefined ? [] : [file])];
      if (sources.length === 0) throw new UsageError("no files to watch; name modules or manifests");
      const { supervise } = await import("../up/supervise.js");
      return supervise({ words, options, sources, terminal });
    }
    const { stopped, stopping, supervisor } = await import("../up/supervise.js");
    const parent = supervisor(terminal);
    const ending = parent === undefined ? signal : AbortSignal.any([signal, parent.disconnected]);
    const { plane, sources } = await start(loaded, words, terminal, {
      signal: ending,
      isRestart: parent?.isRestart ?? false,
      forceDefinitions: options["forceDefinitions"] === true,
      groups: (await import("./index.js")).commandGroups,
    });
    parent?.report({ port: Number(new URL(plane.url ?? "").port), sources });
    if (!ending.aborted) {
      await new Promise<void>((resolve) => ending.addEventListener("abort", () => resolve(), { once: true }));
    }
    const printsStop = config.log.format !== "json" && parent === undefined;
    if (printsStop) stdout.write(stopping);
    await plane.stop();
    if (printsStop) stdout.write(config.store === "memory" ? "Stopped.\n" : stopped);
    return 0;
  },
};
