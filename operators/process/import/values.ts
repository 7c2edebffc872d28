import { isAbsolute, join } from "node:path/posix";
import { duration, quantity, type Duration } from "fettle";
import { escapeReferences, type ProcessInput } from "./manifest.js";
import { listed, type YamlValue } from "./yaml-reader.js";

type DurationText = Exclude<Duration, number>;
type SignalName = NonNullable<NonNullable<ProcessInput["stop"]>["signal"]>;

/** Environment as a map, or as a list of `NAME=value`. A name without a value is taken from the given variables. */
export function environmentOf(value: YamlValue): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const add = (name: string, text: string | undefined, at: YamlValue) => {
    if (name === "" || name.includes("="))
      at.fail(`has an invalid name of a variable: ${JSON.stringify(name)}`);
    else if (text !== undefined) variables.set(name, text);
  };
  if (value.isList) {
    for (const item of value.items()) {
      const text = item.text() ?? "";
      const split = text.indexOf("=");
      if (split === -1) add(text, value.variable(text), item);
      else add(text.slice(0, split), text.slice(split + 1), item);
    }
    return variables;
  }
  for (const [name, each] of value.fields().all()) {
    add(name, each.isMissing ? value.variable(name) : each.text(), each);
  }
  return variables;
}

/** Duration with a unit, such as `1m30s`. */
export function durationOf(value: YamlValue): DurationText | undefined {
  const text = value.text();
  if (text === undefined) return undefined;
  try {
    if (/^([0-9]+(\.[0-9]+)?[a-z]+)+$/.test(text)) {
      duration(text);
      return text as DurationText;
    }
  } catch {
    // Reported below.
  }
  return value.fail(`is ${JSON.stringify(text)}: use a duration with a unit, such as 10s or 1m30s`);
}

/** Number of seconds, as a duration. */
export function secondsOf(value: YamlValue, { min = 0 } = {}): DurationText | undefined {
  const seconds = value.number({ min });
  return seconds === undefined ? undefined : `${seconds}s`;
}

/** Size as Docker writes it, where all units are powers of 1024: `512m` is `512Mi`. Undefined for 0, which is no limit. */
export function memoryOf(value: YamlValue): number | string | undefined {
  const text = value.text();
  if (text === undefined) return undefined;
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/i.exec(text) ?? [];
  if (number === undefined) {
    return value.fail(`is ${JSON.stringify(text)}: use a size such as 512m or 2g`);
  }
  if (Number(number) === 0) return undefined;
  if (unit === "") return Math.ceil(Number(number));
  return `${number}${unit.toUpperCase()}i`;
}

/** Number of processors. Undefined for 0, which is no limit. */
export function cpusOf(value: YamlValue): number | string | undefined {
  const cpus = value.number({ integer: false });
  if (cpus === undefined || cpus === 0) return undefined;
  const text = String(cpus);
  return Number.isInteger(cpus) ? cpus : quantity(text) > 0 ? text : undefined;
}

/** Number of processes. Undefined for 0 and -1, which are no limit. */
export function pidsOf(value: YamlValue): number | undefined {
  const pids = value.number({ min: -1 });
  return pids !== undefined && pids > 0 ? pids : undefined;
}

const signals: Readonly<Record<string, SignalName>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  9: "SIGKILL",
  10: "SIGUSR1",
  12: "SIGUSR2",
  15: "SIGTERM",
  28: "SIGWINCH",
};

/** Signal by name, with or without `SIG`, or number. */
export function signalOf(value: YamlValue): SignalName | undefined {
  const text = value.text()?.toUpperCase();
  if (text === undefined) return undefined;
  const found = Object.entries(signals).find(
    ([number, name]) => text === number || text === name || `SIG${text}` === name,
  );
  return found?.[1] ?? value.fail(`is ${JSON.stringify(text)}: use ${listed(Object.values(signals))}`);
}

/** Absolute path; a relative one is below the folder of the file. */
export function folderOf(value: YamlValue, base: string | undefined): string | undefined {
  const text = value.text();
  if (text === undefined) return base;
  if (isAbsolute(text)) return text;
  if (base === undefined) return value.fail(`is ${JSON.stringify(text)}: use an absolute path`);
  return join(base, text);
}

/** Lists without a shell: nothing in them is expanded. */
export function literalWords(words: readonly string[]): string[] {
  return words.map(escapeReferences);
}
