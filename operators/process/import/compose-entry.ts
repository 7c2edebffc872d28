import type { ProcessInput } from "./manifest.js";
import type { YamlValue } from "./yaml-reader.js";

/** Settings for all services and processes of a file. */
export interface ComposeContext {
  /** Variables of all processes. */
  readonly shared: ReadonlyMap<string, string>;
  /** Reads a file that `env_file` names; undefined if it does not exist. */
  readonly readFile?: ((path: string) => string | undefined) | undefined;
  /** Absolute path of the folder of the file. */
  readonly folder?: string | undefined;
}

/** Service or process of a file, converted. */
export interface ComposeEntry {
  readonly spec: ProcessInput;
  readonly replicas: number;
  readonly description?: string | undefined;
  readonly dependencies: readonly ComposeDependency[];
  /** True if something other than its start decides whether it is ready. */
  readonly hasReadiness: boolean;
}

export interface ComposeDependency {
  readonly name: string;
  readonly condition: "Started" | "Ready" | "Completed";
  readonly isRequired: boolean;
  readonly value: YamlValue;
}

export const notInContainers = "processes run on this machine, not in containers";

/** Restarts within this time count for a maximum of restarts: it is long, because the delay between them grows. */
export const restartInterval = "24h";
