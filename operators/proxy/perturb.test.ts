import { triggers, type Clock, type Controller } from "fettle";
import { perturb, type Scenario } from "fettle/testing";
import { expect, test } from "vitest";
import { ClassDrivers } from "./class-drivers.js";
import { proxyConfigs } from "./configs/proxy-configs.js";
import { memoryProxy, type MemoryProxy } from "./driver/memory/memory-proxy.js";
import { gatewayClasses } from "./gateway-classes.js";
import { gateways } from "./gateways.js";
import { httpRoutes } from "./http-routes.js";
import { Backend, controllerName, GatewayClass, ProxyClass, ProxyConfig } from "./index.js";
import { rateLimitPolicies } from "./limits/policies.js";
import { RefusedCounts } from "./limits/refused-counts.js";
import { proxyClasses } from "./proxy-classes.js";
import { Results } from "./results.js";

/** Controllers on an nginx in memory, which keeps running when they crash. */
function controllersOn(proxy: MemoryProxy): readonly Controller[] {
  proxy.restart();
  const results = new Results();
  const classChanges = triggers();
  const changes = { Gateway: triggers(), HTTPRoute: triggers(), RateLimitPolicy: triggers() };
  results.onChange(({ kind, name, namespace }) => changes[kind].send({ name, namespace }, "changed"));
  const drivers = new ClassDrivers({
    open: async () => proxy,
    onChange: (name, text) => classChanges.send({ name }, text),
  });
  const preview = async () => "";
  return [
    proxyClasses({ drivers, results, changes: classChanges, findProgram: async () => "/usr/sbin/nginx" }),
    gatewayClasses,
    gateways({ results, changes: changes.Gateway, preview }),
    httpRoutes({ results, changes: changes.HTTPRoute, preview }),
    rateLimitPolicies({ results, counts: new RefusedCounts(), changes: changes.RateLimitPolicy }),
    proxyConfigs({ results }),
  ];
}

const route = (path: string, id: string) => ({ path, backends: [{ id }] });

const scenario: Scenario<MemoryProxy> = {
  controllers: (proxy) => controllersOn(proxy),
  world: {
    create: ({ clock }: { readonly clock: Clock }) => memoryProxy({ clock }),
    snapshot: (proxy) => proxy.snapshot(),
  },
  /** A fault may cost another number of a configuration, and other times. */
  normalize(object) {
    if (object.kind !== "ProxyClass" && object.kind !== "ProxyConfig") return object;
    const { status } = object as { readonly status?: { readonly conditions?: readonly object[] } };
    const conditions = status?.conditions?.map((condition) => {
      const { type, status: value, reason } = condition as Record<string, unknown>;
      return { type, status: value, reason };
    });
    return { ...object, status: { conditions } };
  },
  async workload({ client, settled }) {
    await client.create(ProxyClass, { metadata: { name: "nginx" }, spec: {} });
    await client.create(GatewayClass, { metadata: { name: "nginx" }, spec: { controllerName } });
    await client.create(Backend, {
      metadata: { name: "web" },
      spec: { targets: [{ host: "10.0.0.1", port: 80 }] },
    });
    await client.create(ProxyConfig, {
      metadata: { name: "shop" },
      spec: { hostnames: ["shop.example"], routes: [route("/", "web")] },
    });
    await settled();
    await client.patch(ProxyConfig, "shop", {
      spec: { routes: [{ ...route("/", "web"), rateLimit: { requests: 5 } }, route("/api", "missing")] },
    });
    await client.create(ProxyConfig, {
      metadata: { name: "blog" },
      spec: { hostnames: ["blog.example"], routes: [route("/", "web")] },
    });
    await settled();
    await client.patch(ProxyConfig, "shop", { spec: { routes: [route("/", "web")] } });
    await client.delete(ProxyConfig, "blog");
    await settled();
  },
};

/** Schedules of faults; all of them with FETTLE_PERTURB=1000. */
const limit = Number(process.env["FETTLE_PERTURB"] ?? 40);

test("no single fault changes what nginx serves in the end", { timeout: 60_000 + limit * 3000 }, async () => {
  const report = await perturb(scenario, { limit });
  expect(report.failures.length, report.text()).toBe(0);
});
