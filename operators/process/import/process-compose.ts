import {
  restartInterval,
  type ComposeContext,
  type ComposeDependency,
  type ComposeEntry,
} from "./compose-entry.js";
import { compact, envOf, unlessDefault, type ProcessInput } from "./manifest.js";
import { shellCommand, shellWords } from "./shell-command.js";
import { environmentOf, folderOf, literalWords, secondsOf, signalOf } from "./values.js";
import type { YamlFields, YamlValue } from "./yaml-reader.js";

const notSupported = () => "it is not supported";

/** Converts a process of process-compose. Undefined if it is invalid. */
export function composeProcess(value: YamlValue, context: ComposeContext): ComposeEntry | undefined {
  const fields = value.fields();
  const command = commandOf(fields);
  const [readinessProbe, logLine] = [probeOf(fields.get("readiness_probe")), fields.get("ready_log_line")];
  const logProbe = logLine.isMissing ? undefined : logProbeOf(logLine.text() ?? "");
  if (readinessProbe !== undefined && logProbe !== undefined) {
    logLine.warn("is ignored: there is a readiness_probe");
  }
  const readiness = readinessProbe ?? logProbe;
  const dependencies = dependenciesOf(fields.get("depends_on"));
  const environment = environmentOf(fields.get("environment"));
  const spec: ProcessInput = {
    command: command?.command ?? [],
    env: envOf(new Map([...context.shared, ...environment, ...(command?.env ?? [])])),
    workingDir: folderOf(fields.get("working_dir"), context.folder),
    restart: availabilityOf(fields.get("availability")),
    stop: shutdownOf(fields.get("shutdown")),
    readinessProbe: readiness,
    livenessProbe: probeOf(fields.get("liveness_probe")),
    ...(fields.get("disabled").boolean() === true && { suspend: true }),
    schedule: scheduleOf(fields.get("schedule")),
  };
  const replicas = fields.get("replicas").number({ min: 1 }) ?? 1;
  const description = fields.get("description").text();
  fields.warnUnread(notSupported);
  if (replicas > 1 && spec.schedule !== undefined) {
    return value.fail("has a schedule and several replicas: a ProcessSet has no schedule");
  }
  if (command === undefined) return value.fail("has no command");
  return { spec, replicas, description, dependencies, hasReadiness: readiness !== undefined };
}

/** The command is a line for a shell, the entrypoint a list of words. As in process-compose, the command wins. */
function commandOf(
  fields: YamlFields,
): { readonly command: string[]; readonly env?: ReadonlyMap<string, string> } | undefined {
  const line = fields.get("command").text();
  const entrypoint = fields.get("entrypoint");
  if (line !== undefined && line.trim() !== "") {
    if (!entrypoint.isMissing) entrypoint.warn("is ignored: there is a command");
    return shellCommand(line.trim());
  }
  const words = entrypoint.isMissing ? [] : literalWords(entrypoint.texts());
  return words.length > 0 ? { command: words } : undefined;
}

const conditions = {
  process_started: "Started",
  process_healthy: "Ready",
  process_log_ready: "Ready",
  process_completed: "Completed",
  process_completed_successfully: "Completed",
} as const;

function dependenciesOf(value: YamlValue): readonly ComposeDependency[] {
  return value
    .fields()
    .all()
    .map(([name, each]) => {
      const fields = each.fields();
      const condition = fields.get("condition");
      const chosen = condition.choice(conditions) ?? "Started";
      if (condition.text() === "process_completed") {
        condition.warn("waits until it has ended successfully: an end with a failure is not enough here");
      }
      fields.warnUnread(notSupported);
      return { name, condition: chosen, isRequired: true, value: each };
    });
}

function availabilityOf(value: YamlValue): ProcessInput["restart"] {
  const fields = value.fields();
  const restart = fields.get("restart");
  // process-compose restarts nothing by default.
  const policy =
    restart.choice({
      always: "Always",
      on_failure: "OnFailure",
      exit_on_failure: "Never",
      no: "Never",
      false: "Never",
    } as const) ?? "Never";
  if (restart.text() === "exit_on_failure") {
    restart.warn("does not restart the process, but does not end the others either");
  }
  const backoff = secondsOf(fields.get("backoff_seconds"), { min: 1 });
  const burst = fields.get("max_restarts").number() ?? 0;
  fields.warnUnread(notSupported);
  return compact({
    policy: policy === "Always" ? undefined : policy,
    // It does not grow in process-compose.
    backoff: compact({ initial: unlessDefault(backoff, "1s"), max: unlessDefault(backoff, "5m") }),
    startLimit: burst > 0 ? { burst, interval: restartInterval } : undefined,
  });
}

