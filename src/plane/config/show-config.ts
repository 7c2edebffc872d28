import { relative, sep } from "node:path";
import { isScalar, isSeq, parseDocument, stringify } from "yaml";
import type { LoadedConfig } from "./config.js";
import { originText, segmentsOf } from "./load-config.js";
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
    value: valueAt(config, segmentsOf(path)),
    from: originText(origin),
  }));
}

function valueAt(config: unknown, segments: readonly string[]): unknown {
  let value = config;
  for (const segment of segments) value = (value as Record<string, unknown> | undefined)?.[segment];
  return value;
}

/** A `fettle.yaml` with all values, each with its source as a comment. */
export function configYaml(loaded: LoadedConfig, cwd: string): string {
  const document = parseDocument(stringify(configObject(loaded, cwd)));
  for (const { path, from } of shownSettings(loaded, cwd)) {
    const node: unknown = document.getIn(segmentsOf(path), true);
    if (isScalar(node)) node.comment = ` ${from}`;
    else if (isSeq(node) && node.items.length === 0) node.comment = ` ${from}`;
    else if (isSeq(node)) node.commentBefore = ` ${from}`;
  }
  return document.toString({ lineWidth: 0 });
}

/** The configuration as data without secrets. */
export function configObject(loaded: LoadedConfig, cwd: string): Readonly<Record<string, unknown>> {
  const copy = structuredClone(loaded.config) as unknown as Record<string, unknown>;
  const change = (path: string, to: (value: unknown) => unknown): void => {
    const segments = segmentsOf(path);
    const parent = valueAt(copy, segments.slice(0, -1)) as Record<string, unknown> | undefined;
    const name = segments.at(-1) ?? "";
    if (parent?.[name] !== undefined) parent[name] = to(parent[name]);
  };
  for (const { path, takes } of settings) {
    if (takes.type === "path") change(path, (value) => relativeTo(value, cwd));
    if (takes.type === "list" && takes.of === "path") {
      change(path, (value) => (value as readonly string[]).map((each) => relativeTo(each, cwd)));
    }
  }
  for (const path of loaded.secrets) change(path, () => hidden);
  return copy;
}

/** Makes a path below the folder relative to it. */
function relativeTo(path: unknown, cwd: string): unknown {
  return typeof path === "string" && path.startsWith(`${cwd}${sep}`) ? relative(cwd, path) : path;
}
