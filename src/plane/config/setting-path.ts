/** Way to a value: names, and positions in lists. */
export type ConfigPath = readonly (string | number)[];

/**
 * Way to a setting: names, `*` for any name, `[]` for any item of a list, and at the end `**` for anything below.
 *
 * @example
 * patternOf("reconciliation.strategies[].conditions[].type"); // ["reconciliation", "strategies", "[]", "conditions", "[]", "type"]
 */
export function patternOf(path: string): readonly string[] {
  return path.replaceAll("[]", ".[]").split(".");
}

/**
 * Formats a path.
 *
 * @example
 * pathText(["plugins", "installed", 0, "config", "a.b"]); // plugins.installed[0].config["a.b"]
 */
export function pathText(path: ConfigPath): string {
  return path.reduce<string>((text, step, index) => {
    if (typeof step === "number") return `${text}[${step}]`;
    // Names of controllers have dots, and nothing else is called like what follows them.
    if (path[0] !== "controllers" && !/^[\w/-]+$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return index === 0 ? step : `${text}.${step}`;
  }, "");
}

/** Value at a path of a tree of maps and lists; undefined if there is none. */
export function valueAt(tree: unknown, path: ConfigPath): unknown {
  let value = tree;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
  }
  return value;
}

/** Sets a value at a path; maps and lists on the way are created. */
export function putAt(tree: Record<string, unknown>, path: ConfigPath, value: unknown): void {
  let parent = tree as Record<string | number, unknown>;
  for (const [index, step] of path.slice(0, -1).entries()) {
    if (!Object.hasOwn(parent, step)) define(parent, step, typeof path[index + 1] === "number" ? [] : {});
    parent = parent[step] as Record<string | number, unknown>;
  }
  const last = path.at(-1);
  if (last !== undefined) define(parent, last, value);
}

/** Sets a property, also one that is called `__proto__`. */
function define(parent: Record<string | number, unknown>, step: string | number, value: unknown): void {
  Object.defineProperty(parent, step, { value, writable: true, enumerable: true, configurable: true });
}
