import { UsageError, type Command, type OptionValues, type Terminal } from "../command.js";

export const command: Command = {
  arguments: "[file...]",
  description:
    "Starts a control plane: the API, a durable store, and the controllers of the modules you name.\n\n" +
    "A file is a TypeScript or JavaScript module that exports controllers, schedules or kinds, or a YAML or JSON manifest to " +
    "apply. A folder stands for the manifests in it and its index module. Where no modules or no manifests " +
    "are named, those of fettle.yaml are taken. It runs " +
    "until Ctrl-C, and tells what happens.",
  options: [
    { flags: "-p, --port <port>", summary: "the port to listen on, 0 for any that is free (default: 7700)" },
    { flags: "--host <address>", summary: "the address to listen on (default: 127.0.0.1)" },
    { flags: "--data <folder>", summary: "where everything is kept (default: .fettle)" },
    { flags: "--store <store>", summary: "sqlite, or memory to forget everything (default: sqlite)" },
    {
      flags: "--runs <folder>",
      summary: "folder for the record of runs (default: runs in the data folder)",
    },
    {
      flags: "--kubeconfig <file>",
      summary: "where to write the kubeconfig (default: kubeconfig in the data folder)",
    },
    {
      flags: "--token-file <file>",
      summary:
        'more users, a line each: token,user,uid,"group1,group2"; those in system:masters may do everything, others nothing',
    },
    { flags: "--tls", summary: "encrypt (default)" },
    { flags: "--no-tls", summary: "plain HTTP; kubectl sends no token over it, curl does" },
    {
      flags: "--log <format>",
      summary: "how to tell what happens (default: pretty)",
      choices: ["pretty", "json", "none"],
    },
    { flags: "-w, --watch", summary: "start anew when a file changes; objects stay" },
    { flags: "-c, --config <file>", summary: "the configuration (default: fettle.yaml, if there is one)" },
  ],
  examples: [
    ["fettle up", "what fettle.yaml says, or the API alone"],
    ["fettle up sites.ts site.yaml", "a controller, and an object for it"],
    ["fettle up --watch src/controllers.ts manifests/", "start anew on every change"],
    ["fettle up --port 0 --store memory", "any port, nothing kept"],
    ["fettle up --log json | jq .object", "for programs"],
  ],
  run: (words, options, terminal) => up(words, options, terminal),
};

async function up(words: readonly string[], options: OptionValues, terminal: Terminal): Promise<number> {
  const { loadConfig } = await import("../../plane/config/load-config.js");
  const { env, cwd, signal, stdout } = terminal;
  const loaded = await loadConfig({ file: text(options["config"]), flags: options, env, cwd });
  const { config, file } = loaded;
  const { start, sourcesOf } = await import("../up/start.js");
  if (options["watch"] === true) {
    if (config.store === "memory") {
      throw new UsageError("--watch starts anew, and memory would be forgotten: leave out --store memory");
    }
    const { modules, manifests } = sourcesOf(config, words, cwd);
    const sources = [...modules, ...manifests, ...(file === undefined ? [] : [file])];
    if (sources.length === 0) throw new UsageError("there is nothing to watch: name modules or manifests");
    const { supervise } = await import("../up/supervise.js");
    return supervise({ words, options, sources, terminal });
  }
  const { stopped, stopping, supervisor } = await import("../up/supervise.js");
  const above = supervisor(terminal);
  const ending = above === undefined ? signal : AbortSignal.any([signal, above.hungUp]);
  const { plane, sources } = await start(loaded, words, terminal, {
    signal: ending,
    isAgain: above?.isAgain ?? false,
  });
  above?.tell({ port: Number(new URL(plane.url ?? "").port), sources });
  if (!ending.aborted) {
    await new Promise<void>((resolve) => ending.addEventListener("abort", () => resolve(), { once: true }));
  }
  const talks = config.log.format !== "json" && above === undefined;
  if (talks) stdout.write(stopping);
  await plane.stop();
  if (talks) stdout.write(config.store === "memory" ? "Stopped.\n" : stopped);
  return 0;
}

function text(value: OptionValues[string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}
