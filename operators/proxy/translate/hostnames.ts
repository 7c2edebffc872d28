import { compareText } from "./identity.js";

/** Host name of a listener or route: exact, a wildcard (`*.example.com`), or {@link anyHost}. */
export type Host = string;

/** Host of listeners and routes that name none. */
export const anyHost: Host = "";

function isWildcard(host: Host): boolean {
  return host.startsWith("*.");
}

/** True if every name that `inner` stands for is one of `outer`. A wildcard stands for one label or more. */
function covers(outer: Host, inner: Host): boolean {
  if (outer === anyHost || outer === inner) return true;
  return isWildcard(outer) && inner.length >= outer.length && inner.endsWith(outer.slice(1));
}

/** Names that two hosts have in common: always the narrower of them; undefined if there are none. */
export function intersect(one: Host, other: Host): Host | undefined {
  if (covers(one, other)) return other;
  return covers(other, one) ? one : undefined;
}

/** Finds the entry of the most specific host that covers a host. */
export function mostSpecific<T>(entries: ReadonlyMap<Host, T>, host: Host): T | undefined {
  const exact = entries.get(host);
  if (exact !== undefined) return exact;
  for (const wildcard of enclosingWildcards(host)) {
    const entry = entries.get(wildcard);
    if (entry !== undefined) return entry;
  }
  return entries.get(anyHost);
}

/** Wildcards that cover a host, the most specific first; a wildcard itself is not among its own. */
export function* enclosingWildcards(host: Host): Generator<Host> {
  const start = isWildcard(host) ? 2 : 0;
  for (let dot = host.indexOf(".", start); dot !== -1; dot = host.indexOf(".", dot + 1))
    yield `*${host.slice(dot)}`;
}

/** Orders exact names first, then wildcards with the longest first, then {@link anyHost}. */
export function compareHosts(one: Host, other: Host): number {
  const rank = rankOf(one);
  const byRank = rank - rankOf(other);
  if (byRank !== 0) return byRank;
  return (rank === 1 ? other.length - one.length : 0) || compareText(one, other);
}

function rankOf(host: Host): number {
  return host === anyHost ? 2 : isWildcard(host) ? 1 : 0;
}

/**
 * Specificity of a route's host, as a number: first the characters of a host that is no wildcard, then the characters of any.
 * Routes with a higher one have precedence, whatever their rules.
 */
export function specificity(host: Host): number {
  return isWildcard(host) ? host.length : host.length * 1000;
}
