import { defaultMaxAge, defaultMaxSize } from "../runs/limits.js";
import { logFormats, logLevels, stores } from "./config.js";

/** What a setting takes. */
export type SettingType =
  | { readonly type: "text" }
  /** A path, relative to the file it stands in or to the working folder. */
  | { readonly type: "path" }
  | { readonly type: "integer"; readonly min: number; readonly max?: number }
  | { readonly type: "boolean" }
  | { readonly type: "choice"; readonly choices: readonly string[]; readonly later?: readonly string[] }
  | { readonly type: "duration"; readonly orFalse?: boolean }
  /** Bytes, or text such as `256Mi`. */
  | { readonly type: "size"; readonly min: string }
  | { readonly type: "list"; readonly of: "text" | "path" };

/** One thing that can be said. */
export interface Setting {
  /** `listen.port`; `*` stands for any name. */
  readonly path: string;
  readonly takes: SettingType;
  readonly default?: string | number | boolean | readonly string[] | undefined;
  /** `FETTLE_PORT` */
  readonly variable?: string | undefined;
  /** As the command line has it, without dashes: `port`. */
  readonly flag?: string | undefined;
  readonly summary: string;
}

const port: SettingType = { type: "integer", min: 0, max: 65_535 };

/** Stores that are meant to come. */
const storesToCome = ["etcd", "postgres", "redis"];

/** All settings, in the order in which they are shown. */
export const settings: readonly Setting[] = [
  {
    path: "data",
    takes: { type: "path" },
    default: ".fettle",
    variable: "FETTLE_DATA",
    flag: "data",
    summary: "the folder for everything that is kept",
  },
  {
    path: "store",
    takes: { type: "choice", choices: stores, later: storesToCome },
    default: "sqlite",
    variable: "FETTLE_STORE",
    flag: "store",
    summary: "where objects are kept: on disk, or in memory to forget them",
  },
  {
    path: "listen.host",
    takes: { type: "text" },
    default: "127.0.0.1",
    variable: "FETTLE_HOST",
    flag: "host",
    summary: "the address to listen on",
  },
  {
    path: "listen.port",
    takes: port,
    default: 7700,
    variable: "FETTLE_PORT",
    flag: "port",
    summary: "the port to listen on; 0 for any that is free",
  },
  {
    path: "listen.tls",
    takes: { type: "boolean" },
    default: true,
    variable: "FETTLE_TLS",
    flag: "tls",
    summary: "whether to encrypt; kubectl sends no token without",
  },
  {
    path: "listen.hosts",
    takes: { type: "list", of: "text" },
    default: [],
    summary: "further names by which the server is reached",
  },
  {
    path: "listen.origins",
    takes: { type: "list", of: "text" },
    default: [],
    summary: "web pages that may talk to the server",
  },
  {
    path: "listen.tokenFile",
    takes: { type: "path" },
    variable: "FETTLE_TOKEN_FILE",
    flag: "tokenFile",
    summary: 'more users, a line each: token,user,uid,"group1,group2"',
  },
  {
    path: "listen.kubeconfig",
    takes: { type: "path" },
    variable: "FETTLE_KUBECONFIG",
    flag: "kubeconfig",
    summary: "where the kubeconfig is written; in the data folder unless told",
  },
  {
    path: "modules",
    takes: { type: "list", of: "path" },
    default: [],
    summary: "TypeScript or JavaScript that exports controllers, schedules and kinds",
  },
  {
    path: "manifests",
    takes: { type: "list", of: "path" },
    default: [],
    summary: "YAML or JSON files, or folders of them, that are applied at the start",
  },
  {
    path: "log.level",
    takes: { type: "choice", choices: logLevels },
    default: "info",
    variable: "FETTLE_LOG_LEVEL",
    summary: "which lines of the log are written",
  },
  {
    path: "log.format",
    takes: { type: "choice", choices: logFormats },
    default: "pretty",
    variable: "FETTLE_LOG",
    flag: "log",
    summary: "lines for people, for programs, or none",
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
    path: "controllers.*.concurrency",
    takes: { type: "integer", min: 1 },
    summary: "how many objects are worked on at once",
  },
  { path: "controllers.*.timeout", takes: { type: "duration" }, summary: "until a run is cancelled" },
  {
    path: "controllers.*.resync",
    takes: { type: "duration", orFalse: true },
    summary: "after which time every object is looked at again",
  },
  {
    path: "controllers.*.backoff.base",
    takes: { type: "duration" },
    summary: "the first delay after a failure",
  },
  { path: "controllers.*.backoff.max", takes: { type: "duration" }, summary: "the longest delay" },
  {
    path: "controllers.*.backoff.maxRetries",
    takes: { type: "integer", min: 0 },
    summary: "how often a failed object is tried again before it is given up",
  },
  {
    path: "leaderElection.enabled",
    takes: { type: "boolean" },
    default: true,
    variable: "FETTLE_LEADER_ELECTION",
    flag: "leaderElection",
    summary: "fettle run: whether only one of several processes works at a time",
  },
  {
    path: "leaderElection.name",
    takes: { type: "text" },
    flag: "lease",
    summary: "the Lease's name; after the controllers unless told",
  },
  { path: "leaderElection.namespace", takes: { type: "text" }, summary: "where the Lease is" },
  { path: "leaderElection.leaseDuration", takes: { type: "duration" }, summary: "how long others wait" },
  {
    path: "leaderElection.renewDeadline",
    takes: { type: "duration" },
    summary: "how long a leader works on without having renewed",
  },
  { path: "leaderElection.retryPeriod", takes: { type: "duration" }, summary: "how often the leader renews" },
  {
    path: "sharding.shards",
    takes: { type: "integer", min: 1, max: 4096 },
    variable: "FETTLE_SHARDS",
    flag: "shards",
    summary:
      "fettle run: all processes work, each on some of so many shards of the objects; the lease is as for leader election",
  },
  {
    path: "health.host",
    takes: { type: "text" },
    variable: "FETTLE_HEALTH_HOST",
    summary: "fettle run: the address for /healthz and /metrics",
  },
  {
    path: "health.port",
    takes: port,
    default: 8081,
    variable: "FETTLE_HEALTH_PORT",
    flag: "healthPort",
    summary: "fettle run: the port for /healthz, /livez, /readyz and /metrics",
  },
];

/** Words that stand for a setting below them: `leaderElection: false`. */
export const shorthands: ReadonlyMap<string, string> = new Map([
  ["leaderElection", "leaderElection.enabled"],
]);
