import { compact, type ProcessInput } from "./manifest.js";
import type { YamlValue } from "./yaml-reader.js";

type Ports = NonNullable<ProcessInput["ports"]>;

/** Longest range of ports that is imported. */
const maxRange = 100;
const protocols = new Set(["tcp", "http", "https"]);

/**
 * Ports on which a service listens. Their host ports are of no use, because the process listens on this machine itself. Replicas
 * cannot share a port, so that each gets one of its own.
 */
export function servicePorts(value: YamlValue, replicas: number): Ports {
  const ports: Ports = [];
  for (const item of value.items()) {
    const found = item.isMap ? longForm(item) : shortForm(item);
    if (found === undefined) continue;
    const { host, published, first, last, protocol } = found;
    if (!protocols.has(protocol)) {
      item.warn(`is ignored: only TCP ports are known to Fettle, not ${protocol}`);
      continue;
    }
    const text = first === last ? `${first}` : `${first}-${last}`;
    if (published !== undefined && published !== text) {
      item.warn(
        `is imported as port ${text}: the process listens on this machine itself, so ${published} is ignored`,
      );
    }
    for (let port = first; port <= last; port++) {
      const name = `port-${port}`;
      if (ports.some((each) => each.name === name)) continue;
      ports.push(
        compact({
          name,
          port: replicas > 1 ? undefined : port,
          host: host === "127.0.0.1" ? undefined : host,
        }),
      );
    }
  }
  if (replicas > 1 && ports.length > 0) {
    value.warn(
      `become free ports, one for each of the ${replicas} processes: they cannot share one; see $PORT and status.ports`,
    );
  }
  return ports;
}

interface PortRange {
  readonly host: string | undefined;
  /** Port or range of the host, as it is written. */
  readonly published: string | undefined;
  readonly first: number;
  readonly last: number;
  readonly protocol: string;
}

/** `[host:][published:]target[/protocol]`. */
function shortForm(value: YamlValue): PortRange | undefined {
  const text = value.text();
  if (text === undefined) return undefined;
  const [, host, published, target = "", protocol = "tcp"] =
    /^(?:(?:(\[[^\]]*\]|[^:]*):)?([\d-]*):)?([\d-]+)(?:\/(\w+))?$/.exec(text) ?? [];
  const range = rangeOf(target);
  if (range === undefined) {
    return value.fail(
      `is ${JSON.stringify(text)}: use a port such as 8080, or host:container such as 80:8080`,
    );
  }
  return {
    host: host === undefined || host === "" ? undefined : host.replaceAll(/[[\]]/g, ""),
    published: published === undefined || published === "" ? undefined : published,
    ...range,
    protocol,
  };
}

function longForm(value: YamlValue): PortRange | undefined {
  const fields = value.fields();
  const target = fields.get("target");
  const range = rangeOf(target.text() ?? "");
  const host = fields.get("host_ip").text();
  const published = fields.get("published").text();
  const protocol = fields.get("protocol").text() ?? "tcp";
  fields.skip("name", "mode", "app_protocol");
  fields.warnUnread(() => "it is not supported");
  if (range === undefined) return value.fail("has no valid target: use a port number");
  return { host, published, ...range, protocol };
}

function rangeOf(text: string): { readonly first: number; readonly last: number } | undefined {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  const isValid = first >= 1 && last >= first && last <= 65_535 && last - first < maxRange;
  return isValid ? { first, last } : undefined;
}
