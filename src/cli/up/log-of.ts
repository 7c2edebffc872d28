import type { Config } from "../../plane/config/config.js";
import { createLog } from "../../runtime/log/create-log.js";
import type { Log, LogLevel } from "../../runtime/log/log.js";
import type { Terminal } from "../command.js";

/** Fields of lines about what {@link followForPeople} tells in its own way: runs and findings. */
const told = ["outcome", "failures", "finding"];

/** The log that a configuration asks for: JSON on standard output, or lines for people on standard error. */
export function logOf(
  { level, format }: Config["log"],
  { stdout, stderr, colors }: Pick<Terminal, "stdout" | "stderr" | "colors">,
): Log {
  if (format === "json") {
    return createLog({ level, destination: { write: (text) => void stdout.write(text) } });
  }
  return logForPeople(format === "none" ? "error" : level, { colors, write: (text) => stderr.write(text) });
}

/** A log for people who are told of runs already; with level debug it has everything. */
function logForPeople(
  level: LogLevel,
  { colors, write }: { readonly colors: boolean; readonly write: (text: string) => unknown },
): Log {
  const log = createLog({
    level,
    pretty: { color: colors },
    destination: { write: (text) => void write(text) },
  });
  return level === "debug" ? log : withoutTold(log);
}

/** What runs and schedules say themselves is heard from info on; what the parts of the plane say, from warn on. */
function withoutTold(log: Log, isRun = false): Log {
  const isNews = (fields: object): boolean => !told.some((name) => name in fields);
  return {
    debug: (fields, text) => log.debug(fields, text),
    info: (fields, text) => void (isRun && isNews(fields) && log.info(fields, text)),
    warn: (fields, text) => void (isNews(fields) && log.warn(fields, text)),
    error: (fields, text) => void (isNews(fields) && log.error(fields, text)),
    child: (fields) => withoutTold(log.child(fields), true),
    isLevelEnabled: (level) => log.isLevelEnabled?.(level) ?? true,
  };
}
