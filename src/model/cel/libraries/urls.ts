import { quote } from "../../object/quote.js";
import { isRequestUri } from "../../formats/uri.js";
import { CelList } from "../values/list.js";
import { keyText, LiteralMap } from "../values/map.js";
import { decodeUtf8, encodeUtf8 } from "../values/text.js";
import { CelError, type OpaqueValue, type CelValue } from "../values/value.js";
import { overload, type Overload } from "./function.js";

/** URL, parsed like Go's net/url. */
class Url implements OpaqueValue {
  readonly typeName = "kubernetes.URL";

  constructor(
    readonly text: string,
    readonly scheme: string,
    readonly host: string,
    readonly path: string,
    readonly query: string,
  ) {}

  equals(other: OpaqueValue): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

/** Explains why a string is not a URL; undefined if it is one. */
export function urlFault(text: string): string | undefined {
  if (isRequestUri(text)) return undefined;
  if (text === "") return `parse "": empty url`;
  if (text.startsWith(":")) return `parse ${quote(text)}: missing protocol scheme`;
  return `parse ${quote(text)}: invalid URI for request`;
}

function readUrl(text: string): Url | CelError {
  const fault = urlFault(text);
  if (fault !== undefined) return new CelError(`URL parse error during conversion from string: ${fault}`);
  const whole = text.split("#", 1)[0] ?? "";
  const [, scheme = "", rest = ""] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^]*)$/.exec(whole) ?? [];
  const mark = rest.indexOf("?");
  const [before, query] = mark < 0 ? [rest, ""] : [rest.slice(0, mark), rest.slice(mark + 1)];
  if (!before.startsWith("//")) {
    // Without a slash there is no path: mailto:someone.
    const path = scheme !== "" && !before.startsWith("/") ? "" : before;
    return new Url(text, scheme.toLowerCase(), "", escapedPath(path), query);
  }
  const slash = before.indexOf("/", 2);
  const authority = slash < 0 ? before.slice(2) : before.slice(2, slash);
  const host = unescape(authority.slice(authority.lastIndexOf("@") + 1));
  return new Url(text, scheme.toLowerCase(), host, escapedPath(slash < 0 ? "" : before.slice(slash)), query);
}

const inPath = /^(?:[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]]|%[0-9A-Fa-f]{2})*$/;

/** Keeps a path that is escaped validly, and escapes others again. */
function escapedPath(path: string): string {
  if (inPath.test(path)) return path;
  return Array.from(encodeUtf8(unescape(path)), (byte) => {
    const character = String.fromCharCode(byte);
    if (/^[A-Za-z0-9\-_.~$&+,/:;=@]$/.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

function unescape(text: string): string {
  const bytes: number[] = [];
  const source = encodeUtf8(text);
  for (let at = 0; at < source.length; at++) {
    const byte = source[at] ?? 0;
    const code =
      byte === 0x25
        ? Number.parseInt(String.fromCharCode(source[at + 1] ?? 0, source[at + 2] ?? 0), 16)
        : NaN;
    if (Number.isNaN(code)) bytes.push(byte);
    else {
      bytes.push(code);
      at += 2;
    }
  }
  return decodeUtf8(Uint8Array.from(bytes)) ?? text;
}

function port(host: string): string {
  return /:(\d*)$/.exec(host.slice(host.lastIndexOf("]") + 1))?.[1] ?? "";
}

function hostname(host: string): string {
  const bracketed = /^\[([^]*)\]/.exec(host)?.[1];
  return bracketed ?? host.replace(/:\d*$/, "");
}

function query({ query: text }: Url): CelValue {
  const values = new Map<string, string[]>();
  for (const part of text.split("&")) {
    if (part === "" || part.includes(";")) continue;
    const sign = part.indexOf("=");
    const [key, value] = sign < 0 ? [part, ""] : [part.slice(0, sign), part.slice(sign + 1)];
    if (/%(?![0-9A-Fa-f]{2})/.test(part)) continue;
    const name = unescape(key.replaceAll("+", " "));
    values.set(name, [...(values.get(name) ?? []), unescape(value.replaceAll("+", " "))]);
  }
  const entries = new Map<string, readonly [CelValue, CelValue]>();
  for (const [key, list] of values) entries.set(keyText(key) ?? "", [key, new CelList(list)]);
  return new LiteralMap(entries);
}

/** Functions on URLs. */
export const urlFunctions: readonly Overload[] = [
  overload("url", "string_to_url", "(string): url", readUrl),
  overload("isURL", "is_url_string", "(string): bool", isRequestUri),
  overload("getScheme", "url_get_scheme", "url.(): string", ({ scheme }: Url) => scheme),
  overload("getHost", "url_get_host", "url.(): string", ({ host }: Url) => host),
  overload("getHostname", "url_get_hostname", "url.(): string", ({ host }: Url) => hostname(host)),
  overload("getPort", "url_get_port", "url.(): string", ({ host }: Url) => port(host)),
  overload("getEscapedPath", "url_get_escaped_path", "url.(): string", ({ path }: Url) => path),
  overload("getQuery", "url_get_query", "url.(): map(string, list(string))", query),
];
