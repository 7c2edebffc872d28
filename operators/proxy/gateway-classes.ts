import { controller, strategies, toAll, watch, type Controller } from "fettle";
import { GatewayClass } from "./kinds/gateway-api.js";
import { controllerName, defaultClass, ProxyClass } from "./kinds/proxy.js";

/** Accepts the gateway classes of this operator. */
export const gatewayClasses: Controller = controller({
  for: GatewayClass,
  name: "gatewayclasses.proxy.fettle.dev",
  strategy: strategies.immediate,
  watches: [watch(ProxyClass, { to: toAll })],
  reconcile({ spec }, { read, condition }) {
    if (spec.controllerName !== controllerName) return;
    const { group = "", kind = "", name = defaultClass } = spec.parametersRef ?? {};
    if (spec.parametersRef !== undefined && (group !== ProxyClass.group || kind !== ProxyClass.kind)) {
      const message = `parametersRef has to name a ProxyClass of ${ProxyClass.group}, not a ${kind} of ${group || "core"}`;
      condition("Accepted", "False", "InvalidParameters", message);
    } else if (read(ProxyClass, { name, namespace: "" }) === undefined) {
      condition("Accepted", "False", "InvalidParameters", `there is no ProxyClass ${name}: create it`);
    } else {
      condition("Accepted", "True", "Accepted", `served by the nginx of ProxyClass ${name}`);
    }
  },
});
