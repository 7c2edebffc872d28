import type { GatewayObject } from "../kinds/gateway-api.js";
import type { ProxyConfigObject } from "../kinds/proxy.js";
import type { ConfigPorts } from "./children.js";

/** Addresses that stand for all of a machine. */
const unspecified = new Set(["0.0.0.0", "::", "[::]", ""]);

/** URL of a configuration: of its first host name, else of an address of its gateway, else of this machine. */
export function addressOf(
  { hostnames, tls }: Pick<ProxyConfigObject["spec"], "hostnames" | "tls">,
  { http, https }: ConfigPorts,
  gateway: Pick<GatewayObject, "status"> | undefined,
): string {
  const named = hostnames.find((hostname) => !hostname.startsWith("*."));
  const address = gateway?.status?.addresses?.find(({ value }) => !unspecified.has(value))?.value;
  const host = named ?? address ?? "localhost";
  const [scheme, port, usual] =
    tls === undefined ? (["http", http, 80] as const) : (["https", https, 443] as const);
  const shown = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return `${scheme}://${shown}${port === usual ? "" : `:${port}`}/`;
}
