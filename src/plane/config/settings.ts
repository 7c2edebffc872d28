import {
  defaultClusterIPRange,
  defaultNodePortRange,
} from "../../server/kinds/strategy/network/service-ranges.js";
import { defaultStateCache } from "../../events/state/open-state.js";
import { defaultMaxAge, defaultMaxSize } from "../runs/limits.js";
import { logFormats, logLevels, stateBackends, stores } from "./config.js";
import { sectionSettings } from "./sections/section-settings.js";
import type { Setting, SettingType } from "./setting.js";

const port: SettingType = { type: "integer", min: 0, max: 65_535 };

/** Stores that are planned. */
const plannedStores = ["etcd", "postgres", "redis"];

/** All settings, in the order of `fettle config`. */
export const settings: readonly Setting[] = [
  {
    path: "data",
    takes: { type: "path" },
    default: ".fettle",
    variable: "FETTLE_DATA",
    flag: "data",
    summary: "folder for objects, runs, tokens and certificates",
  },
  {
    path: "store",
    takes: { type: "choice", choices: stores, planned: plannedStores },
    default: "sqlite",
    variable: "FETTLE_STORE",
    flag: "store",
    summary: "store for objects: on disk, or in memory until the process stops",
  },
  {
    path: "listen.host",
    takes: { type: "text" },
    default: "127.0.0.1",
    variable: "FETTLE_HOST",
    flag: "host",
    summary: "address to listen on",
  },
  {
    path: "listen.port",
    takes: port,
    default: 7700,
    variable: "FETTLE_PORT",
    flag: "port",
    summary: "port to listen on; 0 for any free port",
  },
  {
    path: "listen.tls",
    takes: { type: "boolean" },
    default: true,
    variable: "FETTLE_TLS",
    flag: "tls",
    summary: "serve HTTPS; kubectl sends no token over plain HTTP",
  },
  {
    path: "listen.certFile",
    takes: { type: "path" },
    variable: "FETTLE_CERT_FILE",
    flag: "certFile",
    summary:
      "own certificate in PEM, read again when it changes; default: one signed by a CA in the data folder",
  },
  {
    path: "listen.keyFile",
    takes: { type: "path" },
    variable: "FETTLE_KEY_FILE",
    flag: "keyFile",
    summary: "private key of the certificate in PEM",
  },
  {
    path: "listen.hosts",
    takes: { type: "list", of: "text" },
    default: [],
    variable: "FETTLE_HOSTS",
    flag: "hosts",
    summary: "further host names of the server; in variables and flags, separated by commas",
  },
  {
    path: "listen.origins",
    takes: { type: "list", of: "text" },
    default: [],
    summary: "origins of web pages that may call the API",
  },
  {
    path: "listen.tokenFile",
    takes: { type: "path" },
    variable: "FETTLE_TOKEN_FILE",
    flag: "tokenFile",
    summary: 'file with further users, one per line: token,user,uid,"group1,group2"',
  },
  {
    path: "listen.kubeconfig",
    takes: { type: "path" },
    variable: "FETTLE_KUBECONFIG",
    flag: "kubeconfig",
    summary: "path of the kubeconfig to write; default: kubeconfig in the data folder",
  },
  {
    path: "services.clusterIPRange",
    takes: { type: "text" },
    default: defaultClusterIPRange,
    variable: "FETTLE_SERVICE_CLUSTER_IP_RANGE",
    flag: "serviceClusterIpRange",
    summary: "range of the addresses of services, such as 10.96.0.0/16; two of different families: IPv4,IPv6",
  },
  {
    path: "services.nodePortRange",
    takes: { type: "text" },
    default: defaultNodePortRange,
    variable: "FETTLE_SERVICE_NODE_PORT_RANGE",
    flag: "serviceNodePortRange",
    summary: "range of the node ports of services, such as 30000-32767",
  },
  {
    path: "modules",
    takes: { type: "list", of: "path" },
    default: [],
    summary: "TypeScript or JavaScript modules that export controllers, schedules and kinds",
  },
  {
    path: "manifests",
    takes: { type: "list", of: "path" },
    default: [],
    summary: "YAML or JSON files, or folders of them, to apply at the start",
  },
  {
    path: "log.level",
    takes: { type: "choice", choices: logLevels },
    default: "info",
    variable: "FETTLE_LOG_LEVEL",
    summary: "minimum level of log lines",
  },
  {
    path: "log.format",
    takes: { type: "choice", choices: logFormats },
    default: "pretty",
    variable: "FETTLE_LOG",
    flag: "log",
    summary: "format of the log: for people, for programs, or none",
  },
  {
    path: "objects.maxSize",
    takes: { type: "size", min: "64Ki" },
    default: "1536Ki",
    variable: "FETTLE_MAX_OBJECT_SIZE",
    summary: "largest object as it is stored, with its managedFields; larger writes are refused with a 413",
  },
  {
    path: "runs.folder",
    takes: { type: "path" },
    variable: "FETTLE_RUNS",
    flag: "runs",
    summary:
      "folder for the record of runs; default of fettle up: runs in the data folder, of fettle run: none, in memory",
  },
  {
    path: "runs.maxAge",
    takes: { type: "duration" },
    default: defaultMaxAge,
    summary: "age after which records of runs are deleted",
  },
  {
    path: "runs.maxSize",
    takes: { type: "size", min: "1Mi" },
    default: defaultMaxSize,
    summary: "total size of the record of runs, beyond which the oldest are deleted",
  },
  {
    path: "state.backend",
    takes: { type: "choice", choices: stateBackends },
    variable: "FETTLE_STATE_BACKEND",
    summary:
      "where the state API keeps its values; default: redis if state.url is set, otherwise the store with fettle up, and memory, with a warning, with fettle run",
  },
  {
    path: "state.url",
    takes: { type: "url", schemes: ["redis://", "rediss://"] },
    variable: "FETTLE_STATE_URL",
    summary: "Redis for the state API: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS",
  },
  {
    path: "state.cache",
    takes: { type: "integer", min: 0 },
    default: defaultStateCache,
    summary: "maximum number of values in the cache of the state API; 0 for none",
  },
  {
    path: "state.ttl",
    takes: { type: "duration" },
    summary: "time after which keys of the state API are deleted that were set without a ttl; default: never",
  },
  {
    path: "controllers.*.concurrency",
    takes: { type: "integer", min: 1 },
    summary: "maximum number of concurrent runs",
  },
  {
    path: "controllers.*.timeout",
    takes: { type: "duration" },
    summary: "time after which a run is cancelled",
  },
  {
    path: "controllers.*.resync",
    takes: { type: "duration", orFalse: true },
    summary: "interval at which every object is reconciled again",
  },
  {
    path: "controllers.*.backoff.base",
    takes: { type: "duration" },
    summary: "first delay after a failure",
  },
  {
    path: "controllers.*.backoff.factor",
    takes: { type: "number", min: 1 },
    summary: "number by which the delay is multiplied each time",
  },
  { path: "controllers.*.backoff.max", takes: { type: "duration" }, summary: "maximum delay" },
  {
    path: "controllers.*.backoff.maxRetries",
    takes: { type: "integer", min: 0 },
    summary: "maximum number of retries before an object becomes a dead letter",
  },
  {
    path: "controllers.*.strategy",
    takes: { type: "text" },
    summary:
      "strategy for all its changes: the name of one of reconciliation.strategies, or immediate or batched",
  },
  {
    path: "leaderElection.enabled",
    takes: { type: "boolean" },
    default: true,
    variable: "FETTLE_LEADER_ELECTION",
    flag: "leaderElection",
    summary: "fettle run: let one of several processes work at a time",
  },
  {
    path: "leaderElection.name",
    takes: { type: "text" },
    flag: "lease",
    summary: "name of the Lease; default: derived from the controllers",
  },
  { path: "leaderElection.namespace", takes: { type: "text" }, summary: "namespace of the Lease" },
  {
    path: "leaderElection.leaseDuration",
    takes: { type: "duration" },
    summary: "time that others wait before they take over the Lease",
  },
  {
    path: "leaderElection.renewDeadline",
    takes: { type: "duration" },
    summary: "time after which a leader that cannot renew stops working",
  },
  {
    path: "leaderElection.retryPeriod",
    takes: { type: "duration" },
    summary: "interval at which the leader renews the Lease",
  },
  {
    path: "sharding.shards",
    takes: { type: "integer", min: 1, max: 4096 },
    variable: "FETTLE_SHARDS",
    flag: "shards",
    summary:
      "fettle run: number of shards over which all processes share the objects; uses the Lease of leaderElection",
  },
  {
    path: "health.host",
    takes: { type: "text" },
    variable: "FETTLE_HEALTH_HOST",
    summary: "fettle run: address for /healthz, /livez, /readyz and /metrics",
  },
  {
    path: "health.port",
    takes: port,
    default: 8081,
    variable: "FETTLE_HEALTH_PORT",
    flag: "healthPort",
    summary: "fettle run: port for /healthz, /livez, /readyz and /metrics",
  },
  ...sectionSettings,
];

/** Sections that accept a plain value for one of their settings: `leaderElection: false`. */
export const shorthands: ReadonlyMap<string, string> = new Map([
  ["leaderElection", "leaderElection.enabled"],
]);
