import type { Origin } from "../translate/configuration.js";

/**
 * Tree of nginx directives. Values of objects only get into it as text, in which no character has a meaning: there are no templates
 * and no snippets. `serialize.ts` is the only place that writes the syntax of nginx.
 */
export interface Directive {
  readonly name: DirectiveName;
  readonly arguments: readonly Argument[];
  /** Content of a block; undefined for a directive that ends with a semicolon. */
  readonly block: readonly (Directive | Entry)[] | undefined;
  /** Object that it comes from. Default: that of the enclosing directive. */
  readonly origin: Origin | undefined;
}

/** Line of a `geo`, `map` or `split_clients` block. Keys are never plain text, which nginx could take for one of its keywords. */
export interface Entry {
  readonly key: Word | Pattern | EmptyKey;
  readonly value: Argument;
  readonly origin: Origin | undefined;
}

/** Key of an entry for an empty value. */
export interface EmptyKey {
  readonly type: "empty";
}

export type Argument = Word | Text | Pattern;

/** Bare word of our own code: a number, a size, `on`, `=`. Written without quotes. */
export interface Word {
  readonly type: "word";
  readonly word: string;
}

/** Concatenation of literal text, where `$` has no meaning either, and variables. */
export interface Text {
  readonly type: "text";
  readonly parts: readonly (string | Variable)[];
}

/** Regular expression, in which nginx expands no variables. */
export interface Pattern {
  readonly type: "pattern";
  readonly source: string;
}

export interface Variable {
  /** Name without `$`, or the digit of a group of a regular expression. */
  readonly variable: string;
}

/**
 * Treatment of `$` in an argument: nginx expands variables, takes it literally, or gives it a meaning that text must not have, so that
 * it is refused.
 */
export type ArgumentMode = "expanded" | "literal" | "refused";

/** All directives that are written, with the modes of their arguments; the last one applies to all that follow. */
export const argumentModes = {
  access_log: ["refused", "literal", "expanded"],
  add_header: ["literal", "expanded", "literal"],
  client_body_temp_path: ["literal"],
  client_max_body_size: ["literal"],
  default_type: ["literal"],
  error_log: ["literal"],
  events: [],
  fastcgi_temp_path: ["literal"],
  geo: ["expanded"],
  http: [],
  if: ["expanded"],
  include: ["refused"],
  keepalive: ["literal"],
  keepalive_timeout: ["literal"],
  limit_req: ["refused"],
  limit_req_log_level: ["literal"],
  limit_req_status: ["literal"],
  limit_req_zone: ["expanded", "refused"],
  listen: ["literal"],
  location: ["literal"],
  log_format: ["literal", "literal", "expanded"],
  map: ["expanded"],
  map_hash_bucket_size: ["literal"],
  map_hash_max_size: ["literal"],
  pcre_jit: ["literal"],
  pid: ["literal"],
  proxy_buffering: ["literal"],
  proxy_connect_timeout: ["literal"],
  proxy_headers_hash_bucket_size: ["literal"],
  proxy_headers_hash_max_size: ["literal"],
  proxy_hide_header: ["literal"],
  proxy_http_version: ["literal"],
  proxy_ignore_headers: ["literal"],
  proxy_next_upstream: ["literal"],
  proxy_next_upstream_timeout: ["literal"],
  proxy_pass: ["expanded"],
  proxy_read_timeout: ["literal"],
  proxy_redirect: ["literal"],
  proxy_send_timeout: ["literal"],
  proxy_set_header: ["literal", "expanded"],
  proxy_temp_path: ["literal"],
  return: ["literal", "expanded"],
  rewrite: ["literal", "expanded", "literal"],
  root: ["refused"],
  scgi_temp_path: ["literal"],
  server: ["literal"],
  server_name: ["refused"],
  server_names_hash_bucket_size: ["literal"],
  server_names_hash_max_size: ["literal"],
  server_tokens: ["literal"],
  set: ["expanded"],
  split_clients: ["expanded"],
  ssl_certificate: ["refused"],
  ssl_certificate_key: ["refused"],
  ssl_protocols: ["literal"],
  ssl_reject_handshake: ["literal"],
  ssl_session_cache: ["literal"],
  try_files: ["expanded"],
  upstream: ["refused"],
  user: ["literal"],
  uwsgi_temp_path: ["literal"],
  variables_hash_bucket_size: ["literal"],
  variables_hash_max_size: ["literal"],
  worker_connections: ["literal"],
  worker_processes: ["literal"],
  worker_rlimit_nofile: ["literal"],
  worker_shutdown_timeout: ["literal"],
} as const satisfies Record<string, readonly ArgumentMode[]>;

export type DirectiveName = keyof typeof argumentModes;

/** Mode of the values in a block of entries. */
export const entryModes = {
  geo: "literal",
  map: "expanded",
  split_clients: "literal",
} as const satisfies Partial<Record<DirectiveName, ArgumentMode>>;

/** Bare word. A number is written in decimal digits. */
export function word(value: string | number): Word {
  return { type: "word", word: String(value) };
}

/** Text; see {@link Text}. */
export function text(...parts: readonly (string | Variable)[]): Text {
  return { type: "text", parts };
}

export function pattern(source: string): Pattern {
  return { type: "pattern", source };
}

export function variable(name: string): Variable {
  return { variable: name };
}

/** Key of an entry for an empty value, which nginx compares with no pattern. */
export const emptyValue: EmptyKey = { type: "empty" };

/** Directive without a block. Strings and numbers among the arguments are words. */
export function directive(
  name: DirectiveName,
  ...values: readonly (Argument | string | number)[]
): Directive {
  return { name, arguments: values.map(toArgument), block: undefined, origin: undefined };
}

/** Directive with a block. */
export function block(
  name: DirectiveName,
  values: readonly (Argument | string | number)[],
  content: readonly (Directive | Entry)[],
  origin?: Origin,
): Directive {
  return { name, arguments: values.map(toArgument), block: content, origin };
}

/** Line of a block of entries. A string as its key is a word. */
export function entry(key: Entry["key"] | string, value: Argument | string | number, origin?: Origin): Entry {
  return { key: typeof key === "string" ? word(key) : key, value: toArgument(value), origin };
}

function toArgument(value: Argument | string | number): Argument {
  return typeof value === "object" ? value : word(value);
}
