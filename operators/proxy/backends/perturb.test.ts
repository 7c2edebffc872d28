import { triggers } from "fettle";
import { perturb } from "fettle/testing";
import { expect, test } from "vitest";
import { Backend } from "../kinds/proxy.js";
import { backends } from "./backends.js";
import { HealthProber } from "./prober.js";

/** Servers that are checked, of which some do not respond. */
class Servers {
  readonly #down = new Set(["10.0.0.2"]);

  check(address: string): string | undefined {
    return this.#down.has(address) ? "connection refused" : undefined;
  }
}

/** Schedules of faults; all of them with FETTLE_PERTURB=1000. */
const limit = Number(process.env["FETTLE_PERTURB"] ?? 40);

test(
  "no single fault changes the health that is reported in the end",
  { timeout: 60_000 + limit * 2000 },
  async () => {
    const report = await perturb(
      {
        // Checks are not effects: only the status is compared, so the world has nothing to observe.
        world: { create: () => ({}), snapshot: () => ({}) },
        controllers: (_world, { clock }) => {
          const servers = new Servers();
          const changes = triggers();
          const prober = new HealthProber({
            clock,
            random: () => 0.5,
            check: async ({ address }) => servers.check(address),
            onChange: ({ name, namespace }, text) => changes.send({ name, namespace }, text),
          });
          return [backends({ prober, changes, resolve: async (host) => ({ addresses: [host] }) })];
        },
        async workload({ client, settled }) {
          await client.create(Backend, {
            metadata: { name: "web" },
            spec: { targets: [{ host: "10.0.0.1", port: 80 }], healthCheck: {} },
          });
          await settled();
          await client.patch(Backend, "web", {
            spec: { targets: ["10.0.0.1", "10.0.0.2"].map((host) => ({ host, port: 80 })) },
          });
          await settled();
          await client.create(Backend, {
            metadata: { name: "down" },
            spec: { targets: [{ host: "10.0.0.2", port: 80 }], healthCheck: { unhealthyThreshold: 1 } },
          });
          await settled();
        },
      },
      { limit },
    );
    expect(report.failures.length, report.text()).toBe(0);
  },
);
