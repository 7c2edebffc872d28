import { createHash } from "node:crypto";
import { userInfo } from "node:os";
import { quantity } from "fettle";
import type { Launch } from "./driver/driver.js";
import { launchProblem } from "./driver/launch-check.js";
import type { ProcessObject, ProcessSpec } from "./kinds.js";

/** Values of ConfigMaps and Secrets in the namespace of the process. */
export interface References {
  configMap(name: string, key: string): string | undefined;
  secret(name: string, key: string): string | undefined;
}

/** A launch cannot be put together now, or never. */
export class LaunchError extends Error {
  override readonly name = "LaunchError";
  readonly reason: "MissingReference" | "InvalidSpec";

  constructor(reason: LaunchError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Puts together what is executed: the environment with values of ConfigMaps and Secrets, `$(NAME)` in the command replaced,
 * limits in numbers.
 *
 * @throws {LaunchError}
 */
export function launchOf(
  process: ProcessObject,
  ports: Readonly<Record<string, number>>,
  references: References,
): Launch {
  const { spec } = process;
  const notify = [spec.startupProbe, spec.readinessProbe].find(
    (probe) => probe?.notify !== undefined,
  )?.notify;
  const env = environmentOf(process, ports, references, notify?.descriptor);
  const [program = "", ...rest] = [...spec.command, ...spec.args].map((word) => expand(word, env));
  const launch: Launch = {
    argv: [program, ...rest],
    env,
    workingDir: spec.workingDir,
    user: spec.user,
    group: spec.group,
    limits: limitsOf(spec),
    logs: { maxBytes: bytesOf(spec.logs.maxSize, "spec.logs.maxSize"), maxFiles: spec.logs.maxFiles },
    notifyDescriptor: notify?.descriptor,
    history: spec.logs.history,
  };
  // Its message names the field and not the value, which may be secret.
  const problem = launchProblem(launch);
  if (problem !== undefined) throw new LaunchError("InvalidSpec", problem.message);
  return launch;
}

/** Hash of a launch: an attempt with another one has to be replaced. */
export function hashOf(launch: Launch): string {
  const { history: _, ...rest } = launch;
  return createHash("sha256").update(JSON.stringify(rest, sortKeys)).digest("hex").slice(0, 16);
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Variables that every process gets from the environment of Fettle; nothing else is inherited, since it may be secret. */
const inherited = ["PATH", "LANG", "LC_ALL", "TZ"];
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function environmentOf(
  { spec, metadata }: ProcessObject,
  ports: Readonly<Record<string, number>>,
  references: References,
  notifyDescriptor: number | undefined,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = { PATH: defaultPath };
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  if (spec.user === undefined) env["HOME"] = userInfo().homedir;
  env["FETTLE_PROCESS"] = `${metadata.namespace}/${metadata.name}`;
  if (notifyDescriptor !== undefined) env["NOTIFY_FD"] = String(notifyDescriptor);
  for (const [index, { name }] of spec.ports.entries()) {
    const number = String(ports[name] ?? 0);
    if (index === 0) env["PORT"] = number;
    env[`PORT_${name.toUpperCase().replaceAll("-", "_")}`] = number;
  }
  for (const { name, value, valueFrom } of spec.env) {
    const resolved =
      valueFrom === undefined ? expand(value ?? "", env) : referenced(name, valueFrom, references);
    if (resolved !== undefined) env[name] = resolved;
  }
  return env;
}

function referenced(
  variable: string,
  { configMapKeyRef, secretKeyRef }: NonNullable<ProcessSpec["env"][number]["valueFrom"]>,
  references: References,
): string | undefined {
  const ref = configMapKeyRef ?? secretKeyRef;
  if (ref === undefined) return undefined;
  const { name, key, optional } = ref;
  const [kind, value] =
    configMapKeyRef === undefined
      ? ["Secret", references.secret(name, key)]
      : ["ConfigMap", references.configMap(name, key)];
  if (value !== undefined || optional) return value;
  throw new LaunchError(
    "MissingReference",
    `variable ${variable} needs the key ${key} of ${kind} ${name}, which does not exist`,
  );
}

/**
 * Replaces `$(NAME)` by the variable of that name, as Kubernetes does: `$$(NAME)` is the text `$(NAME)`, and a name that is not
 * defined stays as it is. Unlike there, `$$` alone stays too, since scripts use it.
 */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$?\$\(([^)\s]+)\)/g, (found, name: string) => {
    if (found.startsWith("$$")) return found.slice(1);
    return Object.hasOwn(env, name) ? (env[name] ?? found) : found;
  });
}

function limitsOf({ limits: { memory, cpu, pids } }: ProcessSpec): Launch["limits"] {
  return {
    ...(memory !== undefined && { memoryBytes: bytesOf(memory, "spec.limits.memory") }),
    ...(cpu !== undefined && { cpus: positive(quantity(cpu), "spec.limits.cpu", cpu) }),
    ...(pids !== undefined && { pids }),
  };
}

function bytesOf(size: number | string, field: string): number {
  return Math.ceil(positive(quantity(size), field, size));
}

function positive(value: number, field: string, written: number | string): number {
  if (value > 0) return value;
  throw new LaunchError("InvalidSpec", `${field} is ${written}: it has to be more than 0`);
}
