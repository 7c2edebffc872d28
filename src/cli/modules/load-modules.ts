import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as Jiti from "jiti";
import { formatDuration } from "../../model/time/duration.js";
import type { OperatorDefinition } from "../../plane/operators/define-operator.js";
import type { Terminal } from "../command/command.js";
import { interruptible } from "../command/interruptible.js";
import { findIn, type ModuleExports } from "./found.js";

/** Exports of modules, and the source files that were loaded. */
export interface Loaded extends Omit<ModuleExports, "operators"> {
  /** Operators, each with the path of the module that exports it. */
  readonly operators: ReadonlyMap<OperatorDefinition, string>;
  /** Modules and the TypeScript files they import; nothing of node_modules. */
  readonly files: readonly string[];
}

/** A module that cannot be loaded or used; the message has its path and the reason. */
class ModuleError extends Error {
  override readonly name = "ModuleError";
}

/** Format of a syntax error of the loader. */
const syntaxError = /^ParseError: (.*?)\s*\n\s*(\S+?)(:\d+:\d+)\s*$/s;
/** Folder of the command line's own code, whose frames are removed from stack traces. */
const ownCode = dirname(dirname(fileURLToPath(import.meta.url)));
const typescript = /\.[cm]?tsx?$/;

/**
 * Loads modules, TypeScript or JavaScript, and finds the controllers, schedules, kinds, operators and parts for events they export.
 *
 * @throws {ModuleError} for a module that cannot be loaded, or that exports none of these.
 */
export async function loadModules(
  paths: readonly string[],
  terminal: Pick<Terminal, "cwd" | "signal" | "stderr">,
  { timeout = 60_000 }: { readonly timeout?: number } = {},
): Promise<Loaded> {
  const { cwd } = terminal;
  const load = paths.some((path) => typescript.test(path)) ? typescriptLoader(cwd) : undefined;
  const all: ModuleExports[] = [];
  const operators = new Map<OperatorDefinition, string>();
  for (const path of paths) {
    const name = relative(cwd, path);
    const exports = await interruptible(
      importing(path, cwd, load),
      {
        doing: `loading ${name}`,
        timeout,
        problem: `${name} did not finish loading within ${formatDuration(timeout)}: a top-level await in it, or in a module that it imports, does not end`,
      },
      terminal,
    );
    const found = findIn(exports);
    if (Object.values(found).every((list) => list.length === 0)) {
      throw new ModuleError(nothingIn(name, exports));
    }
    for (const operator of found.operators) if (!operators.has(operator)) operators.set(operator, path);
    all.push(found);
  }
  return {
    controllers: [...new Set(all.flatMap(({ controllers }) => controllers))],
    schedules: [...new Set(all.flatMap(({ schedules }) => schedules))],
    kinds: [...new Set(all.flatMap(({ kinds }) => kinds))],
    operators,
    subscriptions: [...new Set(all.flatMap(({ subscriptions }) => subscriptions))],
    events: [...new Set(all.flatMap(({ events }) => events))],
    handlers: [...new Set(all.flatMap(({ handlers }) => handlers))],
    plugins: [...new Set(all.flatMap(({ plugins }) => plugins))],
    eventTypes: [...new Set(all.flatMap(({ eventTypes }) => eventTypes))],
    files: [...new Set([...paths, ...(load?.files() ?? [])])],
  };
}

interface Loader {
  import(path: string): Promise<unknown>;
  files(): readonly string[];
}

/**
 * Loads TypeScript. Node 20 cannot, and later versions do not resolve `./kinds.js` to `./kinds.ts`, as TypeScript
 * requires. JavaScript is left to Node, so that all modules share one copy of this package.
 */
function typescriptLoader(cwd: string): Loader {
  // With `import`, Node would first scan the minified file for its exports, which takes longer than running it.
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
 * Cache folder for compiled modules, keyed by the content of their sources: loading the compiler takes longer than the
 * rest of a start. It is in the nearest node_modules; undefined if there is none.
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

/** Message and stack frames of the user's code, without those of Node and of the loader. */
function stackOf(error: unknown, cwd: string): string {
  if (!(error instanceof Error)) return String(error);
  const [, problem, file = "", position = ""] = syntaxError.exec(error.message) ?? [];
  if (problem !== undefined) return `${relative(cwd, file)}${position}: ${problem}`;
  // The require stack repeats the frames.
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
    `${name} exports no controllers, schedules, kinds, operators or subscriptions. Export the results of controller(), ` +
    `plainController(), schedule(), resource(), defineOperator(), subscription() or definePlugin(), by any name or in an array. ${what}${functions}`
  );
}
