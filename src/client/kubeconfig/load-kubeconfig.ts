import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Kubeconfig } from "./kubeconfig.js";
import { codeOf, KubeconfigError, reasonOf } from "./kubeconfig-error.js";
import { parseKubeconfig } from "./parse.js";
import { surroundings, type Environment, type SurroundingsOptions } from "./surroundings.js";

export interface KubeconfigSource extends Pick<SurroundingsOptions, "env" | "onWarning"> {
  /** File, or several joined by the path delimiter. At least one must exist. */
  readonly kubeconfig?: string | undefined;
  /** Content of a kubeconfig, instead of files. */
  readonly text?: string | undefined;
}

/**
 * Reads the kubeconfig as kubectl does: the given files, those of `$KUBECONFIG`, or `~/.kube/config`. Several files are
 * merged (the first entry of a name wins), missing files are skipped, and no file at all is an empty kubeconfig.
 *
 * @example
 * for (const { name, server } of listContexts(await loadKubeconfig())) console.log(name, server);
 */
export async function loadKubeconfig(source: KubeconfigSource = {}): Promise<Kubeconfig> {
  const { env, warn } = surroundings(source);
  if (source.text !== undefined) {
    if (source.kubeconfig === undefined) return parseKubeconfig(source.text);
    throw new KubeconfigError("A kubeconfig is given as a file and as text; leave one of them out");
  }
  const { paths } = kubeconfigPaths(source.kubeconfig, env);
  const configs: Kubeconfig[] = [];
  for (const path of paths) {
    const config = await readKubeconfig(path, warn);
    if (config !== undefined) configs.push(config);
  }
  if (configs.length === 0 && source.kubeconfig) {
    throw new KubeconfigError(`The kubeconfig ${paths.join(", ")} does not exist`);
  }
  return mergeKubeconfigs(configs);
}

/** Paths of kubeconfigs, and their source. */
export function kubeconfigPaths(
  explicit: string | undefined,
  env: Environment,
): { readonly paths: readonly string[]; readonly from: "option" | "environment" | "home" } {
  if (explicit) return { paths: split(explicit), from: "option" };
  if (env["KUBECONFIG"]) return { paths: split(env["KUBECONFIG"]), from: "environment" };
  const home = env["HOME"] || (process.platform === "win32" && env["USERPROFILE"]) || homedir();
  return { paths: [join(home, ".kube", "config")], from: "home" };
}

function split(paths: string): string[] {
  return [...new Set(paths.split(delimiter).filter((path) => path !== ""))];
}

async function readKubeconfig(path: string, warn: (text: string) => void): Promise<Kubeconfig | undefined> {
  let bytes: Buffer;
  let mode: number;
  try {
    await using file = await open(path, "r");
    ({ mode } = await file.stat());
    bytes = await file.readFile();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new KubeconfigError(`The kubeconfig ${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  const config = parseKubeconfig(decode(bytes), path);
  const readers = readersBesidesOwner(mode);
  if (readers !== undefined && holdsSecrets(config)) {
    warn(`${path} holds credentials and can be read by ${readers}; run: chmod 600 ${path}`);
  }
  return config;
}

/** Decodes UTF-8 and UTF-16, which Windows tools write. */
function decode(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return bytes.toString("utf8");
}

function readersBesidesOwner(mode: number): string | undefined {
  if (process.platform === "win32") return undefined;
  if ((mode & 0o004) !== 0) return "everybody";
  return (mode & 0o040) === 0 ? undefined : "its group";
}

function holdsSecrets(config: Kubeconfig): boolean {
  return [...config.users.values()].some(
    ({ token, password, key, exec, authProvider }) =>
      token !== undefined ||
      password !== undefined ||
      key.data !== undefined ||
      authProvider !== undefined ||
      Object.keys(exec?.env ?? {}).length > 0,
  );
}

/** Merges kubeconfigs as kubectl does: the first entry of a name wins as a whole, and so does the first current context. */
function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    files: configs.flatMap(({ files }) => files),
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    contexts: firstOfEach(configs.map(({ contexts }) => contexts)),
    clusters: firstOfEach(configs.map(({ clusters }) => clusters)),
    users: firstOfEach(configs.map(({ users }) => users)),
  };
}

function firstOfEach<T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> {
  const merged = new Map<string, T>();
  for (const map of maps) {
    for (const [name, entry] of map) {
      if (!merged.has(name)) merged.set(name, entry);
    }
  }
  return merged;
}
