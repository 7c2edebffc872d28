import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { defaultConfigFile } from "../../plane/config/load-config.js";
import { UsageError } from "../command/command.js";

/** Arguments sorted into modules and manifests. */
export interface Sorted {
  readonly modules: readonly string[];
  /** Paths of files. */
  readonly manifests: readonly string[];
}

const module = /(?<!\.d)\.[cm]?[jt]sx?$/;
const manifest = /\.(ya?ml|json)$/;
/** JSON files that are not manifests, such as package.json. */
const otherJson = /^(package(-lock)?|tsconfig.*|jsconfig.*|\..*)\.json$/;

/**
 * Sorts arguments into modules and manifests: files by their names; a folder contributes its manifests and its index
 * module, if it has one.
 *
 * @throws {UsageError} for a path that is neither, or does not exist.
 */
export function sortWords(words: readonly string[], cwd: string): Sorted {
  const modules = new Set<string>();
  const manifests = new Set<string>();
  for (const word of words) {
    const path = resolve(cwd, word);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) throw new UsageError(`${word} does not exist`);
    if (stat.isDirectory()) {
      const inside = lookInto(path);
      if (inside.modules.length + inside.manifests.length === 0) {
        throw new UsageError(
          `${relative(cwd, path) || "."} contains no manifests (*.yaml, *.yml, *.json) and no index module (index.ts, index.js)`,
        );
      }
      for (const each of inside.modules) modules.add(each);
      for (const each of inside.manifests) manifests.add(each);
    } else if (module.test(path)) modules.add(path);
    else if (manifest.test(path)) manifests.add(path);
    else {
      throw new UsageError(`${word} is not a module (.ts, .js, .mjs) or a manifest (.yaml, .yml, .json)`);
    }
  }
  return { modules: [...modules], manifests: [...manifests] };
}

function lookInto(folder: string): Sorted {
  const index = ["index.ts", "index.mts", "index.js", "index.mjs"]
    .map((name) => join(folder, name))
    .find((path) => existsSync(path));
  const manifests = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && manifest.test(entry.name))
    .map(({ name }) => join(folder, name))
    .filter((path) => !otherJson.test(basename(path)) && basename(path) !== defaultConfigFile);
  return { modules: index === undefined ? [] : [index], manifests: manifests.sort() };
}
