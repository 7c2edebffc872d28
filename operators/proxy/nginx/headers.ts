import type { HeaderChanges, Origin } from "../translate/configuration.js";
import { directive, emptyValue, entry, text, variable, type Directive, type Text } from "./directive.js";
import { headerVariable } from "./matching/conditions.js";
import { checkedHeaderName, RefusedValue } from "./refusal.js";
import type { SharedVariables } from "./shared-variables.js";

/** Variable with the value of the Host header, if it is the host that the server was chosen by. */
export const hostVariable = "fettle_host";
/** Variables for requests to change the protocol, such as those for WebSockets. */
export const connectionVariable = "fettle_connection";
export const upgradeVariable = "fettle_upgrade";

const defaultRequestHeaders: ReadonlyMap<string, Text> = new Map([
  ["Host", text(variable(hostVariable))],
  ["Connection", text(variable(connectionVariable))],
  ["Upgrade", text(variable(upgradeVariable))],
  ["X-Forwarded-For", text(variable("proxy_add_x_forwarded_for"))],
  ["X-Forwarded-Host", text(variable(hostVariable))],
  ["X-Forwarded-Port", text(variable("server_port"))],
  ["X-Forwarded-Proto", text(variable("scheme"))],
]);

/** Headers that say where a message ends, or belong to one connection: nginx writes them itself. */
const framing = [
  "connection",
  "content-length",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
const ownInResponses = ["date", "server"];

/** Headers of requests to upstreams, for rules without changes. */
export function defaultHeaders(): readonly Directive[] {
  return [...defaultRequestHeaders].map(([name, value]) => directive("proxy_set_header", text(name), value));
}

/**
 * Changes of the headers of requests. A location with one `proxy_set_header` inherits none, so that all of them are repeated. A header that
 * occurs several times in a request counts with its first line, as this is all that nginx has.
 */
export function requestHeaders(
  changes: HeaderChanges,
  hostname: string | undefined,
  variables: SharedVariables,
  origin: Origin,
): readonly Directive[] {
  const headers = new Map<string, { readonly name: string; readonly value: Text }>();
  const put = (name: string, value: Text): void => void headers.set(name.toLowerCase(), { name, value });
  for (const name of changes.remove) put(name, text(""));
  if (hostname !== undefined) put("Host", text(hostname));
  for (const { name, value } of changes.set) put(name, text(value));
  for (const { name, value } of changes.add) {
    const before = headers.get(name.toLowerCase())?.value ?? existing(name, variables, origin);
    put(name, appended(before, value));
  }
  if (headers.size === 0) return [];
  for (const { name } of headers.values()) check(name, framing, origin);
  const unchanged = [...defaultRequestHeaders].filter(([name]) => !headers.has(name.toLowerCase()));
  return [
    ...unchanged.map(([name, value]) => directive("proxy_set_header", text(name), value)),
    ...[...headers.values()].map(({ name, value }) => directive("proxy_set_header", text(name), value)),
  ];
}

/** Value of a header of the request with a comma, or nothing if there is none. */
function existing(name: string, variables: SharedVariables, origin: Origin): Text {
  const source = variable(headerVariable(name, origin));
  const entries = [entry("default", text(source, ",")), entry(emptyValue, text(""))];
  return text(variable(variables.map("before", text(source), entries, origin)));
}

function appended({ parts }: Text, value: string): Text {
  const last = parts.at(-1);
  if (typeof last !== "string") return text(...parts, value);
  return last === "" ? text(value) : text(...parts.slice(0, -1), `${last},${value}`);
}

/**
 * Changes of the headers of responses. Only headers of upstreams can be replaced and removed, not those that nginx writes itself:
 * they are refused.
 */
export function responseHeaders(changes: HeaderChanges, origin: Origin): readonly Directive[] {
  const hidden = new Map<string, string>();
  for (const name of [...changes.remove, ...changes.set.map((header) => header.name)]) {
    hidden.set(name.toLowerCase(), name);
  }
  // Of two values for the same name, the last one is set.
  const set = new Map(changes.set.map((header) => [header.name.toLowerCase(), header]));
  const added = [...set.values(), ...changes.add];
  for (const name of [...hidden.values(), ...added.map((header) => header.name)])
    check(name, [...framing, ...ownInResponses], origin);
  return [
    ...[...hidden.values()].map((name) => directive("proxy_hide_header", text(name))),
    ...added.map(({ name, value }) => directive("add_header", text(name), text(value), "always")),
  ];
}

function check(name: string, reserved: readonly string[], origin: Origin): void {
  checkedHeaderName(name, origin);
  if (!reserved.includes(name.toLowerCase())) return;
  throw new RefusedValue(`the header ${name} cannot be changed: nginx writes it itself`, origin);
}
