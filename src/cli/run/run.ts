import type { Log } from "../../runtime/log/log.js";
import { loadConfig } from "../../plane/config/load-config.js";
import type { Config } from "../../plane/config/config.js";
import { overrideControllers } from "../../plane/config/override-controllers.js";
import { operator, type Operator } from "../../plane/operator.js";
import { UsageError, type OptionValues, type Terminal } from "../command.js";
import { connect } from "../connect.js";
import { loadModules, type Loaded } from "../modules/load-modules.js";
import { sortWords } from "../modules/sort-words.js";
import { followForPeople, followForPrograms } from "../up/follow-work.js";
import { logOf } from "../up/log-of.js";
import { StartError } from "../up/start-error.js";

/** Sets the controllers of modules to work on a server that is elsewhere, until the terminal's signal aborts. */
export async function run(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
): Promise<number> {
  const { env, cwd, stdout } = terminal;
  // The kubeconfig that is read here is not the one that `fettle up` writes, and an election is on unless it is said otherwise.
  const { kubeconfig: _, leaderElection, ...rest } = options;
  const flags = { ...rest, ...(leaderElection === false && { leaderElection }) };
  const { config, origins } = await loadConfig({ file: text(options["config"]), flags, env, cwd });
  const found = await modulesOf(words.length > 0 ? words : config.modules, cwd);
  const controllers = overrideControllers(found.controllers, config.controllers, origins);
  const isSaid = origins.get("log.format")?.type !== "default";
  const format = isSaid || stdout.isTTY === true ? config.log.format : "json";
  const log = logOf({ level: config.log.level, format }, terminal);
  const since = Date.now();
  const running = await begin({ ...found, controllers }, config, options, log, terminal);
  try {
    tell(running, format, text(options["namespace"]), log, terminal, since);
    await untilEnd(
      running,
      () => {
        if (format === "pretty") stdout.write("Controllers are at work. Ctrl-C stops them.\n");
      },
      terminal.signal,
    );
  } finally {
    await running.stop();
  }
  if (format === "pretty") stdout.write("Stopped.\n");
  return 0;
}

/** @throws {UsageError} unless there is something to run. */
async function modulesOf(words: readonly string[], cwd: string): Promise<Loaded> {
  const { modules, manifests } = sortWords(words, cwd);
  if (modules.length === 0) {
    throw new UsageError(
      manifests.length > 0
        ? "fettle run takes modules; manifests are applied with fettle apply"
        : "name a module that exports controllers",
    );
  }
  const found = await loadModules(modules, cwd);
  if (found.controllers.length + found.schedules.length === 0) {
    throw new UsageError("there are no controllers in these modules, only kinds");
  }
  return found;
}

async function begin(
  { controllers, schedules, kinds }: Loaded,
  { leaderElection: { enabled, ...election }, sharding, health: { port, ...health }, runs }: Config,
  options: OptionValues,
  log: Log,
  terminal: Terminal,
): Promise<Operator> {
  // In a pod, those who ask come from outside of it.
  const host = health.host ?? (terminal.env["KUBERNETES_SERVICE_HOST"] ? "0.0.0.0" : "127.0.0.1");
  await using connected = await connect(options, terminal);
  try {
    return await operator({
      controllers,
      schedules,
      kinds,
      connection: connected.connection,
      namespace: text(options["namespace"]),
      ...(sharding?.shards === undefined
        ? { leaderElection: enabled && election }
        : { sharding: { ...election, shards: sharding.shards } }),
      health: { host, port },
      runs,
      definitions: options["definitions"] === "skip" ? "skip" : "apply",
      userAgent: `fettle/${terminal.version}`,
      log,
      onWarning: (text) => log.warn({}, text),
      signal: terminal.signal,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new StartError(
      `port ${port} of ${host} is in use; choose another for health and metrics with --health-port (0 for any)`,
      { cause: error },
    );
  }
}

function tell(
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
      controllers.sharding === undefined ? "the process that holds it works" : "says who works on what";
    if (lease !== undefined) stdout.write(`  lease   ${lease}: ${says}\n`);
    const where = namespace === undefined ? {} : { namespace };
    followForPeople(watched, { colors, write: (text) => stdout.write(text), where });
  }
}

/** One that waits for its turn is of use; one that cannot begin is not, and ends with the reason. */
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

function text(value: OptionValues[string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}
