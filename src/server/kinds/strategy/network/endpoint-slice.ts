import { isIP } from "node:net";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import { validateDns1123Label, validateDns1123Subdomain } from "../../../../model/object/names.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks, invalidIpAddress, protocols, same } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, someOf } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

export const endpointSlice: KindRules = {
  columns: [
    nameColumn,
    column("AddressType", "Type of the addresses.", (object) => as<EndpointSlice>(object).addressType ?? ""),
    column("Ports", "Ports.", (object) => {
      const ports = as<EndpointSlice>(object).ports ?? [];
      return someOf(ports.map(({ port, name }) => String(port ?? (name || "*")))) || "<unset>";
    }),
    column("Endpoints", "Addresses of the endpoints.", (object) => {
      const all = as<EndpointSlice>(object).endpoints ?? [];
      return someOf(all.flatMap(({ addresses }) => addresses)) || "<unset>";
    }),
    builtInAgeColumn,
  ],
  strategy: strategyOf({
    generation: true,
    prepareUpdate(object, old) {
      // Consumers select slices by labels, so a change of labels counts.
      if (!same(object.metadata["labels"] ?? {}, old.metadata.labels ?? {})) {
        object.metadata["generation"] = (old.metadata.generation ?? 0) + 1;
      }
    },
    validate,
    validateUpdate(object, old) {
      const checks = new Checks("addressType", validate(object));
      checks.unchanged(as<EndpointSlice>(object).addressType, as<EndpointSlice>(old).addressType);
      return checks.errors;
    },
  }),
};

function validateAddress(address: string, type: string, checks: Checks, position: number): void {
  const family = isIP(address);
  if (type === "FQDN") checks.at(position).faults(address, validateDns1123Subdomain(address));
  else if (family === 0) checks.at(position).invalid(address, invalidIpAddress);
  else if (type === "IPv4" && family !== 4) checks.invalid(address, "must be an IPv4 address");
  else if (type === "IPv6" && family !== 6) checks.invalid(address, "must be an IPv6 address");
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const { addressType, endpoints, ports = [] } = as<EndpointSlice>(object);
  const checks = new Checks("");
  if (!addressType) checks.at("addressType").required();
  else checks.at("addressType").oneOf(addressType, ["FQDN", "IPv4", "IPv6"]);
  const names = new Set<string>();
  for (const [index, { name = "", protocol }] of ports.entries()) {
    const at = checks.at("ports", index);
    if (names.has(name)) at.at("name").duplicate(name);
    names.add(name);
    if (name) at.at("name").faults(name, validateDns1123Label(name));
    at.at("protocol").oneOf(protocol, protocols);
  }
  for (const [index, { addresses = [] }] of endpoints.entries()) {
    if (addresses.length === 0) {
      checks.at("endpoints", index, "addresses").required("must contain at least 1 address");
    }
    for (const [position, address] of addresses.entries()) {
      validateAddress(address, addressType, checks.at("endpoints", index, "addresses"), position);
    }
  }
  return checks.errors;
}
