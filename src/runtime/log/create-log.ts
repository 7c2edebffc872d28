import { createRequire } from "node:module";
import type { DestinationStream, Logger, LoggerOptions, pino as Pino } from "pino";
import type { Log, LogLevel } from "./log.js";
import { logLine } from "./log-line.js";
import { withoutSecrets } from "./secrets.js";

export interface LogOptions {
  /** Lowest level that is written. Default info. */
  readonly level?: LogLevel | undefined;
  /** File, file descriptor, or stream. Default standard error. */
  readonly destination?: string | number | DestinationStream | undefined;
  /** Human-readable lines instead of JSON, optionally with colors. Default false. */
  readonly pretty?: boolean | { readonly color: boolean } | undefined;
}

const order: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/**
 * Creates a logger of JSON lines (pino's), or of human-readable lines. The contents of Secrets, and values of fields that are named like
 * secrets, are not written.
 *
 * @example
 * const controllers = startControllers({ controllers: [sites], client, log: createLog({ level: "debug" }) });
 */
export function createLog(options: LogOptions = {}): Log {
  const { level = "info" } = options;
  const least = order.indexOf(level);
  if (least < 0) throw new RangeError(`unknown log level ${level}: use one of ${order.join(", ")}`);
  let made: Logger | undefined;
  // pino takes long to load, so it is loaded with the first line.
  return logOver(
    () => (made ??= pinoLog(options, level)),
    (at) => order.indexOf(at) >= least,
  );
}

function logOver(log: () => Logger, writes: (level: LogLevel) => boolean): Log {
  return {
    debug: (fields, text) => void (writes("debug") && log().debug(fields, text)),
    info: (fields, text) => void (writes("info") && log().info(fields, text)),
    warn: (fields, text) => void (writes("warn") && log().warn(fields, text)),
    error: (fields, text) => log().error(fields, text),
    child(fields) {
      let made: Logger | undefined;
      // pino does not apply formatters to the fields of a child logger.
      return logOver(() => (made ??= log().child(withoutSecrets(fields) as Record<string, unknown>)), writes);
    },
    isLevelEnabled: writes,
  };
}

function pinoLog({ destination = 2, pretty = false }: LogOptions, level: LogLevel): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as { readonly pino: typeof Pino };
  // Synchronous, so that the last lines before a crash are not lost.
  const raw =
    typeof destination === "object" ? destination : pino.destination({ dest: destination, sync: true });
  const color = typeof pretty === "object" && pretty.color;
  const out: DestinationStream =
    pretty === false ? raw : { write: (line: string) => raw.write(logLine(line, color)) };
  const settings: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => withoutSecrets(fields) as Record<string, unknown>,
    },
    serializers: { err: describeError, error: describeError },
  };
  return pino(settings, out);
}

/** Fields of an error that are logged; others may contain requests with their headers. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "object" ? withoutSecrets(error) : error;
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...((typeof code === "string" || typeof code === "number") && { code }),
    ...(depth === 0 && { stack: error.stack }),
    ...(error.cause !== undefined && depth < 4 && { cause: describeError(error.cause, depth + 1) }),
  };
}
