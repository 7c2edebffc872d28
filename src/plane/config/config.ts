import type { Duration } from "../../model/core.js";

/** Where a value was said. */
export type Origin =
  | { readonly type: "default" }
  | { readonly type: "file"; readonly file: string; readonly line: number; readonly column: number }
  | { readonly type: "environment"; readonly name: string }
  | { readonly type: "flag"; readonly flag: string };

export const stores = ["sqlite", "memory"] as const;
export const logLevels = ["debug", "info", "warn", "error"] as const;
export const logFormats = ["pretty", "json", "none"] as const;

/** What is said of one controller here goes before what its code says. */
export interface ControllerSettings {
  readonly concurrency?: number | undefined;
  readonly timeout?: Duration | undefined;
  readonly resync?: Duration | false | undefined;
  readonly backoff?:
    | {
        readonly base?: Duration | undefined;
        readonly max?: Duration | undefined;
        readonly maxRetries?: number | undefined;
      }
    | undefined;
}

/** Everything that can be said of a control plane without writing code. Paths are absolute. */
export interface Config {
  readonly data: string;
  readonly store: (typeof stores)[number];
  readonly listen: {
    readonly host: string;
    readonly port: number;
    readonly tls: boolean;
    /** Further names in the certificate and in `Host` headers. */
    readonly hosts: readonly string[];
    readonly origins: readonly string[];
    readonly tokenFile?: string | undefined;
    readonly kubeconfig?: string | undefined;
  };
  readonly modules: readonly string[];
  readonly manifests: readonly string[];
  readonly log: { readonly level: (typeof logLevels)[number]; readonly format: (typeof logFormats)[number] };
  readonly controllers: Readonly<Record<string, ControllerSettings>>;
  readonly leaderElection: {
    readonly enabled: boolean;
    readonly name?: string | undefined;
    readonly namespace?: string | undefined;
    readonly leaseDuration?: Duration | undefined;
    readonly renewDeadline?: Duration | undefined;
    readonly retryPeriod?: Duration | undefined;
  };
  readonly sharding?: { readonly shards?: number | undefined } | undefined;
  readonly runs: {
    readonly folder?: string | undefined;
    readonly maxAge: Duration;
    /** Bytes, or text such as `256Mi`. */
    readonly maxSize: number | string;
  };
  readonly health: { readonly host?: string | undefined; readonly port: number };
}

/** A configuration with where each of its values was said, by path: `listen.port`. */
export interface LoadedConfig {
  readonly config: Config;
  readonly origins: ReadonlyMap<string, Origin>;
  /** Paths whose values nobody should read. */
  readonly secrets: ReadonlySet<string>;
  /** The file that was read; undefined when there is none. */
  readonly file: string | undefined;
}

/** What is wrong with a configuration, all of it, with the places. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
