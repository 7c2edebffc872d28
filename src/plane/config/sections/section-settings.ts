import { logLevels } from "../config.js";
import { priorityLevels } from "../../../runtime/controller/annotation-strategy.js";
import { mergePolicies } from "../../peers/peer-options.js";
import { debugEndpoints, metricTypes, restMethods, sinkTypes, strategyTypes } from "./sections.js";
import type { Setting, SettingType } from "../setting.js";

const patterns: SettingType = { type: "list", of: "text" };
const seconds: SettingType = { type: "duration", seconds: true };
const boolean: SettingType = { type: "boolean" };
const text: SettingType = { type: "text" };

const controlLoop: readonly Setting[] = [
  {
    path: "control_loop.reconcile_interval",
    takes: seconds,
    default: "30s",
    whenPresent: "control_loop",
    summary: "interval at which every object is reconciled again; for controllers that set no resync",
  },
  {
    path: "control_loop.max_retry_attempts",
    takes: { type: "integer", min: 0 },
    default: 3,
    whenPresent: "control_loop",
    summary:
      "retries before a failing object becomes a dead letter; for controllers that set no backoff.maxRetries",
  },
  {
    path: "control_loop.event_buffer_size",
    takes: { type: "integer", min: 1 },
    default: 1000,
    whenPresent: "control_loop",
    summary: "events that may wait for their handlers",
  },
  {
    path: "control_loop.worker_pool_size",
    takes: { type: "integer", min: 1 },
    default: 10,
    whenPresent: "control_loop",
    summary:
      "events handled at the same time, and concurrent runs of each controller that sets no concurrency",
  },
];

const events: readonly Setting[] = [
  { path: "events.source", takes: text, summary: "source attribute of events" },
  {
    path: "events.ttl",
    takes: seconds,
    summary: "time after which events that are no object change are deleted",
  },
  { path: "events.maxSize", takes: { type: "size", min: "1Ki" }, summary: "largest event" },
  {
    path: "events.types.*",
    takes: text,
    summary:
      "beginning of the types of events of a kind: the key is the kind and its group, such as Device.racks.dev, the value a prefix such as io.example.device",
  },
];

const pipeline: readonly Setting[] = [
  {
    path: "event_pipeline.on",
    takes: patterns,
    summary: "patterns of the events that enter the pipeline; default: all",
  },
  {
    path: "event_pipeline.durable",
    takes: boolean,
    summary: "handle also events that happened while the process was not running",
  },
  { path: "event_pipeline.stages[].name", takes: text, isRequired: true, summary: "name of a stage" },
  {
    path: "event_pipeline.stages[].handlers[]",
    takes: text,
    isRequired: true,
    summary: "name of a handler; with options, a map as in the next two rows",
  },
  {
    path: "event_pipeline.stages[].handlers[].name",
    takes: text,
    isRequired: true,
    summary: "name of a handler",
  },
  {
    path: "event_pipeline.stages[].handlers[].options.**",
    takes: { type: "any" },
    summary: "options of the handler",
  },
];

const sinks: readonly Setting[] = [
  {
    path: "sinks[].type",
    takes: { type: "choice", choices: sinkTypes },
    isRequired: true,
    summary: "where events go",
  },
  { path: "sinks[].name", takes: text, isRequired: true, summary: "name in the state of subscriptions" },
  { path: "sinks[].on", takes: patterns, summary: "patterns of the events to send; default: all" },
  {
    path: "sinks[].durable",
    takes: boolean,
    summary:
      "send also events of the time when the process was not running; default: true, but not for stdout",
  },
  { path: "sinks[].timeout", takes: seconds, summary: "time limit of one attempt" },
  { path: "sinks[].retries", takes: { type: "integer", min: 0 }, summary: "attempts after a failed one" },
  {
    path: "sinks[].url",
    takes: { type: "url", schemes: ["http://", "https://"] },
    summary: "http and slack: address that events are posted to",
  },
  {
    path: "sinks[].breaker.failures",
    takes: { type: "integer", min: 1 },
    summary: "http and slack: failures in a row after which the receiver is left alone",
  },
  {
    path: "sinks[].breaker.openFor",
    takes: seconds,
    summary: "http and slack: time for which it is left alone",
  },
  {
    path: "sinks[].mode",
    takes: { type: "choice", choices: ["structured", "binary"] },
    summary: "http: content mode of CloudEvents",
  },
  { path: "sinks[].secret", takes: text, isSecret: true, summary: "http: key that signs requests" },
  { path: "sinks[].headers.*", takes: text, isSecret: true, summary: "http: further headers" },
  {
    path: "sinks[].concurrency",
    takes: { type: "integer", min: 1 },
    summary: "http: requests at the same time",
  },
  {
    path: "sinks[].channel",
    takes: text,
    summary: "slack: channel, where the webhook may choose it",
  },
  { path: "sinks[].channels", takes: { type: "list", of: "text" }, summary: "slack: several channels" },
  { path: "sinks[].path", takes: { type: "path" }, summary: "file: path of the file" },
  {
    path: "sinks[].maxSize",
    takes: { type: "size", min: "1Ki" },
    summary: "file: size beyond which a new file is begun",
  },
  { path: "sinks[].keep", takes: { type: "integer", min: 0 }, summary: "file: full files to keep" },
  {
    path: "sinks[].fsync",
    takes: { type: "choice", choices: ["each", "close"] },
    summary: "file: acknowledge an event when it is on the disk, or when the operating system has it",
  },
  {
    path: "sinks[].format",
    takes: { type: "choice", choices: ["json", "document"] },
    summary: "stdout: the event, or id, type, timestamp, source, data and metadata",
  },
];

