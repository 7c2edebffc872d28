import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Controller } from "../../runtime/controller/controller.js";
import { orderOperators } from "../../plane/operators/order-operators.js";
import type { Log } from "../../runtime/log/log.js";
import type { ControlPlane, ControlPlaneOptions } from "../../plane/control-plane.js";
import type { Config, LoadedConfig } from "../../plane/config/config.js";
import type { KeyPairFiles } from "../../server/index.js";
import { StartError, type CommandGroup, type Terminal } from "../command/command.js";
import { interruptible } from "../command/interruptible.js";
import { formatDuration, sleep, systemClock } from "../../model/core.js";
import { loadModules, type Loaded } from "../modules/load-modules.js";
import { sortWords } from "../modules/sort-words.js";
import { banner, type StartedExports } from "./banner.js";
import { makeFolder } from "./fresh-folder.js";
import { commandsOf, recordCommands } from "../operators/operator-commands.js";
import { applyPlaced, readStartManifests } from "./manifests.js";

/** Running control plane and its source files. */
export interface Started {
  readonly plane: ControlPlane;
  /** Files to watch for changes. */
  readonly sources: readonly string[];
}

/** Milliseconds for opening the store and starting its controllers. */
const openTimeout = 120_000;
/** Milliseconds for stopping a control plane that had not finished its start. */
const stopTimeout = 3000;

/** Absolute paths of modules and manifests. */
export interface InputPaths {
  readonly modules: readonly string[];
  readonly manifests: readonly string[];
}

/** Modules and manifests of the arguments; each defaults to those of the configuration. */
export function sourcesOf(config: Config, words: readonly string[], cwd: string): InputPaths {
  const given = sortWords(words, cwd);
  const configured = sortWords(
    [
      ...(given.modules.length === 0 ? config.modules : []),
      ...(given.manifests.length === 0 ? config.manifests : []),
    ],
    cwd,
  );
  return {
    modules: [...given.modules, ...configured.modules],
    manifests: [...given.manifests, ...configured.manifests],
  };
}

/**
 * Starts a control plane and prints the banner. All files are loaded before the store is opened, so that a mistake in a file
 * changes nothing.
 */
export async function start(
  loaded: LoadedConfig,
  words: readonly string[],
  terminal: Terminal,
  {
    signal,
    isRestart,
    forceDefinitions,
    groups,
  }: {
    readonly signal: AbortSignal;
    readonly isRestart: boolean;
    readonly forceDefinitions: boolean;
    /** Commands of the command line. */
    readonly groups: readonly CommandGroup[];
  },
): Promise<Started> {
  const began = performance.now();
  const since = Date.now();
  const { config, origins, file } = loaded;
  const { cwd, stdout, stderr, colors } = terminal;
  const sources = sourcesOf(config, words, cwd);
  const found = await loadModules(sources.modules, terminal);
  const manifests = await readStartManifests(sources.manifests, cwd);
  const { configureControllers } = await import("../../plane/config/configure-controllers.js");
  const configure = (all: readonly Controller[]): readonly Controller[] =>
    configureControllers(all, config, origins);
  // The controllers of operators are known after the start.
  if (found.operators.size === 0) configure(found.controllers);
  const commands = commandsOf(found.operators, groups);
  const { logOf } = await import("./log-of.js");
  const { logSettings } = await import("../../plane/config/control-loop.js");
  const log = logOf(logSettings(loaded), terminal);
  // A failed start removes the folder if it created it.
  const isBorrowed = borrowsFolder(loaded);
  const removeFolder = isBorrowed
    ? async () => {}
    : await makeFolder(config.data).catch((error: unknown) => {
        throw explained(error, config);
      });
  const opening = open(
    { ...config, ...(isBorrowed && { data: undefined }), forceDefinitions },
    { ...found, configure },
    log,
    terminal,
  );
  const plane = await interruptible(
    opening,
    {
      doing: `opening ${config.data}`,
      timeout: openTimeout,
      problem: `the store in ${config.data} did not open within ${formatDuration(openTimeout)}; is its disk available? Check it with: fettle verify --data ${config.data}`,
    },
    terminal,
  ).catch(async (error: unknown) => {
    await stopped(opening);
    await removeFolder();
    throw error;
  });
  try {
    const { followForPeople, followForPrograms } = await import("./follow-work.js");
    const watched = { runs: plane.controllers.runs, since, client: plane.client, signal };
    // Runs start while manifests are applied; their lines are printed after the banner.
    const buffered = new BufferedOutput((text) => stdout.write(text));
    if (config.log.format === "pretty")
      followForPeople(watched, { colors, write: (text) => buffered.write(text) });
    const applied = await applyPlaced((manifest) => plane.apply(manifest), manifests);
    const { url = "", kubeconfig = "" } = plane;
    if (!isBorrowed) await recordCommands(config.data, commands, log, terminal);
    if (config.log.format === "json") {
      log.info({ url, kubeconfig, data: config.data, applied: applied.length }, "fettle is up");
      followForPrograms(watched, log);
    } else {
      const took = performance.now() - began;
      stdout.write(
        isRestart
          ? `Restarted in ${Math.round(took)} ms.\n`
          : `${banner({ url, kubeconfig, config, found: startedParts(plane, found), applied, took }, terminal)}\n`,
      );
    }
    buffered.release();
    const named = [...sources.manifests, ...found.files, ...(file === undefined ? [] : [file])];
    return { plane, sources: [...new Set(named)] };
  } catch (error) {
    await plane
      .stop()
      .catch((problem: unknown) => stderr.write(`fettle: while stopping: ${String(problem)}\n`));
    await removeFolder();
    throw error;
  }
}

