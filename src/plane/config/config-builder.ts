import { dirname, relative } from "node:path";
import { checkSections } from "./sections/check-sections.js";
import { ConfigError, type Config, type LoadedConfig, type Origin } from "./config.js";
import { readConfigText, type FileValue, type PresentPart } from "./read-file.js";
import { InvalidValue, readValue, type Value } from "./read-value.js";
import type { Setting } from "./setting.js";
import { pathText, patternOf, putAt, valueAt, type ConfigPath } from "./setting-path.js";
import { settings } from "./settings.js";

const secretVariable = /(^|_)(password|passwd|passphrase|secret|token|credentials?|key|webhook(_url)?)$/i;
// A password may have characters that should be encoded.
const passwordInUrl = /:\/\/[^\s]*:[^\s]*@/;

interface BuiltValue {
  readonly path: ConfigPath;
  readonly setting: Setting;
  readonly value: Value;
  readonly origin: Origin;
  readonly isSecret: boolean;
  readonly written: string | undefined;
}

/** Collects values and errors; later values override earlier ones. */
export class ConfigBuilder {
  readonly #values = new Map<string, BuiltValue>();
  /** Empty lists and maps of the file. */
  readonly #empty: { readonly path: ConfigPath; readonly isList: boolean; readonly origin: Origin }[] = [];
  readonly #problems: { readonly line: number; readonly text: string }[] = [];
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  set(
    setting: Setting,
    path: ConfigPath,
    given: unknown,
    origin: Origin,
    folder: string,
    { variables = [], written }: Partial<Pick<FileValue, "variables" | "written">> = {},
  ): void {
    const isNamedSecret = setting.isSecret === true || variables.some((name) => secretVariable.test(name));
    try {
      const value = readValue(setting, given, folder);
      const isSecret = isNamedSecret || (typeof value === "string" && passwordInUrl.test(value));
      this.#values.set(pathText(path), { path, setting, value, origin, isSecret, written });
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      this.#report(origin, path, isNamedSecret ? error.expected : error.message);
    }
  }