function shutdownOf(value: YamlValue): ProcessInput["stop"] {
  const fields = value.fields();
  const signal = signalOf(fields.get("signal"));
  const grace = secondsOf(fields.get("timeout_seconds"));
  fields.warnUnread(notSupported);
  return compact({ signal: signal === "SIGTERM" ? undefined : signal, grace: unlessDefault(grace, "10s") });
}

/** The defaults of process-compose are those of a Process. */
function probeOf(value: YamlValue) {
  if (value.isMissing) return undefined;
  const fields = value.fields();
  const [http, exec] = [fields.get("http_get"), fields.get("exec")];
  const timing = {
    initialDelay: unlessDefault(secondsOf(fields.get("initial_delay_seconds")), "0s"),
    period: unlessDefault(secondsOf(fields.get("period_seconds"), { min: 1 }), "10s"),
    timeout: unlessDefault(secondsOf(fields.get("timeout_seconds"), { min: 1 }), "1s"),
    successThreshold: unlessNumber(fields.get("success_threshold"), 1),
    failureThreshold: unlessNumber(fields.get("failure_threshold"), 3),
  };
  fields.warnUnread(notSupported);
  if (http.isMissing === exec.isMissing) return value.fail("must have either http_get or exec");
  return compact({
    http: http.isMissing ? undefined : httpOf(http),
    exec: exec.isMissing ? undefined : execOf(exec),
    ...timing,
  });
}

function unlessNumber(value: YamlValue, defaultValue: number): number | undefined {
  const number = value.number({ min: 1 });
  return number === defaultValue ? undefined : number;
}

function httpOf(value: YamlValue) {
  const fields = value.fields();
  const port = portOf(fields.get("port")) ?? portOf(fields.get("num_port"));
  const host = fields.get("host").text();
  const path = fields.get("path").text() ?? "/";
  const scheme = fields.get("scheme");
  if ((scheme.text() ?? "http").toLowerCase() !== "http") scheme.fail("must be http: probes do not use TLS");
  const headers = Object.fromEntries(
    fields
      .get("headers")
      .fields()
      .all()
      .map(([name, each]) => [name, each.text() ?? ""]),
  );
  fields.warnUnread((name) =>
    name === "status_code" ? "any status from 200 to 399 is a success" : notSupported(),
  );
  if (port === undefined) return value.fail("has no port");
  return compact({
    port,
    host: host === "127.0.0.1" || host === "" ? undefined : host,
    path: path === "/" || path === "" ? undefined : path.startsWith("/") ? path : `/${path}`,
    headers,
  });
}

function portOf(value: YamlValue): number | undefined {
  const port = value.number({ min: 1 });
  return port !== undefined && port > 65_535 ? value.fail(`is ${port}: use a port from 1 to 65535`) : port;
}

function execOf(value: YamlValue) {
  const fields = value.fields();
  const line = fields.get("command").text() ?? "";
  fields.warnUnread((name) =>
    name === "working_dir" ? "probes run in the folder of the process" : notSupported(),
  );
  const command = shellWords(line);
  return command.length === 0 ? value.fail("has no command") : { command: [...command] };
}

/** The line that process-compose waits for is a plain text, and a pattern here. */
function logProbeOf(text: string) {
  return { log: { pattern: text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`) } };
}

function scheduleOf(value: YamlValue): ProcessInput["schedule"] {
  if (value.isMissing) return undefined;
  const fields = value.fields();
  const cron = fields.get("cron").text();
  const timeZone = fields.get("timezone").text();
  fields.warnUnread(notSupported);
  if (cron === undefined) return value.fail("has no cron expression");
  if (timeZone === undefined) value.warn("is in UTC, because it has no timezone");
  return compact({ cron, timeZone: timeZone === "UTC" ? undefined : timeZone });
}
