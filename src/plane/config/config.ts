import type { Duration } from "../../model/core.js";
import type {
  ApiSettings,
  PeerSection,
  ControlLoopSettings,
  DebugSettings,
  EventSettings,
  PerformanceSettings,
  PipelineSettings,
  PluginSettings,
  SinkSettings,
  StrategySettings,
} from "./sections/sections.js";
import type { ConfigPath } from "./setting-path.js";

/** Source of a value. */
export type Origin =
  | { readonly type: "default" }
  | { readonly type: "file"; readonly file: string; readonly line: number; readonly column: number }
  | { readonly type: "environment"; readonly name: string }
  | { readonly type: "flag"; readonly flag: string };

export const stores = ["sqlite", "memory"] as const;
/** Backends of the state API. */
export const stateBackends = ["store", "redis", "memory"] as const;
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
        readonly factor?: number | undefined;
        readonly max?: Duration | undefined;
        readonly maxRetries?: number | undefined;
      }
    | undefined;
  /** Name of a strategy. */
  readonly strategy?: string | undefined;
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
  readonly state: {
    readonly backend?: (typeof stateBackends)[number] | undefined;
    readonly url?: string | undefined;
    /** Values in the cache of reads; 0 for none. */
    readonly cache: number;
    /** Time to live of keys that are set without one. */
    readonly ttl?: Duration | undefined;
  };
  readonly health: { readonly host?: string | undefined; readonly port: number };
  readonly control_loop?: ControlLoopSettings | undefined;
  readonly events?: EventSettings | undefined;
  readonly event_pipeline?: PipelineSettings | undefined;
  readonly sinks?: readonly SinkSettings[] | undefined;
  readonly reconciliation?: { readonly strategies?: readonly StrategySettings[] | undefined } | undefined;
  readonly plugins?: PluginSettings | undefined;
  readonly performance?: PerformanceSettings | undefined;
  readonly debug?: DebugSettings | undefined;
  readonly api?: ApiSettings | undefined;
  readonly peers?: readonly PeerSection[] | undefined;
  readonly sync_interval: Duration;
}

/** A configuration with the source of each value by path, such as `listen.port`. */
export interface LoadedConfig {
  readonly config: Config;
  readonly origins: ReadonlyMap<string, Origin>;
  /** Names and positions of each path. */
  readonly paths: ReadonlyMap<string, ConfigPath>;
  /** Paths of values that must not be shown. */
  readonly secrets: ReadonlySet<string>;
  /** Values of the file as they are written, before variables were replaced, by path. */
  readonly written: ReadonlyMap<string, string>;
  /** Path of the file; undefined when there is none. */
  readonly file: string | undefined;
}

/** An invalid configuration; the message lists all errors with their positions. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
