import type { Log } from "../../runtime/log/log.js";
import type { ControlPlane } from "../../plane/control-plane.js";
import type { Config, LoadedConfig } from "../../plane/config/config.js";
import type { Terminal } from "../command.js";
import { loadModules, type Loaded } from "../modules/load-modules.js";
import { sortWords } from "../modules/sort-words.js";
import { banner } from "./banner.js";
import { makeFolder } from "./fresh-folder.js";
import { StartError } from "./start-error.js";
import { applyPlaced, readManifests } from "./manifests.js";

/** A control plane that is at work, and what it was made of. */
export interface Started {
  readonly plane: ControlPlane;
  /** Folders and files whose changes concern it. */
  readonly sources: readonly string[];
}

/** What words and configuration name, absolute. */
export interface Sources {
  readonly modules: readonly string[];
  readonly manifests: readonly string[];
}

/** What the words name; where they name no modules, or no manifests, those of the configuration. */
export function sourcesOf(config: Config, words: readonly string[], cwd: string): Sources {
  const said = sortWords(words, cwd);
  const usual = sortWords(
    [
      ...(said.modules.length === 0 ? config.modules : []),
      ...(said.manifests.length === 0 ? config.manifests : []),
    ],
    cwd,
  );
  return {
    modules: [...said.modules, ...usual.modules],
    manifests: [...said.manifests, ...usual.manifests],
  };
}

/**
 * Starts a control plane with what was named, and says so. Everything is loaded and read before anything is opened, so that
 * a mistake in a file changes nothing.
 */
export async function start(
  loaded: LoadedConfig,
  words: readonly string[],
  terminal: Terminal,
  { signal, isAgain }: { readonly signal: AbortSignal; readonly isAgain: boolean },
): Promise<Started> {
  const began = performance.now();
  const since = Date.now();
  const { config, origins, file } = loaded;
  const { cwd, stdout, stderr, colors } = terminal;
  const sources = sourcesOf(config, words, cwd);
  const found = await loadModules(sources.modules, cwd);
  const manifests = await readManifests(sources.manifests, cwd);
  const { overrideControllers } = await import("../../plane/config/override-controllers.js");
  const controllers = overrideControllers(found.controllers, config.controllers, origins);
  const { logOf } = await import("./log-of.js");
  const log = logOf(config.log, terminal);
  // One that could not be started leaves nothing behind that was not there before.
  const leaveNothing = await makeFolder(config.data);
  const plane = await open(config, { ...found, controllers }, log, terminal).catch(async (error: unknown) => {
    await leaveNothing();
    throw error;
  });
  try {
    const { followForPeople, followForPrograms } = await import("./follow-work.js");
    const watched = { runs: plane.controllers.runs, since, client: plane.client, signal };
    // What is applied is worked on at once; that is told, but after the banner.
    const held = new Held((text) => stdout.write(text));
    if (config.log.format === "pretty")
      followForPeople(watched, { colors, write: (text) => held.write(text) });
    const applied = await applyPlaced((manifest) => plane.apply(manifest), manifests);
    const { url = "", kubeconfig = "" } = plane;
    if (config.log.format === "json") {
      log.info({ url, kubeconfig, data: config.data, applied: applied.length }, "fettle is up");
      followForPrograms(watched, log);
    } else {
      const took = performance.now() - began;
      stdout.write(
        isAgain
          ? `Up again after ${Math.round(took)} ms.\n`
          : `${banner({ url, kubeconfig, config, found, applied, took }, terminal)}\n`,
      );
    }
    held.release();
    const named = [...sources.manifests, ...found.files, ...(file === undefined ? [] : [file])];
    return { plane, sources: [...new Set(named)] };
  } catch (error) {
    await plane
      .stop()
      .catch((problem: unknown) => stderr.write(`fettle: while stopping: ${String(problem)}\n`));
    await leaveNothing();
    throw error;
  }
}

/** Keeps text back until it is released. */
class Held {
  readonly #out: (text: string) => unknown;
  #kept: string[] | undefined = [];

  constructor(out: (text: string) => unknown) {
    this.#out = out;
  }

  write(text: string): void {
    if (this.#kept === undefined) this.#out(text);
    else this.#kept.push(text);
  }

  release(): void {
    for (const text of this.#kept ?? []) this.#out(text);
    this.#kept = undefined;
  }
}

async function open(config: Config, found: Loaded, log: Log, terminal: Terminal): Promise<ControlPlane> {
  const { controlPlane } = await import("../../plane/control-plane.js");
  const { data, store, listen, runs } = config;
  try {
    return await controlPlane({
      controllers: found.controllers,
      schedules: found.schedules,
      kinds: found.kinds,
      data,
      store: store === "memory" ? "memory" : undefined,
      listen,
      runs,
      log,
      version: terminal.version,
    });
  } catch (error) {
    throw explained(error, config);
  }
}

/** With the way out that the command line has. */
function explained(error: unknown, { listen: { host, port, tls, tokenFile } }: Config): unknown {
  if (!(error instanceof Error)) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  const say = (message: string): Error => new StartError(message, { cause: error });
  switch (code) {
    case "EADDRINUSE":
      return say(
        `port ${port} of ${host} is in use by another program, perhaps another fettle up; stop it, or choose another port with --port (0 for any that is free)`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return say(`${host} is no address of this machine; choose another with --host`);
    case "EACCES":
      return port < 1024 && port > 0 && path === undefined
        ? say(`this user may not listen on port ${port}; choose one from 1024 with --port`)
        : error;
    default:
      if (
        error.name === "TokenFileError" &&
        (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT"
      )
        return say(`the token file ${tokenFile} does not exist; --token-file names another`);
      if (error.name === "StoreInUse")
        return say(
          error.message.replace("choose another data directory", "choose another with --data FOLDER"),
        );
      return tls || !error.message.includes("TLS") ? error : say(`${error.message} (leave out --no-tls)`);
  }
}
