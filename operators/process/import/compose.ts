import {
  notInContainers,
  type ComposeContext,
  type ComposeDependency,
  type ComposeEntry,
} from "./compose-entry.js";
import { composeService } from "./compose-service.js";
import { ImportError, sortedByPosition } from "./import-problem.js";
import {
  compact,
  manifestOf,
  ObjectNames,
  objectName,
  type Imported,
  type ImportedObject,
  type ProcessInput,
} from "./manifest.js";
import { composeProcess } from "./process-compose.js";
import { environmentOf } from "./values.js";
import { YamlReader, type YamlValue } from "./yaml-reader.js";

export interface ComposeOptions {
  /** Variables for `${NAME}`. Default: none. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** Reads a file that `env_file` names; undefined if it does not exist. Default: no file exists. */
  readonly readFile?: ((path: string) => string | undefined) | undefined;
  /** Namespace of the objects. Default: none, so that they are created in the namespace of the client. */
  readonly namespace?: string | undefined;
  /** Absolute path of the folder in which the processes run, as a rule that of the file; relative paths are below it. */
  readonly folder?: string | undefined;
}

/** Top-level keys without an effect on processes that need no warning. */
const labels = ["version", "name"];
const containerKeys = new Set(["networks", "volumes", "secrets", "configs", "include"]);

/**
 * Converts a YAML file with `services` in the form of Docker Compose, `processes` in the form of process-compose, or both. What has no
 * meaning outside of containers is left out with a warning.
 *
 * @example
 * const { objects, warnings } = importCompose(text, { variables: process.env, folder: process.cwd() });
 *
 * @throws {ImportError} with all invalid values and their positions.
 */
export function importCompose(text: string, options: ComposeOptions = {}): Imported {
  const reader = new YamlReader(text, options.variables ?? {});
  const root = reader.root();
  const top = root.fields();
  const services = top.get("services");
  const processes = top.get("processes");
  const shared = environmentOf(top.get("environment"));
  const context: ComposeContext = { ...options, shared };
  const converted = [
    ...convertAll(services, (value) => composeService(value, context)),
    ...convertAll(processes, (value) => composeProcess(value, context)),
  ];
  top.skip(...labels);
  top.warnUnread((name) => (containerKeys.has(name) ? notInContainers : "it is not supported"));
  if (converted.length === 0 && reader.problems.length === 0) {
    root.fail("no services or processes: expected a map named services or processes");
  }

  const names = new ObjectNames();
  const entries = new Map<string, ComposeEntry | undefined>();
  const objects: ImportedObject[] = [];
  for (const { source, value, entry } of converted) {
    const { name, problem, change } = names.add(source, value.line);
    if (problem !== undefined) value.fail(`has an invalid name: ${problem}`);
    else if (change !== undefined) value.warn(`is renamed: ${change}`);
    if (problem === undefined) entries.set(name, entry);
  }
  for (const { source, entry } of converted) {
    if (entry === undefined) continue;
    const { namespace } = options;
    const { description } = entry;
    const metadata = {
      name: objectName(source),
      ...(namespace !== undefined && { namespace }),
      ...(description !== undefined && { annotations: { "kubernetes.io/description": description } }),
    };
    const dependsOn = entry.dependencies.flatMap((each) => dependsOnOf(each, entries));
    objects.push(manifestOf(metadata, { ...entry.spec, dependsOn }, entry.replicas));
  }
  if (reader.problems.length > 0) throw new ImportError(reader.problems);
  return { objects, warnings: sortedByPosition(reader.warnings) };
}

function convertAll(value: YamlValue, convert: (value: YamlValue) => ComposeEntry | undefined) {
  return value
    .fields()
    .all()
    .filter(([source]) => !source.startsWith("x-"))
    .map(([source, each]) => ({ source, value: each, entry: convert(each) }));
}

/** Dependencies on a service: on each of its replicas, since these are the processes. */
function dependsOnOf(
  { name, condition, isRequired, value }: ComposeDependency,
  entries: ReadonlyMap<string, ComposeEntry | undefined>,
): NonNullable<ProcessInput["dependsOn"]> {
  const target = objectName(name);
  const entry = entries.get(target);
  if (entry === undefined) {
    if (entries.has(target)) value.warn(`is ignored: ${name} is not imported`);
    else if (isRequired) value.fail(`names ${JSON.stringify(name)}, which is not defined in this file`);
    return [];
  }
  if (condition === "Ready" && !entry.hasReadiness) {
    value.warn(`waits only for the start of ${name}, which has no health check`);
  }
  const isSet = entry.replicas > 1;
  if (isSet)
    value.warn(`waits for the ${entry.replicas} processes of ${name}: change it when you scale ${name}`);
  const targets = isSet
    ? Array.from({ length: entry.replicas }, (_, index) => `${target}-${index}`)
    : [target];
  // Ready is the default.
  return targets.map((each) =>
    compact({ name: each, condition: condition === "Ready" ? undefined : condition }),
  );
}
