import { isIpv6Address } from "./ip-address.js";

const control = /[^ -~\u0080-\u{10FFFF}]/u;
const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const badEscape = /%(?![0-9A-Fa-f]{2})/;
const userInfo = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const port = /^(?::\d*)?$/;
/**
 * Allowed ASCII characters in a host; others are free. Escapes are for bytes beyond ASCII, and the percent
 * sign.
 */
const host = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"]|[^\0-\x7f]|%[89A-Fa-f][0-9A-Fa-f]|%25)*$/u;
const hostCharacter = /^[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>" %]$/;

/** Format `uri`: an absolute URI or an absolute path, as Go's net/url parses it in a request. */
export function isRequestUri(text: string): boolean {
  if (text === "*") return true;
  if (text === "" || text.startsWith(":") || control.test(text)) return false;
  const [prefix = "", name = ""] = scheme.exec(text) ?? [];
  const rest = beforeQuery(text.slice(prefix.length));
  if (!rest.startsWith("/")) return name !== "";
  if (name === "" || !rest.startsWith("//")) return !badEscape.test(rest);
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(name.toLowerCase(), authority) && (slash < 0 || !badEscape.test(rest.slice(slash)));
}

function beforeQuery(text: string): string {
  const mark = text.indexOf("?");
  return mark < 0 ? text : text.slice(0, mark);
}

function isAuthority(name: string, authority: string): boolean {
  const at = authority.lastIndexOf("@");
  const user = authority.slice(0, Math.max(at, 0));
  return isHost(name, authority.slice(at + 1)) && userInfo.test(user) && !badEscape.test(user);
}

function isHost(name: string, text: string): boolean {
  const bracket = text.lastIndexOf("[");
  if (bracket > 0) return false;
  if (bracket === 0) return isBracketedHost(text);
  const isStrict = name === "http" || name === "https";
  const colon = isStrict ? text.indexOf(":") : text.lastIndexOf(":");
  return (colon < 0 || port.test(text.slice(colon))) && host.test(text);
}

function isBracketedHost(text: string): boolean {
  const close = text.lastIndexOf("]");
  if (close < 0 || !port.test(text.slice(close + 1))) return false;
  const [address = "", ...zone] = text.slice(1, close).split("%25");
  return isIpv6Address(address, "strict") && (zone.length === 0 || isZone(zone.join("%25")));
}

function isZone(text: string): boolean {
  if (text === "" || badEscape.test(text)) return false;
  const parts = text.match(/%[0-9A-Fa-f]{2}|[^]/gu) ?? [];
  return parts.every((part) => {
    if (part.length !== 3) return part !== " " && part !== "%" && (part > "\x7f" || hostCharacter.test(part));
    return hostCharacter.test(String.fromCharCode(Number.parseInt(part.slice(1), 16)));
  });
}
