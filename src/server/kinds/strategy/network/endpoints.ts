import { isIP } from "node:net";
import type { Endpoints } from "kubernetes-types/core/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks, invalidIpAddress, protocols } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, none, someOf } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

export const endpoints: KindRules = {
  columns: [nameColumn, column("Endpoints", "Addresses and ports.", addresses), builtInAgeColumn],
  strategy: strategyOf({ allowCreateOnUpdate: true, validate }),
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const checks = new Checks("subsets");
  for (const [index, subset] of (as<Endpoints>(object).subsets ?? []).entries()) {
    const at = checks.at(index);
    const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
    if (addresses.length + notReadyAddresses.length === 0) {
      at.required("must specify `addresses` or `notReadyAddresses`");
    }
    for (const [field, all] of Object.entries({ addresses, notReadyAddresses })) {
      for (const [position, { ip }] of all.entries()) {
        if (isIP(ip)) continue;
        // Kubernetes checks an address twice, with two messages.
        at.at(field, position, "ip").invalid(ip, "must be a valid IP address");
        at.at(field, position, "ip").invalid(ip, invalidIpAddress);
      }
    }
    for (const [position, { port, protocol, name }] of ports.entries()) {
      const place = at.at("ports", position);
      if (!name && ports.length > 1) place.at("name").required();
      place.at("port").port(port);
      place.at("protocol").oneOf(protocol, protocols);
    }
  }
  return checks.errors;
}

function addresses(object: KubeObject): string {
  const all = (as<Endpoints>(object).subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostAndPort(ip, port))),
  );
  return none(someOf(all));
}

function hostAndPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
