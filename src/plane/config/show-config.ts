import { relative, sep } from "node:path";
import { isScalar, isSeq, parseDocument, stringify } from "yaml";
import type { LoadedConfig } from "./config.js";
import { originText, stepsOf } from "./load-config.js";
import { settings } from "./settings.js";

/** What stands where a secret is. */
const hidden = "[hidden]";

/** A value that holds, and where it was said. */
export interface ShownSetting {
  /** `listen.port` */
  readonly path: string;
  readonly value: unknown;
  /** `default`, `fettle.yaml:3`, `$FETTLE_PORT` or `--port` */
  readonly from: string;
}

/** All values that hold, without secrets; paths as seen from a folder. */
export function shownSettings(loaded: LoadedConfig, cwd: string): readonly ShownSetting[] {
  const config = configObject(loaded, cwd);
  return Array.from(loaded.origins, ([path, origin]) => ({
    path,
    value: valueAt(config, stepsOf(path)),
    from: originText(origin),
  }));
}

function valueAt(config: unknown, steps: readonly string[]): unknown {
  let value = config;
  for (const step of steps) value = (value as Record<string, unknown> | undefined)?.[step];
  return value;
}

/** As a `fettle.yaml` that says all of it, each value with its origin behind it. */
export function configYaml(loaded: LoadedConfig, cwd: string): string {
  const document = parseDocument(stringify(configObject(loaded, cwd)));
  for (const { path, from } of shownSettings(loaded, cwd)) {
    const node: unknown = document.getIn(stepsOf(path), true);
    if (isScalar(node)) node.comment = ` ${from}`;
    else if (isSeq(node) && node.items.length === 0) node.comment = ` ${from}`;
    else if (isSeq(node)) node.commentBefore = ` ${from}`;
  }
  return document.toString({ lineWidth: 0 });
}

/** As data, without secrets. */
export function configObject(loaded: LoadedConfig, cwd: string): Readonly<Record<string, unknown>> {
  const copy = structuredClone(loaded.config) as unknown as Record<string, unknown>;
  const change = (path: string, to: (value: unknown) => unknown): void => {
    const steps = stepsOf(path);
    const parent = valueAt(copy, steps.slice(0, -1)) as Record<string, unknown> | undefined;
    const name = steps.at(-1) ?? "";
    if (parent?.[name] !== undefined) parent[name] = to(parent[name]);
  };
  for (const { path, takes } of settings) {
    if (takes.type === "path") change(path, (value) => fromHere(value, cwd));
    if (takes.type === "list" && takes.of === "path") {
      change(path, (value) => (value as readonly string[]).map((each) => fromHere(each, cwd)));
    }
  }
  for (const path of loaded.secrets) change(path, () => hidden);
  return copy;
}

/** A path below the folder as it is written there. */
function fromHere(path: unknown, cwd: string): unknown {
  return typeof path === "string" && path.startsWith(`${cwd}${sep}`) ? relative(cwd, path) : path;
}
