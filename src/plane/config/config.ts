import type { Duration } from "../../model/core.js";

/** Source of a value. */
export type Origin =
  | { readonly type: "default" }
  | { readonly type: "file"; readonly file: string; readonly line: number; readonly column: number }
  | { readonly type: "environment"; readonly name: string }
  | { readonly type: "flag"; readonly flag: string };

export const stores = ["sqlite", "memory"] as const;
export const logLevels = ["debug", "info", "warn", "error"] as const;
export const logFormats = ["pretty", "json", "none"] as const;

/** Settings of one controller; they override its code. */
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

/** Configuration of a control plane or an operator. Paths are absolute. */
export interface Config {
  readonly data: string;
  readonly store: (typeof stores)[number];
  readonly listen: {
    readonly host: string;
    readonly port: number;
    readonly tls: boolean;
    readonly certFile?: string | undefined;
    readonly keyFile?: string | undefined;
    /** Further names in the certificate and in `Host` headers. */
    readonly hosts: readonly string[];
    readonly origins: readonly string[];
    readonly tokenFile?: string | undefined;
    readonly kubeconfig?: string | undefined;
  };
  readonly services: { readonly clusterIPRange: string; readonly nodePortRange: string };
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
  readonly objects: {
    /** Bytes, or text such as `1536Ki`. */
    readonly maxSize: number | string;
  };
  readonly runs: {
    readonly folder?: string | undefined;
    readonly maxAge: Duration;
    /** Bytes, or text such as `256Mi`. */
    readonly maxSize: number | string;
  };
  readonly health: { readonly host?: string | undefined; readonly port: number };
}

/** A configuration with the source of each value by path, such as `listen.port`. */
export interface LoadedConfig {
  readonly config: Config;
  readonly origins: ReadonlyMap<string, Origin>;
  /** Paths of values that must not be shown. */
  readonly secrets: ReadonlySet<string>;
  /** Path of the file; undefined when there is none. */
  readonly file: string | undefined;
}

/** An invalid configuration; the message lists all errors with their positions. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