  /** Returns the sections and items that the file has. */
  readFile(
    path: string,
    text: string,
    env: Readonly<Record<string, string | undefined>>,
  ): readonly PresentPart[] {
    const file = relative(this.#cwd, path);
    const { values, parts, problems } = readConfigText(text, env);
    for (const { line, column, message } of problems) {
      this.#problems.push({ line, text: `${file}:${line}:${column}: ${message}` });
    }
    for (const { setting, path: at, value, line, column, ...how } of values) {
      this.set(setting, at, value, { type: "file", file, line, column }, dirname(path), how);
    }
    for (const { path: at, pattern, empty, line, column } of parts) {
      if (empty === undefined || pattern === "" || pattern.startsWith("controllers")) continue;
      this.#empty.push({ path: at, isList: empty === "list", origin: { type: "file", file, line, column } });
    }
    return parts;
  }

  /** Adds the defaults of settings that have no value, also those of each item of a list. */
  addDefaults(parts: readonly PresentPart[], folder: string): void {
    for (const setting of settings) {
      if (setting.default === undefined) continue;
      const steps = patternOf(setting.path);
      const anchor = anchorOf(setting, steps);
      const present = parts.filter(({ pattern }) => pattern === anchor.join(".")).map(({ path }) => path);
      const roots = anchor.length === 0 ? [[]] : present;
      for (const root of roots) {
        const path = [...root, ...steps.slice(anchor.length)];
        if (!this.#values.has(pathText(path)))
          this.set(setting, path, setting.default, { type: "default" }, folder);
      }
    }
  }

  result(file: string | undefined): LoadedConfig {
    const values = inOrder([...this.#values.values()]);
    const config: Record<string, unknown> = {};
    const origins = new Map<string, Origin>();
    const paths = new Map<string, ConfigPath>();
    for (const { path, value, origin } of values) {
      putAt(config, path, value);
      origins.set(pathText(path), origin);
      paths.set(pathText(path), path);
    }
    for (const { path, isList, origin } of this.#empty) {
      if (valueAt(config, path) !== undefined) continue;
      putAt(config, path, isList ? [] : {});
      if (!isList) continue;
      origins.set(pathText(path), origin);
      paths.set(pathText(path), path);
    }
    config["controllers"] ??= {};
    this.#throwProblems();
    for (const { path, message } of checkSections(config as unknown as Config)) {
      this.#report(this.#originOf(path), path, message);
    }
    this.#throwProblems();
    const written = values.flatMap(({ path, written: text }) =>
      text === undefined ? [] : [[pathText(path), text] as const],
    );
    return {
      config: config as unknown as Config,
      origins,
      paths,
      secrets: new Set(values.filter(({ isSecret }) => isSecret).map(({ path }) => pathText(path))),
      written: new Map(written),
      file,
    };
  }

  #throwProblems(): void {
    if (this.#problems.length === 0) return;
    const sorted = this.#problems.toSorted((a, b) => a.line - b.line);
    throw new ConfigError(sorted.map(({ text }) => text).join("\n"));
  }

  /** Origin of a value, or of the first value of the file that has the longest part of the path. */
  #originOf(path: ConfigPath): Origin {
    const exact = this.#values.get(pathText(path));
    if (exact !== undefined) return exact.origin;
    const inFile = [...this.#values.values(), ...this.#empty].filter(({ origin }) => origin.type === "file");
    for (let length = path.length; length > 0; length--) {
      const found = inFile.find((each) => path.slice(0, length).every((step, at) => each.path[at] === step));
      if (found !== undefined) return found.origin;
    }
    return { type: "default" };
  }

  #report(origin: Origin, path: ConfigPath, message: string): void {
    // A variable or a flag is named itself, in place of the setting.
    const where = originText(origin);
    this.#problems.push(
      origin.type === "file"
        ? { line: origin.line, text: `${where}:${origin.column}: ${pathText(path)}: ${message}` }
        : { line: Infinity, text: `${where}: ${message}` },
    );
  }
}

/** Part of a setting's path that has to be given for its default: up to the last list or name. */
function anchorOf({ whenPresent }: Setting, steps: readonly string[]): readonly string[] {
  if (whenPresent !== undefined) return patternOf(whenPresent);
  return steps.slice(0, 1 + Math.max(steps.lastIndexOf("[]"), steps.lastIndexOf("*")));
}

/** Sorts values like their settings, and those of a list by item. */
function inOrder(values: readonly BuiltValue[]): readonly BuiltValue[] {
  const patterns = settings.map(({ path }) => patternOf(path));
  const named = new Map<string, number>();
  const rankAt = ({ path, setting }: BuiltValue, depth: number): number => {
    const step = path[depth];
    if (typeof step !== "string") return step ?? -1;
    const pattern = patternOf(setting.path);
    const expected = pattern[depth] ?? "**";
    if (expected === "*" || expected === "**") {
      const name = pathText(path.slice(0, depth + 1));
      if (!named.has(name)) named.set(name, named.size);
      return named.get(name) ?? 0;
    }
    return patterns.findIndex((other) => pattern.slice(0, depth + 1).every((each, at) => other[at] === each));
  };
  const ranked = values.map((value) => ({ value, rank: value.path.map((_, depth) => rankAt(value, depth)) }));
  return ranked
    .sort((a, b) => {
      const depth = a.rank.findIndex((each, at) => each !== b.rank[at]);
      return depth < 0 ? 0 : (a.rank[depth] ?? 0) - (b.rank[depth] ?? -1);
    })
    .map(({ value }) => value);
}

/** Source of a value as text: `fettle.yaml:3`, `$FETTLE_PORT`, `--port`, `default`. */
export function originText(origin: Origin): string {
  switch (origin.type) {
    case "default":
      return "default";
    case "file":
      return `${origin.file}:${origin.line}`;
    case "environment":
      return `$${origin.name}`;
    case "flag":
      return origin.flag;
  }
}
