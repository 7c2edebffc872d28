import type { Log } from "fettle/runtime";

/** Levels of `RUST_LOG`, and the least level of lines that they allow here. */
const levels = {
  off: "off",
  error: "error",
  warn: "warn",
  info: "info",
  debug: "debug",
  trace: "debug",
} as const;

export type LeastLevel = (typeof levels)[keyof typeof levels];

/** Name by which directives of `RUST_LOG` select this operator. They may name the beginning of it, such as `wasmbed`. */
const logTarget = "wasmbed_k8s_controller";

/** Settings of the operator from environment variables. Undefined: the variable is not set. */
export interface EnvironmentSettings {
  /** `WASMBED_GATEWAY_URL`: HTTP API of a gateway. Without it, the gateway runs in this process. */
  readonly gatewayUrl: string | undefined;
  /** `WASMBED_GATEWAY_TOKEN_SECRET`: Secret with the `token` of that API. */
  readonly gatewayTokenSecret: string | undefined;
  /** `RUST_LOG`: least level of the operator's lines. Without it, the level of Fettle's log. */
  readonly logLevel: LeastLevel | undefined;
  /** `WASMBED_CONTROLLER_RECONCILIATION_INTERVAL`, in seconds there and in milliseconds here. Default: 30 s. */
  readonly reconciliationInterval: number;
  /** `WASMBED_CONTROLLER_MAX_RETRIES`: attempts to deploy to a device. Default: 3. */
  readonly maxRetries: number;
  /** `WASMBED_CONTROLLER_BACKOFF_MULTIPLIER`: factor between the delays of attempts. Default: 2. */
  readonly backoffMultiplier: number;
  /** `WASMBED_CONTROLLER_PORT`: port of health, readiness and metrics, 0 for any free one. */
  readonly statusPort: number | undefined;
  /** `WASMBED_CONTROLLER_HOST`. Default: 0.0.0.0 in a pod, where probes come from outside, and 127.0.0.1 elsewhere. */
  readonly statusHost: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the environment variables of the operator. An empty variable counts as not set.
 *
 * @throws {RangeError} with the name of a variable, its value, and the values that it may have.
 *
 * @example
 * const { gatewayUrl, maxRetries } = readEnvironment(process.env);
 */
export function readEnvironment(env: Environment): EnvironmentSettings {
  const prefix = "WASMBED_CONTROLLER_";
  const seconds = numberOf(env, `${prefix}RECONCILIATION_INTERVAL`, {
    min: 1,
    max: 86_400,
    unit: " of seconds",
  });
  return {
    gatewayUrl: urlOf(env, "WASMBED_GATEWAY_URL"),
    gatewayTokenSecret: textOf(env, "WASMBED_GATEWAY_TOKEN_SECRET"),
    logLevel: logLevelOf(env, "RUST_LOG"),
    reconciliationInterval: (seconds ?? 30) * 1000,
    maxRetries: numberOf(env, `${prefix}MAX_RETRIES`, { min: 1, max: 20, isWhole: true }) ?? 3,
    backoffMultiplier: numberOf(env, `${prefix}BACKOFF_MULTIPLIER`, { min: 1, max: 10 }) ?? 2,
    statusPort: numberOf(env, `${prefix}PORT`, { min: 0, max: 65_535, isWhole: true }),
    statusHost:
      textOf(env, `${prefix}HOST`) ??
      (textOf(env, "KUBERNETES_SERVICE_HOST") === undefined ? "127.0.0.1" : "0.0.0.0"),
  };
}

function textOf(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
  readonly unit?: string;
}

function numberOf(env: Environment, name: string, range: NumberRange): number | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  const { min, max, isWhole = false, unit = "" } = range;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  throw new RangeError(
    `${name}=${text} is invalid: it must be a ${isWhole ? "whole " : ""}number${unit} from ${min} to ${max}`,
  );
}

function urlOf(env: Environment, name: string): string | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new RangeError(
      `${name}=${text} is invalid: it must be an http or https URL, such as http://wasmbed-gateway:8080`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new RangeError(
      `${name} is invalid: it must not have a user or password; put the token into a Secret, and name that in WASMBED_GATEWAY_TOKEN_SECRET`,
    );
  }
  return text;
}

/**
 * Least level by directives such as `debug` or `info,wasmbed=debug`. The longest name that the operator's begins with decides, as in
 * Rust; directives for other programs have no effect.
 */
function logLevelOf(env: Environment, name: string): LeastLevel | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  let best: { readonly length: number; readonly level: LeastLevel } | undefined;
  for (const directive of text.split(",").map((each) => each.trim())) {
    if (directive === "") continue;
    const [, target, word] = /^([\w:-]+)(?:=(\w+))?$/.exec(directive) ?? [];
    const isLevel = word === undefined && target !== undefined && levelOf(target) !== undefined;
    const level = isLevel ? levelOf(target) : word === undefined ? "debug" : levelOf(word);
    if (target === undefined || level === undefined) {
      throw new RangeError(
        `${name}=${text} is invalid: ${JSON.stringify(directive)} must be a level (${Object.keys(levels).join(", ")}), or TARGET=LEVEL, such as wasmbed=debug`,
      );
    }
    const selected = isLevel ? "" : target.replaceAll("-", "_");
    if (logTarget.startsWith(selected) && selected.length >= (best?.length ?? 0))
      best = { length: selected.length, level };
  }
  return best?.level ?? "error";
}

function levelOf(word: string): LeastLevel | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(levels, name) ? levels[name as keyof typeof levels] : undefined;
}

const order = ["debug", "info", "warn", "error"] as const;

/**
 * Log of the operator at a level of its own. Lines below it are dropped. Lines that it allows and Fettle's log would not write, such as
 * those of `RUST_LOG=debug` while Fettle logs from `info` on, are written at the lowest level of that log, with the field `severity`.
 *
 * @example
 * const log = logFrom(context.log, readEnvironment(process.env).logLevel);
 */
export function logFrom(log: Log, least: LeastLevel | undefined): Log {
  if (least === undefined) return log;
  const first = least === "off" ? order.length : order.indexOf(least);
  const lowest = order.find((level) => log.isLevelEnabled?.(level) ?? true) ?? "error";
  const write =
    (level: (typeof order)[number]): Log["debug"] =>
    (fields, text) => {
      if (order.indexOf(level) < first) return;
      if (order.indexOf(level) >= order.indexOf(lowest)) log[level](fields, text);
      else log[lowest]({ ...fields, severity: level }, text);
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (fields) => logFrom(log.child(fields), least),
    isLevelEnabled: (level) => order.indexOf(level) >= first,
  };
}
