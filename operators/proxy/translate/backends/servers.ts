import { isIP } from "node:net";
import type { ObjectOf } from "fettle";
import type { EndpointSlice, Service } from "fettle/kubernetes";
import type { BackendObject, HealthState } from "../../kinds/proxy.js";
import type { Upstream } from "../configuration.js";
import { compareText } from "../identity.js";

type Servers = Upstream["servers"];
type ServiceObject = ObjectOf<typeof Service>;
type ServicePort = NonNullable<NonNullable<ServiceObject["spec"]>["ports"]>[number];

/**
 * Servers of a Backend: the addresses of its targets, except of those that are unhealthy or have weight 0. If all targets are
 * unhealthy there are none: requests get 503 at once, instead of waiting for servers that do not respond.
 */
export function serversOfBackend({ spec, status }: BackendObject): Servers {
  const checked = new Map((status?.targets ?? []).map((target) => [`${target.host} ${target.port}`, target]));
  const found = spec.targets.flatMap(({ host, port, weight }) => {
    if (weight === 0) return [];
    const target = checked.get(`${host} ${port}`);
    // Before its first check a target is used if its address needs no name server.
    const addresses = target === undefined ? [host] : isUsable(target.health) ? target.addresses : [];
    return addresses
      .filter(isAddress)
      .toSorted()
      .map((address) => ({ address, port, weight }));
  });
  return withoutDuplicates(found);
}

function isUsable(health: HealthState): boolean {
  return health !== "unhealthy";
}

/** Ready endpoints of a port of a Service, in the address family that the Service prefers. */
export function serversOfService(
  { spec }: ServiceObject,
  { name = "" }: ServicePort,
  slices: readonly ObjectOf<typeof EndpointSlice>[],
): Servers {
  const found = slices.flatMap(({ addressType, ports, endpoints }) => {
    if (addressType !== "IPv4" && addressType !== "IPv6") return [];
    const port = (ports ?? []).find((candidate) => (candidate.name ?? "") === name)?.port;
    if (port === undefined) return [];
    // An endpoint that says nothing about itself counts as ready.
    const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    return ready.flatMap(({ addresses }) =>
      addresses.filter(isAddress).map((address) => ({ address, port, weight: 1, family: addressType })),
    );
  });
  const [preferred] = spec?.ipFamilies ?? [];
  const inFamily = found.filter(({ family }) => family === preferred);
  const used = inFamily.length > 0 ? inFamily : found;
  const sorted = used.toSorted(
    (one, other) => compareText(one.address, other.address) || one.port - other.port,
  );
  // Slices can list an endpoint twice while they are rearranged; it is one server.
  return withoutDuplicates(sorted).map(({ address, port }) => ({ address, port, weight: 1 }));
}

/** nginx has no syntax for the zone of an IPv6 address. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}

/** Several targets can have the same address: it gets the weight of all. */
function withoutDuplicates(servers: Servers): Servers {
  const byAddress = new Map<string, Servers[number]>();
  for (const server of servers) {
    const key = `${server.address} ${server.port}`;
    const { weight = 0 } = byAddress.get(key) ?? {};
    byAddress.set(key, { ...server, weight: weight + server.weight });
  }
  return [...byAddress.values()];
}
