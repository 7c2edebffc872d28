import type { Controller } from "../../runtime/controller/controller.js";
import type { Log } from "../../runtime/log/log.js";
import { loadConfig } from "../../plane/config/load-config.js";
import type { Config } from "../../plane/config/config.js";
import { eventOptions, eventParts, logSettings } from "../../plane/config/control-loop.js";
import { configureControllers } from "../../plane/config/configure-controllers.js";
import { operator, type Operator, type OperatorOptions } from "../../plane/operator.js";
import {
  UsageError,
  type CommandGroup,
  type OptionValues,
  type Terminal,
  StartError,
} from "../command/command.js";
import { connect } from "../server/connect.js";
import { loadModules, type Loaded } from "../modules/load-modules.js";
import { sortWords } from "../modules/sort-words.js";
import { commandsOf, recordCommands } from "../operators/operator-commands.js";
import { followForPeople, followForPrograms } from "../up/follow-work.js";
import { logOf } from "../up/log-of.js";
import { textOption } from "../command/options.js";

/** Runs the controllers of modules against another server until the terminal's signal aborts. */
export async function run(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
  groups: readonly CommandGroup[],
): Promise<number> {
  const { env, cwd, stdout } = terminal;
  // --kubeconfig is read here, while the configuration names the one that `fettle up` writes. Leader election is on by default.
  const { kubeconfig: _, leaderElection, ...rest } = options;
  const flags = { ...rest, ...(leaderElection === false && { leaderElection }) };
  const loaded = await loadConfig({ file: textOption(options, "config"), flags, env, cwd });
  const { config, origins } = loaded;
  const found = await modulesOf(words.length > 0 ? words : config.modules, terminal);
  const configure = (all: readonly Controller[]): readonly Controller[] =>
    configureControllers(all, config, origins);
  if (found.operators.size === 0) configure(found.controllers);
  const commands = commandsOf(found.operators, groups);
  const isConfigured = origins.get("log.format")?.type !== "default";
  const format = isConfigured || stdout.isTTY === true ? config.log.format : "json";
  const log = logOf({ ...logSettings(loaded), format }, terminal);
  const since = Date.now();
  const running = await begin({ ...found, configure }, config, options, log, terminal);
  try {
    await recordCommands(config.data, commands, log, terminal);
    printStart(running, format, textOption(options, "namespace"), log, terminal, since);
    await untilEnd(
      running,
      () => {
        if (format === "pretty") stdout.write("Controllers are running. Stop with Ctrl-C.\n");
      },
      terminal.signal,
    );
  } finally {
    await running.stop();
  }
  if (format === "pretty") stdout.write("Stopped.\n");
  return 0;
}

/** @throws {UsageError} without controllers or schedules. */
async function modulesOf(words: readonly string[], terminal: Terminal): Promise<Loaded> {
  const { modules, manifests } = sortWords(words, terminal.cwd);
  if (modules.length === 0) {
    throw new UsageError(
      manifests.length > 0
        ? "fettle run takes modules, not manifests; apply manifests with: fettle apply -f FILE"
        : "missing module that exports controllers, such as: fettle run src/index.ts",
    );
  }
  const found = await loadModules(modules, terminal);
  const { controllers, schedules, operators, subscriptions, plugins } = found;
  if (controllers.length + schedules.length + operators.size + subscriptions.length + plugins.length === 0) {
    throw new UsageError("these modules export kinds, but no controllers");
  }
  return found;
}

async function begin(
  {
    controllers,
    schedules,
    kinds,
    operators,
    subscriptions,
    events,
    handlers,
    plugins,
    eventTypes,
    configure,
  }: Loaded & Pick<OperatorOptions, "configure">,
  config: Config,
  options: OptionValues,
  log: Log,
  terminal: Terminal,
): Promise<Operator> {
  const { leaderElection, sharding, health, runs, state, data } = config;
  const { enabled, ...election } = leaderElection;
  const { port } = health;
  // In a pod, probes come from outside.
  const host = health.host ?? (terminal.env["KUBERNETES_SERVICE_HOST"] ? "0.0.0.0" : "127.0.0.1");
  if ((config.peers ?? []).length > 0) {
    log.warn({}, "peers are ignored: fettle run has no objects of its own to keep in sync; use fettle up");
  }
  await using connected = await connect(options, terminal);
  const forceDefinitions = options["forceDefinitions"] === true;
  if (forceDefinitions && options["definitions"] === "skip") {
    throw new UsageError(
      "--force-definitions and --definitions skip contradict each other; remove one of them",
    );
  }
  try {
    return await operator({
      controllers,
      schedules,
      kinds,
      operators: [...operators.keys()],
      subscriptions,
      events: eventOptions(config, events),
      handlers,
      ...(await eventParts(config, plugins, terminal.cwd)),
      eventTypes,
      configure,
      data,
      connection: connected.connection,
      namespace: textOption(options, "namespace"),
      ...(sharding?.shards === undefined
        ? { leaderElection: enabled && election }
        : { sharding: { ...election, shards: sharding.shards } }),
      health: { host, port },
      runs,
      state,
      performance: config.performance,
      definitions: options["definitions"] === "skip" ? "skip" : "apply",
      forceDefinitions,
      userAgent: `fettle/${terminal.version}`,
      log,
      onWarning: (text) => log.warn({}, text),
      signal: terminal.signal,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new StartError(
      `port ${port} on ${host} is in use; choose another for health and metrics with --health-port (0 for any free port)`,
      { cause: error },
    );
  }
}

function printStart(
  { server, health, lease, controllers, client }: Operator,
  format: Config["log"]["format"],
  namespace: string | undefined,
  log: Log,
  { stdout, colors, signal, version }: Terminal,
  since: number,
): void {
  const names = controllers.all.map(({ controller }) => controller.name);
  const watched = { runs: controllers.runs, since, client, signal };
  if (format === "json") {
    log.info({ server, health, lease, controllers: names }, "fettle runs");
    followForPrograms(watched, log);
  } else if (format === "pretty") {
    stdout.write(`Fettle ${version} runs ${names.join(", ")} against ${server}\n`);
    stdout.write(`  health  ${health}/readyz, ${health}/metrics\n`);
    const says =
      controllers.sharding === undefined ? "its holder runs the controllers" : "assigns shards to processes";
    if (lease !== undefined) stdout.write(`  lease   ${lease}: ${says}\n`);
    const where = namespace === undefined ? {} : { namespace };
    followForPeople(watched, { colors, write: (text) => stdout.write(text), where });
  }
}

/** Waits until the controllers run, then for the signal. A standby waits; a failed start throws. */
async function untilEnd({ controllers }: Operator, began: () => void, signal: AbortSignal): Promise<void> {
  try {
    await controllers.ready(signal);
    began();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
