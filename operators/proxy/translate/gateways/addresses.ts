import type { GatewayObject } from "../../kinds/gateway-api.js";
import type { ProxyClassObject } from "../../kinds/proxy.js";
import type { Problem } from "../findings.js";

type Addresses = NonNullable<GatewayObject["spec"]["addresses"]>;

/**
 * Checks the addresses that a gateway requests. nginx binds all ports to the addresses of its class, so a gateway can have these or
 * leave the choice to us. One that requests only some of them is not served, since it would be reachable on the others as well.
 */
export function addressProblem(
  requested: Addresses,
  { metadata, spec }: ProxyClassObject,
): (Problem & { readonly condition: "Accepted" | "Programmed" }) | undefined {
  const unsupported = requested.find(({ type }) => type !== "IPAddress");
  if (unsupported !== undefined) {
    const message = `spec.addresses: type ${unsupported.type} is not supported: use IPAddress, or remove the address`;
    return { condition: "Accepted", reason: "UnsupportedAddress", message };
  }
  const values = new Set(
    requested.flatMap(({ value }) => (value === undefined || value === "" ? [] : [value])),
  );
  if (values.size === 0) return undefined;
  const bound = spec.addresses.join(", ");
  const way = `remove spec.addresses, or use a GatewayClass whose ProxyClass has these addresses`;
  const foreign = [...values].find((value) => !spec.addresses.includes(value));
  if (foreign !== undefined) {
    const message = `ProxyClass ${metadata.name} binds ${bound}, not ${foreign}: ${way}`;
    return { condition: "Programmed", reason: "AddressNotUsable", message };
  }
  const missing = spec.addresses.filter((address) => !values.has(address));
  if (missing.length === 0) return undefined;
  const message = `ProxyClass ${metadata.name} binds ${missing.join(", ")} as well, so the gateway would be reachable there: ${way}`;
  return { condition: "Programmed", reason: "AddressNotUsable", message };
}