const strategies: readonly Setting[] = [
  { path: "reconciliation.strategies[].name", takes: text, isRequired: true, summary: "name of a strategy" },
  {
    path: "reconciliation.strategies[].type",
    takes: { type: "choice", choices: strategyTypes },
    summary: "when its changes are acted upon; default: the name",
  },
  { path: "reconciliation.strategies[].description", takes: text, summary: "description for people" },
  {
    path: "reconciliation.strategies[].batch_size",
    takes: { type: "integer", min: 1 },
    summary: "batched: objects that are released together; default: 10",
  },
  {
    path: "reconciliation.strategies[].batch_timeout",
    takes: seconds,
    summary: "batched: time after which fewer are released; default: 30s",
  },
  {
    path: "reconciliation.strategies[].schedule",
    takes: text,
    summary: "scheduled: opening times of the window as a cron expression",
  },
  {
    path: "reconciliation.strategies[].time_zone",
    takes: text,
    summary: "scheduled: time zone; default: UTC",
  },
  {
    path: "reconciliation.strategies[].window",
    takes: seconds,
    summary: "scheduled: time for which the window stays open; default: 1h",
  },
  {
    path: "reconciliation.strategies[].conditions[].priority",
    takes: { type: "choice", choices: priorityLevels, orNumber: true },
    summary:
      "priority of the object, in its annotation fettle.dev/priority: a level, or a number that it has to reach",
  },
  {
    path: "reconciliation.strategies[].conditions[].type",
    takes: text,
    summary:
      "type of change, in the annotation fettle.dev/change-type; deletion for objects that are being deleted",
  },
];

const plugins: readonly Setting[] = [
  { path: "plugins.enabled", takes: boolean, default: true, whenPresent: "plugins", summary: "load plugins" },
  { path: "plugins.directory", takes: { type: "path" }, summary: "folder with the modules of plugins" },
  { path: "plugins.installed[].name", takes: text, isRequired: true, summary: "name of a plugin" },
  {
    path: "plugins.installed[].package",
    takes: text,
    summary: "npm package of the plugin; default: a module of its name in the folder",
  },
  { path: "plugins.installed[].enabled", takes: boolean, default: true, summary: "load this plugin" },
  {
    path: "plugins.installed[].optional",
    takes: boolean,
    summary: "start without it if it cannot be loaded or set up",
  },
  {
    path: "plugins.installed[].config.**",
    takes: { type: "any" },
    summary: "configuration of the plugin, which its schema validates",
  },
];

const performance: readonly Setting[] = [
  { path: "performance.metrics[].name", takes: text, isRequired: true, summary: "name of a metric" },
  {
    path: "performance.metrics[].type",
    takes: { type: "choice", choices: metricTypes },
    summary: "distribution of its values, or the newest value",
  },
  {
    path: "performance.metrics[].source",
    takes: text,
    summary: "what it measures; default: its name",
  },
  {
    path: "performance.metrics[].buckets",
    takes: { type: "list", of: "number" },
    summary: "upper bounds of its buckets, ascending; times are seconds",
  },
  ...["p50", "p90", "p95", "p99"].map((percentile) => ({
    path: `performance.thresholds.*.${percentile}`,
    takes: { type: "amount" } as const,
    summary: `highest value of the ${percentile.slice(1)}th percentile of a metric; * is its name`,
  })),
  {
    path: "performance.thresholds.*.max",
    takes: { type: "amount" },
    summary: "highest value of a metric: a number, a size such as 1GB, or a duration",
  },
  {
    path: "performance.thresholds.*.alert",
    takes: boolean,
    summary: "emit an event when a threshold is exceeded",
  },
  {
    path: "performance.thresholds.*.for",
    takes: seconds,
    summary: "time for which it has to be exceeded",
  },
  {
    path: "performance.thresholds.*.resolveAfter",
    takes: seconds,
    summary: "time for which values have to be normal before an alert is resolved",
  },
];

