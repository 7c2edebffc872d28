import type { Origin } from "../../translate/configuration.js";
import { quote, RefusedValue } from "../refusal.js";

/**
 * Path of a match as nginx compares it: with escapes such as `%20` decoded. Refuses escapes that are no characters of UTF-8.
 */
export function decodePath(path: string, origin: Origin): string {
  if (!path.startsWith("/"))
    throw new RefusedValue(`the path ${quote(path)} does not begin with "/"`, origin);
  return path.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      throw new RefusedValue(`the path ${quote(path)} has an escape that is not UTF-8`, origin);
    }
  });
}

/** Path for a request line or a Location header: characters that cannot be in one are escaped, escapes are kept. */
export function encodePath(path: string, origin: Origin): string {
  if (!path.startsWith("/"))
    throw new RefusedValue(`the path ${quote(path)} does not begin with "/"`, origin);
  if (/\p{Surrogate}/u.test(path))
    throw new RefusedValue(`the path ${quote(path)} is not valid Unicode`, origin);
  return path.replaceAll(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, encodeURIComponent);
}

/** Prefix by which paths are compared: without slashes at its end, so that `/` is empty. */
export function prefixOf(path: string): string {
  return path.replace(/\/+$/, "");
}

/** Says whether a path is the prefix, or continues it with another element. */
export function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** Prefixes of a path from the longest to the empty one, the path itself included. */
export function* enclosingPrefixes(path: string): Generator<string> {
  for (let prefix = prefixOf(path); prefix !== ""; prefix = prefix.slice(0, prefix.lastIndexOf("/")))
    yield prefix;
  yield "";
}
