import type { Config } from "../../plane/config/config.js";
import { createLog } from "../../runtime/log/create-log.js";
import type { Log, LogLevel } from "../../runtime/log/log.js";
import type { Terminal } from "../command/command.js";

/** Fields of log lines about runs and findings, which {@link followForPeople} prints itself. */
const runFields = ["outcome", "failures", "finding"];

/** Log of a configuration: JSON on standard output, or text on standard error. */
export function logOf(
  { level, format }: Config["log"],
  { stdout, stderr, colors }: Pick<Terminal, "stdout" | "stderr" | "colors">,
): Log {
  if (format === "json") {
    return createLog({ level, destination: { write: (text) => void stdout.write(text) } });
  }
  return logForPeople(format === "none" ? "error" : level, { colors, write: (text) => stderr.write(text) });
}

/** Text log without runs, which are printed separately; complete with level debug. */
function logForPeople(
  level: LogLevel,
  { colors, write }: { readonly colors: boolean; readonly write: (text: string) => unknown },
): Log {
  const log = createLog({
    level,
    pretty: { color: colors },
    destination: { write: (text) => void write(text) },
  });
  return level === "debug" ? log : withoutRuns(log);
}

/** Logs of runs, schedules and debugged components from level info, those of the plane from warn. */
function withoutRuns(log: Log, isRun = false): Log {
  const isOther = (fields: object): boolean => !runFields.some((name) => name in fields);
  return {
    debug: (fields, text) => log.debug(fields, text),
    info: (fields, text) =>
      void ((isRun || "component" in fields) && isOther(fields) && log.info(fields, text)),
    warn: (fields, text) => void (isOther(fields) && log.warn(fields, text)),
    error: (fields, text) => void (isOther(fields) && log.error(fields, text)),
    child: (fields) => withoutRuns(log.child(fields), true),
    isLevelEnabled: (level) => log.isLevelEnabled?.(level) ?? true,
  };
}