const components = {
  control_loop: ["trace_events", "log events as they are handled"],
  reconciler: ["log_diffs", "log the differences that runs write"],
  state_store: ["log_operations", "log reads and writes of the state API"],
} as const;

const debug: readonly Setting[] = [
  {
    path: "debug.enabled",
    takes: boolean,
    default: true,
    whenPresent: "debug",
    summary: "false ignores the rest of this section",
  },
  {
    path: "debug.level",
    takes: {
      type: "choice",
      choices: logLevels,
      ignoreCase: true,
      synonyms: { warning: "warn", critical: "error" },
    },
    summary: "replaces log.level of the file",
  },
  ...Object.entries(components).flatMap(([component, [flag, summary]]): readonly Setting[] => [
    {
      path: `debug.components.${component}.enabled`,
      takes: boolean,
      default: true,
      whenPresent: `debug.components.${component}`,
      summary: "false ignores the other settings of this component",
    },
    { path: `debug.components.${component}.${flag}`, takes: boolean, summary },
  ]),
  {
    path: "debug.endpoints[].path",
    takes: { type: "choice", choices: debugEndpoints },
    isRequired: true,
    summary: "path to serve; default: all of them",
  },
  { path: "debug.endpoints[].description", takes: text, summary: "description for people" },
];

const api: readonly Setting[] = [
  { path: "api.version", takes: text, summary: "version in the OpenAPI document" },
  { path: "api.base_path", takes: text, summary: "beginning of the paths of the REST API" },
  {
    path: "api.endpoints[].path",
    takes: text,
    isRequired: true,
    summary: "path to serve, such as /backends/{id}; default: all of them",
  },
  {
    path: "api.endpoints[].methods",
    takes: { type: "list", of: { type: "choice", choices: restMethods } },
    summary: "methods to serve; default: all that the path has",
  },
  { path: "api.endpoints[].description", takes: text, summary: "description in the OpenAPI document" },
];

const peers: readonly Setting[] = [
  { path: "peers[].name", takes: text, summary: "name of a peer, in logs, metrics and field managers" },
  {
    path: "peers[].kubeconfig",
    takes: { type: "path" },
    summary: "kubeconfig of another plane or a Kubernetes cluster, whose objects are pulled",
  },
  { path: "peers[].context", takes: text, summary: "context of the kubeconfig; default: the current one" },
  { path: "peers[].server", takes: text, summary: "URL of the peer, instead of a kubeconfig" },
  { path: "peers[].token", takes: text, isSecret: true, summary: "bearer token for the server" },
  {
    path: "peers[].token_file",
    takes: { type: "path" },
    summary: "file with the token, which may be rotated",
  },
  { path: "peers[].ca_file", takes: { type: "path" }, summary: "CA certificates of the server in PEM" },
  {
    path: "peers[].kinds",
    takes: { type: "list", of: "text" },
    isRequired: true,
    summary: "kinds to pull, such as demo.dev/v1/Site",
  },
  {
    path: "peers[].namespaces",
    takes: { type: "list", of: "text" },
    summary: "namespaces to pull from; default: all",
  },
  { path: "peers[].selector", takes: text, summary: "label selector of the objects; default: all" },
  {
    path: "peers[].merge",
    takes: { type: "choice", choices: mergePolicies },
    default: "newest-wins",
    summary: "rule for objects that differ",
  },
  {
    path: "peers[].status",
    takes: boolean,
    default: false,
    summary: "pull the status, too",
  },
  {
    path: "peers[].direction",
    takes: { type: "choice", choices: ["pull"], planned: ["push", "both"] },
    default: "pull",
    summary:
      "pull: each plane changes only its own objects; for both directions, each has the other as a peer",
  },
  {
    path: "sync_interval",
    takes: seconds,
    default: "10s",
    summary: "interval at which all objects of peers are compared, besides the changes that are watched",
  },
];

/** Settings of events and of the control loop, which are sections of their own with lists of maps. */
export const sectionSettings: readonly Setting[] = [
  ...controlLoop,
  ...events,
  ...pipeline,
  ...sinks,
  ...strategies,
  ...plugins,
  ...performance,
  ...debug,
  ...api,
  ...peers,
];
