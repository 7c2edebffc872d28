import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as Jiti from "jiti";
import { findIn, type ModuleExports } from "./found.js";

/** What was found in modules, and the files that took part. */
export interface Loaded extends ModuleExports {
  /** The modules, and what they import in turn as far as it is TypeScript; nothing of node_modules. */
  readonly files: readonly string[];
}

/** A module that cannot be used; the message says which and why. */
class ModuleError extends Error {
  override readonly name = "ModuleError";
}

/** As the loader says it. */
const syntaxError = /^ParseError: (.*?)\s*\n\s*(\S+?)(:\d+:\d+)\s*$/s;
/** Of the command line: whoever wrote a module need not know how it came to be loaded. */
const ownCode = dirname(dirname(fileURLToPath(import.meta.url)));
const typescript = /\.[cm]?tsx?$/;

/**
 * Loads modules, TypeScript or JavaScript, and finds the controllers, schedules and kinds they export.
 *
 * @throws {ModuleError} for one that cannot be loaded, or that has nothing to offer.
 */
export async function loadModules(paths: readonly string[], cwd: string): Promise<Loaded> {
  const load = paths.some((path) => typescript.test(path)) ? typescriptLoader(cwd) : undefined;
  const all: ModuleExports[] = [];
  for (const path of paths) {
    const name = relative(cwd, path);
    const exports = await importing(path, cwd, load);
    const found = findIn(exports);
    if (found.controllers.length + found.schedules.length + found.kinds.length === 0) {
      throw new ModuleError(nothingIn(name, exports));
    }
    all.push(found);
  }
  return {
    controllers: [...new Set(all.flatMap(({ controllers }) => controllers))],
    schedules: [...new Set(all.flatMap(({ schedules }) => schedules))],
    kinds: [...new Set(all.flatMap(({ kinds }) => kinds))],
    files: [...new Set([...paths, ...(load?.files() ?? [])])],
  };
}

interface Loader {
  import(path: string): Promise<unknown>;
  files(): readonly string[];
}

/**
 * Node 20 does not read TypeScript, and later ones do not find `./kinds.ts` when it is imported as `./kinds.js`, as
 * TypeScript wants it. What is JavaScript already is left to Node, so that everybody has the same copy of this package.
 */
function typescriptLoader(cwd: string): Loader {
  // Imported, Node would first search the minified file for its exports, which takes longer than to run it.
  const { createJiti } = createRequire(import.meta.url)("jiti") as typeof Jiti;
  const jiti = createJiti(import.meta.url, {
    fsCache: cacheFolder(cwd) ?? false,
    sourceMaps: true,
    interopDefault: false,
  });
  return {
    import: (path) => jiti.import(path),
    files: () =>
      Object.keys(jiti.cache).filter((path) => typescript.test(path) && !path.includes("/node_modules/")),
  };
}

/**
 * Folder for compiled modules, by the content of their sources: the compiler takes longer to load than everything else of
 * a start. In the nearest node_modules, where tools keep such things, and nowhere if there is none.
 */
function cacheFolder(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const modules = join(folder, "node_modules");
    if (existsSync(modules)) return join(modules, ".cache", "fettle");
    if (folder === dirname(folder)) return undefined;
  }
}

async function importing(
  path: string,
  cwd: string,
  loader: Loader | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const loaded: unknown =
      loader !== undefined && typescript.test(path)
        ? await loader.import(path)
        : await import(pathToFileURL(path).href);
    return loaded as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new ModuleError(`${relative(cwd, path)} cannot be loaded: ${stackOf(error, cwd)}`, {
      cause: error,
    });
  }
}

/** Where it happened matters to who wrote the module; where in Node's or the loader's own code does not. */
function stackOf(error: unknown, cwd: string): string {
  if (!(error instanceof Error)) return String(error);
  const [, problem, file = "", position = ""] = syntaxError.exec(error.message) ?? [];
  if (problem !== undefined) return `${relative(cwd, file)}${position}: ${problem}`;
  // A list of who required whom says what the frames say.
  const message = error.message.replace(/\nRequire stack:[^]*/, "").trim();
  const missing = /^Cannot find (?:module|package) '([^'./][^']*)'/.exec(message)?.[1];
  if (missing !== undefined)
    return `${message}; is it in package.json, and did you run npm install?\n${framesOf(error)}`.trimEnd();
  return `${message}\n${framesOf(error)}`.trimEnd();
}

function framesOf({ stack = "" }: Error): string {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .filter((line) => !/\bnode:|\/jiti\/dist\//.test(line) && !line.includes(ownCode))
    .slice(0, 6)
    .map((line) => `    ${line.trim()}`)
    .join("\n");
}

function nothingIn(name: string, exports: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(exports);
  const what = names.length === 0 ? "It exports nothing" : `It exports ${names.join(", ")}`;
  const isFunction = names.some((each) => typeof exports[each] === "function");
  const functions = isFunction ? " (functions are not called; export their results)" : "";
  return (
    `${name} exports no controllers, schedules or kinds. Export the results of controller(), plainController(), ` +
    `schedule() or resource(), by any name or in an array. ${what}${functions}`
  );
}
