import { relative, sep } from "node:path";
import { isScalar, isSeq, parseDocument, stringify } from "yaml";
import { originText } from "./config-builder.js";
import type { LoadedConfig } from "./config.js";
import type { SettingType } from "./setting.js";
import { patternOf, putAt, valueAt, type ConfigPath } from "./setting-path.js";
import { settings } from "./settings.js";

/** Replaces a secret. */
const hidden = "[hidden]";

/** An effective value and its source. */
export interface ShownSetting {
  /** `listen.port` */
  readonly path: string;
  readonly value: unknown;
  /** `default`, `fettle.yaml:3`, `$FETTLE_PORT` or `--port` */
  readonly from: string;
}

/** All effective values without secrets; paths are relative to a folder. */
export function shownSettings(loaded: LoadedConfig, cwd: string): readonly ShownSetting[] {
  const config = configObject(loaded, cwd);
  return Array.from(loaded.origins, ([path, origin]) => ({
    path,
    value: valueAt(config, loaded.paths.get(path) ?? []),
    from: originText(origin),
  }));
}

/**
 * A `fettle.yaml` with all values, each with its source as a comment. Secrets that come from a variable are written as the file
 * has them, so that the result can be loaded like it.
 */
export function configYaml(loaded: LoadedConfig, cwd: string): string {
  const config = configObject(loaded, cwd);
  const document = parseDocument(stringify(escaped(config)));
  for (const path of loaded.secrets) {
    const written = loaded.written.get(path);
    if (written !== undefined) document.setIn(loaded.paths.get(path) ?? [], document.createNode(written));
  }
  for (const [path, origin] of loaded.origins) {
    const node: unknown = document.getIn(loaded.paths.get(path) ?? [], true);
    const from = originText(origin);
    if (isScalar(node)) node.comment = ` ${from}`;
    else if (isSeq(node) && node.items.length === 0) node.comment = ` ${from}`;
    else if (isSeq(node)) node.commentBefore = ` ${from}`;
  }
  return document.toString({ lineWidth: 0 });
}

/** Escapes text that would be taken for a variable. */
function escaped(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each)]));
}

/** The configuration as data without secrets. */
export function configObject(loaded: LoadedConfig, cwd: string): Readonly<Record<string, unknown>> {
  const copy = structuredClone(loaded.config) as unknown as Record<string, unknown>;
  const pathSettings = settings.filter(({ takes }) => holdsPaths(takes));
  for (const [text, path] of loaded.paths) {
    if (loaded.secrets.has(text)) putAt(copy, path, hidden);
    else if (pathSettings.some((setting) => matches(setting.path, path))) {
      const value = valueAt(copy, path);
      const to = Array.isArray(value) ? value.map((each) => relativeTo(each, cwd)) : relativeTo(value, cwd);
      putAt(copy, path, to);
    }
  }
  return copy;
}

function holdsPaths(takes: SettingType): boolean {
  return takes.type === "path" || (takes.type === "list" && takes.of === "path");
}

/** True if a path is that of a setting. */
function matches(setting: string, path: ConfigPath): boolean {
  const pattern = patternOf(setting);
  return (
    pattern.length === path.length &&
    pattern.every((step, at) => step === path[at] || (step === "[]" && typeof path[at] === "number"))
  );
}

/** Makes a path below the folder relative to it. */
function relativeTo(path: unknown, cwd: string): unknown {
  return typeof path === "string" && path.startsWith(`${cwd}${sep}`) ? relative(cwd, path) : path;
}
