import type { KubeObject } from "fettle";
import { perturb, type Scenario } from "fettle/testing";
import { expect, test } from "vitest";
import { Backend, ProxyConfig } from "../kinds/proxy.js";
import { childKinds, createClass, serve } from "./fixtures/simulated-nginx.js";
import { proxyConfigs } from "./proxy-configs.js";

const route = (path: string, more: object = {}) => ({ path, backends: [{ id: "web" }], ...more });

const scenario: Scenario<undefined> = {
  controllers: () => [proxyConfigs({ results: { gateway: () => undefined } })],
  kinds: [...childKinds],
  /** The status of the children is that of the workload, with as many generations as there were writes. */
  normalize(object) {
    if (object.kind === "ProxyConfig") return object;
    const { status: _, ...rest } = object as KubeObject & { readonly status?: unknown };
    return rest;
  },
  async workload({ client, settled }) {
    await createClass(client);
    await client.create(Backend, { metadata: { name: "web" }, spec: {} });
    const spec = {
      routes: [route("/a", { rateLimit: { requests: 5 } }), route("/b")],
      tls: { selfSigned: true },
    };
    await client.create(ProxyConfig, { metadata: { name: "shop" }, spec });
    await settled();
    await serve(client);
    await settled();
    await client.patch(ProxyConfig, "shop", { spec: { routes: [route("/b"), route("/c")], tls: null } });
    await settled();
    await serve(client);
    await client.create(ProxyConfig, { metadata: { name: "gone" }, spec: { routes: [route("/")] } });
    await settled();
    await client.delete(ProxyConfig, "gone");
    await settled();
    // A controller that saw an old state has written children again, which are others for nginx.
    await serve(client);
    await settled();
  },
};

/** Schedules of faults; all of them with FETTLE_PERTURB=1000. */
const limit = Number(process.env["FETTLE_PERTURB"] ?? 40);

test(
  "no single fault changes the children and the status in the end",
  { timeout: 60_000 + limit * 2000 },
  async () => {
    const report = await perturb(scenario, { limit });
    expect(report.failures.length, report.text()).toBe(0);
  },
);
