import {
  controller,
  predicates,
  strategies,
  toAll,
  watch,
  type Controller,
  type TriggerSource,
} from "fettle";
import type { ReconcileContext } from "fettle/runtime";
import { Gateway, GatewayClass, type GatewayObject } from "./kinds/gateway-api.js";
import { controllerName, defaultClass, ProxyClass } from "./kinds/proxy.js";
import { passOn, type Preview } from "./preview.js";
import type { Results } from "./results.js";
import { gatewayStatus } from "./translate/status.js";

export interface ResultControllerOptions {
  readonly results: Results;
  /** Triggers runs of objects whose result has changed. */
  readonly changes: TriggerSource;
  readonly preview: Preview;
}

/** Writes the status of gateways. The nginx behind them is configured by the controller of its class. */
export function gateways({ results, changes, preview }: ResultControllerOptions): Controller {
  return controller({
    for: Gateway,
    name: "gateways.proxy.fettle.dev",
    triggers: [changes],
    watches: [
      watch(GatewayClass, { to: toAll, where: predicates.desired }),
      watch(ProxyClass, { to: toAll, where: predicates.desired }),
    ],
    strategy: strategies.immediate,
    async reconcile(gateway, { step, read, report, condition, now }) {
      const { uid = "", generation } = gateway.metadata;
      const found = results.gateway(uid);
      // In a run, the controller of the class has seen the object already, or is about to.
      await step(
        passOn,
        {
          unless: () => results.classes.size === 0 || found?.result.generation === generation,
          detail: () => preview([gateway]),
        },
        () => {},
      );
      if (found === undefined) {
        const missing = missingClass(gateway, read);
        if (missing !== undefined)
          condition("Programmed", "False", "Pending", `there is no ${missing}: create it`);
        return;
      }
      const addresses = results.classes.get(found.className)?.input.proxyClass.spec.addresses ?? [];
      const status = gatewayStatus(found.result, found.programming, addresses);
      for (const { type, status: value, reason, message } of status.conditions)
        condition(type, value, reason, message);
      report({ addresses: status.addresses, listeners: status.listeners(gateway.status?.listeners, now()) });
    },
  });
}

/** ProxyClass that would have to exist for a gateway of this operator; undefined if it does, or the gateway is of another operator. */
function missingClass(
  { spec }: GatewayObject,
  read: ReconcileContext<typeof Gateway, never>["read"],
): string | undefined {
  const gatewayClass = read(GatewayClass, { name: spec.gatewayClassName, namespace: "" });
  if (gatewayClass?.spec.controllerName !== controllerName) return undefined;
  const { name = defaultClass } = gatewayClass.spec.parametersRef ?? {};
  return read(ProxyClass, { name, namespace: "" }) === undefined ? `ProxyClass ${name}` : undefined;
}
