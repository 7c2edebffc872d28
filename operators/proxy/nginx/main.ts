import type { ProxyConfiguration } from "../translate/configuration.js";
import { block, directive, emptyValue, entry, pattern, text, variable, type Directive } from "./directive.js";
import { connectionVariable, defaultHeaders, hostVariable, upgradeVariable } from "./headers.js";
import { checkedName, checkedNumber } from "./refusal.js";
import type { RenderPaths } from "./rendered.js";
import { dollarVariable } from "./serialize.js";
import { defaultConnectTimeout } from "./upstreams.js";

/** Sizes of a configuration that decide about the sizes of hash tables. */
interface Sizes {
  readonly hostnames: number;
  readonly variables: number;
}

/** Directives of `nginx.conf`, which includes the other files. */
export function mainDirectives(
  { settings, limits }: ProxyConfiguration,
  paths: RenderPaths,
  sizes: Sizes,
  includes: readonly string[],
): readonly Directive[] {
  const connections = checkedNumber(
    settings.workerConnections,
    1,
    10_000_000,
    "workerConnections",
    undefined,
  );
  const workers =
    settings.workers === undefined ? "auto" : checkedNumber(settings.workers, 1, 1024, "workers", undefined);
  const shutdown = checkedNumber(settings.shutdownTimeout, 1, 2 ** 31, "shutdownTimeout", undefined);
  return [
    ...(paths.asRoot ? [directive("user", text(checkedName(settings.user, undefined)))] : []),
    directive("worker_processes", workers),
    // Two files for each connection: that of the client and that of the upstream. Only root can raise the limit.
    ...(paths.asRoot ? [directive("worker_rlimit_nofile", connections * 2 + 1024)] : []),
    directive("worker_shutdown_timeout", `${shutdown}ms`),
    directive("pid", text(paths.pidFile)),
    directive("error_log", "stderr", "notice"),
    directive("error_log", text(paths.errorLog), "notice"),
    directive("pcre_jit", "on"),
    block("events", [], [directive("worker_connections", connections)]),
    block(
      "http",
      [],
      [
        ...httpSettings(sizes),
        ...temporaryFolders(paths),
        ...accessLog(settings.accessLog, limits.length > 0),
        ...proxySettings(),
        ...ownVariables(),
        ...includes.map((file) => directive("include", text(file))),
        internalServer(paths),
      ],
    ),
  ];
}

/** Directives of `generation.conf`: the response of the internal server about the number of the configuration. */
export function generationDirectives(generation: number): readonly Directive[] {
  const number = checkedNumber(generation, 0, Number.MAX_SAFE_INTEGER, "the generation", undefined);
  return [block("location", ["=", text("/generation")], [directive("return", 200, text(String(number)))])];
}

function httpSettings({ hostnames, variables }: Sizes): readonly Directive[] {
  return [
    directive("server_tokens", "off"),
    directive("default_type", "text/plain"),
    // No folder: no file is ever served.
    directive("root", text("/dev/null")),
    directive("client_max_body_size", 0),
    directive("server_names_hash_max_size", hashSize(hostnames)),
    directive("server_names_hash_bucket_size", 512),
    directive("variables_hash_max_size", hashSize(variables)),
    directive("variables_hash_bucket_size", 512),
    directive("map_hash_max_size", 2048),
    directive("map_hash_bucket_size", 512),
    directive("ssl_protocols", "TLSv1.2", "TLSv1.3"),
    directive("ssl_session_cache", "shared:fettle:10m"),
  ];
}

/** Size of a hash table: a power of two, so that it seldom changes. */
function hashSize(entries: number): number {
  return 2 ** Math.max(11, Math.ceil(Math.log2(entries * 2 + 1)));
}

function temporaryFolders({ temporary }: RenderPaths): readonly Directive[] {
  if (temporary === undefined) return [];
  const names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] as const;
  return names.map((name) => directive(`${name}_temp_path`, text(`${temporary}/${name}`)));
}

/** An access log at the same level as that of refused requests, which `off` would switch off, too. */
function accessLog(isOn: boolean, hasLimits: boolean): readonly Directive[] {
  if (isOn) return [directive("access_log", text("/dev/stdout"))];
  return hasLimits ? [] : [directive("access_log", "off")];
}

function proxySettings(): readonly Directive[] {
  return [
    directive("proxy_http_version", "1.1"),
    directive("proxy_connect_timeout", `${defaultConnectTimeout}ms`),
    directive("proxy_next_upstream", "error", "timeout"),
    directive("proxy_redirect", "off"),
    // Otherwise events and other streams would be held back until a buffer is full.
    directive("proxy_buffering", "off"),
    // An upstream must not reach other locations.
    directive(
      "proxy_ignore_headers",
      "X-Accel-Redirect",
      "X-Accel-Expires",
      "X-Accel-Limit-Rate",
      "X-Accel-Charset",
    ),
    directive("proxy_headers_hash_max_size", 1024),
    directive("proxy_headers_hash_bucket_size", 1024),
    ...defaultHeaders(),
  ];
}

function ownVariables(): readonly Directive[] {
  return [
    block("geo", [text(variable(dollarVariable))], [entry("default", text("$"))]),
    // The line of a request can name another host than its header: the server was chosen by the former.
    block(
      "map",
      [text(variable("host"), " ", variable("http_host")), text(variable(hostVariable))],
      [
        entry("default", text(variable("host"))),
        entry(pattern("^(?i)(\\S+) \\1(?::\\d+)?\\z"), text(variable("http_host"))),
      ],
    ),
    // An upgrade to HTTP/2 would hide further requests from the rules.
    block(
      "map",
      [text(variable("http_upgrade")), text(variable(upgradeVariable))],
      [entry("default", text(variable("http_upgrade"))), entry(pattern("(?i)h2c"), text(""))],
    ),
    block(
      "map",
      [text(variable(upgradeVariable)), text(variable(connectionVariable))],
      [entry("default", text("upgrade")), entry(emptyValue, text(""))],
    ),
  ];
}

function internalServer({ socket }: RenderPaths): Directive {
  return block(
    "server",
    [],
    [
      directive("listen", text(`unix:${socket}`)),
      directive("access_log", "off"),
      directive("include", text("generation.conf")),
      block("location", [text("/")], [directive("return", 404)]),
    ],
  );
}
