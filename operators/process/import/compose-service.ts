import {
  notInContainers,
  restartInterval,
  type ComposeContext,
  type ComposeDependency,
  type ComposeEntry,
} from "./compose-entry.js";
import { servicePorts } from "./compose-ports.js";
import { readDotenv } from "./dotenv.js";
import { problemText } from "./import-problem.js";
import { compact, envOf, unlessDefault, type ProcessInput } from "./manifest.js";
import { shellWords, splitWords } from "./shell-command.js";
import {
  cpusOf,
  durationOf,
  environmentOf,
  folderOf,
  literalWords,
  memoryOf,
  pidsOf,
  signalOf,
} from "./values.js";
import type { YamlFields, YamlValue } from "./yaml-reader.js";

/** Keys of Compose about containers. */
const containerKeys = new Set(
  `annotations attach blkio_config build cap_add cap_drop cgroup cgroup_parent configs container_name cpu_count cpu_percent
  cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpuset credential_spec device_cgroup_rules devices dns dns_opt
  dns_search domainname expose external_links extra_hosts gpus group_add hostname image init ipc isolation links mac_address
  mem_reservation mem_swappiness memswap_limit network_mode networks oom_kill_disable oom_score_adj pid platform privileged
  pull_policy read_only runtime secrets security_opt shm_size stdin_open storage_opt sysctls tmpfs tty ulimits userns_mode uts
  volumes volumes_from`.split(/\s+/),
);
/** Keys that people expect to work, with the reason why they do not. */
const otherReasons: Readonly<Record<string, string>> = {
  extends: "copy the other service here",
  profiles: "every service is imported",
  logging: "the output of processes is kept by Fettle",
  labels: "labels of containers are not labels of objects",
};

function reasonFor(name: string): string {
  if (containerKeys.has(name)) return notInContainers;
  return otherReasons[name] ?? "it is not known";
}

/** Converts a service of Docker Compose. Undefined if it is left out, or invalid. */
export function composeService(value: YamlValue, context: ComposeContext): ComposeEntry | undefined {
  const fields = value.fields();
  const command = commandOf(fields);
  const deploy = fields.get("deploy").fields();
  const replicas = deploy.get("replicas").number() ?? fields.get("scale").number() ?? 1;
  const [user, group] = userOf(fields.get("user"));
  const readinessProbe = healthcheckOf(fields.get("healthcheck"));
  const dependencies = dependenciesOf(fields.get("depends_on"));
  const spec: ProcessInput = {
    command: command?.command ?? [],
    ...(command !== undefined && { args: command.args }),
    env: envOf(
      new Map([
        ...context.shared,
        ...envFilesOf(fields.get("env_file"), context),
        ...environmentOf(fields.get("environment")),
      ]),
    ),
    user,
    group,
    workingDir: folderOf(fields.get("working_dir"), context.folder),
    ports: servicePorts(fields.get("ports"), replicas),
    limits: limitsOf(fields, deploy),
    restart: restartOf(fields.get("restart")),
    stop: compact({
      signal: nonDefaultSignal(fields.get("stop_signal")),
      grace: unlessDefault(durationOf(fields.get("stop_grace_period")), "10s"),
    }),
    readinessProbe,
  };
  const isSkipped = command === undefined;
  // Other keys of a service that is left out do not matter.
  if (!isSkipped) {
    deploy.warnUnread(() => "it is not supported");
    fields.warnUnread(reasonFor);
    return { spec, replicas, dependencies, hasReadiness: readinessProbe !== undefined };
  }
  value.warn(
    fields.has("image") || fields.has("build")
      ? "is left out: its image has the command, and processes run on this machine; add a command to import it"
      : "is left out: it has no command",
  );
  return undefined;
}

/** Entrypoint and command are not run by a shell in Compose: a text is split into words. */
function commandOf(fields: YamlFields): { readonly command: string[]; readonly args?: string[] } | undefined {
  const entrypoint = wordsOf(fields.get("entrypoint"));
  const command = wordsOf(fields.get("command"));
  if (entrypoint.length > 0) return { command: entrypoint, ...(command.length > 0 && { args: command }) };
  return command.length > 0 ? { command } : undefined;
}

function wordsOf(value: YamlValue): string[] {
  if (value.isMissing) return [];
  if (value.isList) return literalWords(value.texts());
  const text = value.text() ?? "";
  const words = splitWords(text);
  if (words === undefined) {
    value.fail("has a quote that is not closed");
    return [];
  }
  const operator = words.find((word) => /^(\||\|\||&|&&|;|<|>|>>|2>&1)$/.test(word));
  if (operator !== undefined) {
    value.warn(
      `passes ${operator} to the program, because no shell runs it: use ["sh", "-c", "…"] if one should`,
    );
  }
  return literalWords(words);
}

function userOf(value: YamlValue): readonly [string?, string?] {
  const text = value.text();
  if (text === undefined || text === "") return [];
  const [user = "", group] = text.split(":");
  if (user === "") return value.fail(`is ${JSON.stringify(text)}: use a user, or user:group`) ?? [];
  return group === undefined || group === "" ? [user] : [user, group];
}

