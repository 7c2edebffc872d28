import type { Duration, Json } from "../../../model/core.js";
import type { StrategyCondition } from "../../../runtime/controller/annotation-strategy.js";
import type { MergePolicy } from "../../peers/peer-options.js";
import type { LogLevel } from "../../../runtime/log/log.js";

export const strategyTypes = ["immediate", "batched", "scheduled"] as const;
export const sinkTypes = ["http", "file", "stdout", "slack"] as const;
export const metricTypes = ["histogram", "gauge"] as const;
export const debugEndpoints = ["/debug/events", "/debug/state", "/debug/metrics"] as const;
export const restMethods = ["GET", "POST", "PUT", "DELETE"] as const;

type Optional<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** Section `control_loop`; its defaults hold only if the section is there. */
export interface ControlLoopSettings {
  readonly reconcile_interval: Duration;
  readonly max_retry_attempts: number;
  readonly event_buffer_size: number;
  readonly worker_pool_size: number;
}

/** Section `events`. */
export type EventSettings = Optional<{
  source: string;
  ttl: Duration;
  /** Bytes, or text such as `256Ki`. */
  maxSize: number | string;
  /** Prefix of the types of events by kind and group: `Device.racks.dev`. */
  types: Readonly<Record<string, string>>;
}>;

/** Section `event_pipeline`. */
export type PipelineSettings = Optional<{
  on: readonly string[];
  durable: boolean;
  stages: readonly { readonly name: string; readonly handlers: readonly (string | HandlerSettings)[] }[];
}>;

/** Handler with options. */
interface HandlerSettings {
  readonly name: string;
  readonly options?: Json | undefined;
}

/** Item of `sinks`. Each type has some of these. */
export interface SinkSettings extends Optional<{
  on: readonly string[];
  durable: boolean;
  timeout: Duration;
  retries: number;
  url: string;
  breaker: { readonly failures?: number; readonly openFor?: Duration };
  mode: "structured" | "binary";
  secret: string;
  headers: Readonly<Record<string, string>>;
  concurrency: number;
  channel: string;
  channels: readonly string[];
  /** Absolute path. */
  path: string;
  /** Bytes, or text such as `64Mi`. */
  maxSize: number | string;
  keep: number;
  fsync: "each" | "close";
  format: "json" | "document";
}> {
  readonly type: (typeof sinkTypes)[number];
  readonly name: string;
}

/** Item of `reconciliation.strategies`. */
export interface StrategySettings extends Optional<{
  type: (typeof strategyTypes)[number];
  description: string;
  batch_size: number;
  batch_timeout: Duration;
  schedule: string;
  time_zone: string;
  window: Duration;
  conditions: readonly StrategyCondition[];
}> {
  readonly name: string;
}

/** Section `plugins`. */
export interface PluginSettings extends Optional<{
  /** Absolute path. */
  directory: string;
  installed: readonly InstalledPlugin[];
}> {
  readonly enabled: boolean;
}

/** Item of `plugins.installed`. */
interface InstalledPlugin {
  readonly name: string;
  readonly package?: string | undefined;
  readonly enabled: boolean;
  readonly optional?: boolean | undefined;
  readonly config?: Json | undefined;
}

/** Section `performance`. */
export type PerformanceSettings = Optional<{
  metrics: readonly MetricSettings[];
  thresholds: Readonly<Record<string, ThresholdSettings>>;
}>;

/** Item of `performance.metrics`. */
interface MetricSettings {
  readonly name: string;
  readonly type?: (typeof metricTypes)[number] | undefined;
  readonly source?: string | undefined;
  readonly buckets?: readonly number[] | undefined;
}

/** Thresholds of one metric, as they are written: `500ms`, `1GB`, 900. */
type ThresholdSettings = Optional<
  Record<"p50" | "p90" | "p95" | "p99" | "max", number | string> & {
    alert: boolean;
    for: Duration;
    resolveAfter: Duration;
  }
>;

/** Section `debug`. */
export interface DebugSettings extends Optional<{
  level: LogLevel;
  components: Optional<{
    control_loop: { readonly enabled: boolean; readonly trace_events?: boolean };
    reconciler: { readonly enabled: boolean; readonly log_diffs?: boolean };
    state_store: { readonly enabled: boolean; readonly log_operations?: boolean };
  }>;
  endpoints: readonly { readonly path: (typeof debugEndpoints)[number] }[];
}> {
  readonly enabled: boolean;
}

/** Section `api`. */
export type ApiSettings = Optional<{
  version: string;
  base_path: string;
  endpoints: readonly {
    readonly path: string;
    readonly methods?: readonly (typeof restMethods)[number][] | undefined;
    readonly description?: string | undefined;
  }[];
}>;

/** Item of `peers`. */
export type PeerSection = Optional<{
  name: string;
  /** Absolute path. */
  kubeconfig: string;
  context: string;
  server: string;
  token: string;
  /** Absolute paths. */
  token_file: string;
  ca_file: string;
  namespaces: readonly string[];
  selector: string;
}> & {
  readonly kinds: readonly string[];
  readonly merge: MergePolicy;
  readonly status: boolean;
  readonly direction: "pull";
};
