import type { Upstream } from "../translate/configuration.js";
import { block, directive, text, type Directive } from "./directive.js";
import { checkedAddress, checkedName, checkedNumber, RefusedValue } from "./refusal.js";

/** Seconds for which an idle connection is kept. Less than the 5 of Node.js, which would close it while a request is on its way. */
const keepaliveSeconds = 4;

/** Milliseconds that nginx has for a connection, unless a rule says otherwise. */
export const defaultConnectTimeout = 5000;

/**
 * Block of an upstream. A server that does not respond is left out for a second, then tried again: with the 10 of nginx, all servers that
 * restart at the same time would not be used for as long. nginx does this only if there are several.
 */
export function upstreamBlock({ name, servers, keepalive, origin }: Upstream): Directive {
  if (servers.length === 0) throw new RefusedValue(`the upstream ${name} has no servers`, origin);
  const lines = servers.map(({ address, port, weight }) => {
    const place = `${checkedAddress(address, origin)}:${checkedNumber(port, 1, 65_535, "the port", origin)}`;
    const share = checkedNumber(weight, 1, 1_000_000, "the weight", origin);
    return directive("server", text(place), `weight=${share}`, "max_fails=1", "fail_timeout=1s");
  });
  const idle = checkedNumber(keepalive, 0, 1_000_000, "keepalive", origin);
  const connections =
    idle === 0 ? [] : [directive("keepalive", idle), directive("keepalive_timeout", `${keepaliveSeconds}s`)];
  return block("upstream", [text(checkedName(name, origin))], [...lines, ...connections], origin);
}

/** Milliseconds for a connection to a server of an upstream. */
export function connectTimeout({ connectTimeout: time, origin }: Upstream): number {
  return checkedNumber(time, 1, 2 ** 31, "the connect timeout", origin);
}