function envFilesOf(value: YamlValue, { readFile }: ComposeContext): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const item of value.isList ? value.items() : [value]) {
    if (item.isMissing) continue;
    const fields = item.isMap ? item.fields() : undefined;
    const path = (fields?.get("path") ?? item).text();
    const isRequired = fields?.get("required").boolean() ?? true;
    fields?.warnUnread(() => "it is not supported");
    if (path === undefined) continue;
    const text = readFile?.(path);
    if (text === undefined) {
      if (isRequired) item.fail(`names the file ${path}, which does not exist or cannot be read`);
      continue;
    }
    const { variables: found, problems } = readDotenv(text);
    for (const problem of problems) item.fail(`cannot be read: ${problemText({ ...problem, file: path })}`);
    for (const [name, each] of found) variables.set(name, each);
  }
  return variables;
}

const conditions = {
  service_started: "Started",
  service_healthy: "Ready",
  service_completed_successfully: "Completed",
} as const;

function dependenciesOf(value: YamlValue): readonly ComposeDependency[] {
  if (value.isList) {
    return value.items().flatMap((item) => {
      const name = item.text();
      return name === undefined
        ? []
        : [{ name, condition: "Started", isRequired: true, value: item } as const];
    });
  }
  return value
    .fields()
    .all()
    .map(([name, each]) => {
      const fields = each.fields();
      const condition = fields.get("condition").choice(conditions) ?? "Started";
      const isRequired = fields.get("required").boolean() ?? true;
      fields.warnUnread(() => "it is not supported");
      return { name, condition, isRequired, value: each };
    });
}

function restartOf(value: YamlValue): ProcessInput["restart"] {
  // Compose restarts no service by default; a Process is restarted.
  const text = value.text() ?? "no";
  const [, maximum] = /^on-failure:(\d+)$/.exec(text) ?? [];
  if (maximum !== undefined) {
    const burst = Number(maximum);
    return { policy: "OnFailure", ...(burst > 0 && { startLimit: { burst, interval: restartInterval } }) };
  }
  switch (text) {
    case "no":
    case "false":
      return { policy: "Never" };
    case "on-failure":
      return { policy: "OnFailure" };
    case "always":
    case "unless-stopped":
      return {};
    default:
      return value.fail(
        `is ${JSON.stringify(text)}: use no, always, on-failure, on-failure:3 or unless-stopped`,
      );
  }
}

function nonDefaultSignal(value: YamlValue): ReturnType<typeof signalOf> {
  const signal = signalOf(value);
  return signal === "SIGTERM" ? undefined : signal;
}

/**
 * Health checks decide whether a service is ready, and restart nothing, so that they become readiness probes. `start_period` needs no
 * counterpart: a process is not ready before the first success anyway.
 */
function healthcheckOf(value: YamlValue): ProcessInput["readinessProbe"] {
  if (value.isMissing) return undefined;
  const fields = value.fields();
  const isDisabled = fields.get("disable").boolean() ?? false;
  const test = fields.get("test");
  const command = isDisabled ? undefined : testOf(test);
  durationOf(fields.get("start_period"));
  // Defaults of Compose.
  const period = durationOf(fields.get("interval")) ?? "30s";
  const timeout = durationOf(fields.get("timeout")) ?? "30s";
  const retries = fields.get("retries").number({ min: 1 }) ?? 3;
  fields.warnUnread(() => "it is not supported");
  if (test.isMissing && !isDisabled) value.warn("has no effect: it has no test, and images are not used");
  if (command === undefined) return undefined;
  return compact({
    exec: { command: [...command] },
    period: unlessDefault(period, "10s"),
    timeout: unlessDefault(timeout, "1s"),
    failureThreshold: retries === 3 ? undefined : retries,
  });
}

function testOf(value: YamlValue): readonly string[] | undefined {
  if (value.isMissing) return undefined;
  if (!value.isList) return nonEmpty(value, shellWords(value.text() ?? ""));
  const [form, ...words] = value.texts();
  switch (form) {
    case "NONE":
      return undefined;
    case "CMD":
      return nonEmpty(value, literalWords(words));
    case "CMD-SHELL":
      return nonEmpty(value, shellWords(words.join(" ")));
    default:
      return value.fail(`begins with ${JSON.stringify(form ?? "")}: use CMD, CMD-SHELL or NONE`);
  }
}

function nonEmpty(value: YamlValue, words: readonly string[]): readonly string[] | undefined {
  return words.length > 0 ? words : value.fail("is empty: add a command");
}

function limitsOf(fields: YamlFields, deploy: YamlFields): ProcessInput["limits"] {
  const resources = deploy.get("resources").fields();
  const limits = resources.get("limits").fields();
  const result = compact({
    memory: memoryOf(limits.get("memory")) ?? memoryOf(fields.get("mem_limit")),
    cpu: cpusOf(limits.get("cpus")) ?? cpusOf(fields.get("cpus")),
    pids: pidsOf(limits.get("pids")) ?? pidsOf(fields.get("pids_limit")),
  });
  limits.warnUnread(() => "it is not supported");
  resources.warnUnread(() => "nothing is reserved for processes");
  return result;
}