/** Controllers, schedules and kinds of a plane, with those of its operators. */
function startedParts({ controllers, events }: ControlPlane, { kinds, operators }: Loaded): StartedExports {
  const ordered = orderOperators([...operators.keys()]);
  return {
    controllers: controllers.all.map(({ controller }) => controller),
    schedules: controllers.schedules,
    subscriptions: events.subscriptions(),
    kinds: [...kinds, ...ordered.flatMap((operator) => operator.kinds)],
    commands: ordered.flatMap(({ commands }) => commands.slice(0, 1)),
  };
}

/**
 * True for an in-memory control plane in a folder where another one has its data. It gets a temporary folder, so that commands
 * in this folder still reach the other one.
 */
function borrowsFolder({ config: { data, store }, origins }: LoadedConfig): boolean {
  return store === "memory" && origins.get("data")?.type === "default" && existsSync(join(data, "store"));
}

/** Stops a control plane whose start was interrupted, unless that takes too long: what is on disk survives the exit. */
async function stopped(opening: Promise<ControlPlane>): Promise<void> {
  const stop = opening.then((plane) => plane.stop()).catch(() => {});
  await Promise.race([stop, sleep(systemClock, stopTimeout)]);
}

/** Buffers text until it is released. */
class BufferedOutput {
  readonly #out: (text: string) => unknown;
  #buffer: string[] | undefined = [];

  constructor(out: (text: string) => unknown) {
    this.#out = out;
  }

  write(text: string): void {
    if (this.#buffer === undefined) this.#out(text);
    else this.#buffer.push(text);
  }

  release(): void {
    for (const text of this.#buffer ?? []) this.#out(text);
    this.#buffer = undefined;
  }
}

/** @throws {StartError} if only one of the two files is given, or TLS is off. */
function tlsOf({ tls, certFile, keyFile }: Config["listen"]): boolean | KeyPairFiles {
  if (certFile === undefined && keyFile === undefined) return tls;
  if (certFile === undefined) throw new StartError("--key-file needs its certificate: add --cert-file");
  if (keyFile === undefined) throw new StartError("--cert-file needs its private key: add --key-file");
  if (!tls) throw new StartError("--cert-file and --no-tls contradict each other; remove one of them");
  return { certFile, keyFile };
}

type StartConfig = Omit<Config, "data"> & {
  readonly data: string | undefined;
  readonly forceDefinitions: boolean;
};

async function open(
  config: StartConfig,
  found: Loaded & Pick<ControlPlaneOptions, "configure">,
  log: Log,
  terminal: Terminal,
): Promise<ControlPlane> {
  const { controlPlane } = await import("../../plane/control-plane.js");
  const { eventOptions, eventParts, routeOptions } = await import("../../plane/config/control-loop.js");
  const { peersOptions } = await import("../../plane/config/sections/configured-peers.js");
  const {
    data,
    store,
    listen,
    services,
    objects,
    runs,
    state,
    performance: measured,
    forceDefinitions,
  } = config;
  try {
    return await controlPlane({
      controllers: found.controllers,
      schedules: found.schedules,
      kinds: found.kinds,
      operators: [...found.operators.keys()],
      subscriptions: found.subscriptions,
      events: eventOptions(config, found.events),
      handlers: found.handlers,
      ...(await eventParts(config, found.plugins, terminal.cwd)),
      eventTypes: found.eventTypes,
      ...routeOptions(config),
      configure: found.configure,
      forceDefinitions,
      data,
      store: store === "memory" ? "memory" : undefined,
      listen: { ...listen, tls: tlsOf(listen) },
      services,
      objects,
      runs,
      state,
      performance: measured,
      peers: peersOptions(config),
      log,
      version: terminal.version,
    });
  } catch (error) {
    throw explained(error, config);
  }
}

/** Adds the option that solves the problem. */
function explained(
  error: unknown,
  { listen: { host, port, tls, tokenFile } }: Pick<Config, "listen">,
): unknown {
  if (!(error instanceof Error)) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  const startError = (message: string): Error => new StartError(message, { cause: error });
  switch (code) {
    case "EADDRINUSE":
      return startError(
        `port ${port} on ${host} is in use, perhaps by another fettle up; stop it, or choose another port with --port (0 for any free port)`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return startError(`${host} is not an address of this machine; choose another with --host`);
    case "EACCES":
      return port < 1024 && port > 0 && path === undefined
        ? startError(`no permission to listen on port ${port}; choose a port from 1024 with --port`)
        : error;
    default:
      if (
        error.name === "TokenFileError" &&
        (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT"
      )
        return startError(`the token file ${tokenFile} does not exist; choose another with --token-file`);
      if (error.name === "StoreInUse" || error.name === "StoreUnusable")
        return startError(`${error.message} (--data FOLDER)`);
      return tls || !error.message.includes("TLS") ? error : startError(`${error.message} (remove --no-tls)`);
  }
}
