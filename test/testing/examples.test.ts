import { describe, expect, test } from "vitest";
import type { ObjectOf } from "fettle";
import { Deployment, StatefulSet } from "fettle/kubernetes";
import { perturb, type Scenario } from "fettle/testing";
import { clusters } from "../../examples/cluster/clusters.js";
import { Cluster } from "../../examples/cluster/kinds.js";
import { MemoryMachines } from "../../examples/cluster/machines.js";
import { nodes } from "../../examples/cluster/nodes.js";
import { Device, devices } from "../../examples/device/device.js";
import { MemoryGateway } from "../../examples/device/memory-gateway.js";
import { bookings, watchBookings, type Booking } from "../../examples/lab/bookings.js";
import { MemoryContainers } from "../../examples/lab/containers.js";
import { LabInstanceRequest } from "../../examples/lab/lab.js";
import { labs } from "../../examples/lab/labs.js";
import { patrol } from "../../examples/lab/patrol.js";
import { Page, Site, sites } from "../../examples/site/index.js";
import { Tenant } from "../../examples/tenant/tenant.js";
import { tenants } from "../../examples/tenant/tenants.js";

const limit = Number(process.env["FETTLE_PERTURB"] ?? 40);

test("sites", async () => {
  const scenario: Scenario<unknown> = {
    controllers: () => [sites],
    async workload({ client, settled, until }) {
      await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello", pages: 2 } });
      await client.create(Site, { metadata: { name: "blank" }, spec: { title: " " } });
      await until(Page, "hello-2", (page) => page !== undefined);
      await client.patch(Page, "hello-2", { spec: { html: "by hand" } });
      await client.patch(Site, "hello", { spec: { title: "Hello again", pages: 1 } });
      await client.patch(Site, "blank", { spec: { title: "No longer" } });
      await until(Page, "hello-2", (page) => page === undefined);
      await client.delete(Page, "hello-1");
      await settled();
      await client.delete(Site, "hello");
      await settled();
    },
  };
  const report = await perturb(scenario, { limit });
  expect(report.failures, report.text()).toEqual([]);
});

test("devices", async () => {
  const isRunning = (generation: number) => (device?: ObjectOf<typeof Device>) =>
    device?.status?.observedGeneration === generation &&
    device.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  const scenario: Scenario<MemoryGateway> = {
    controllers: (gateway) => [devices(gateway)],
    world: { create: () => new MemoryGateway(), snapshot: (gateway) => gateway.all() },
    async workload({ client, settled, until, world }) {
      await client.create(Device, {
        metadata: { name: "pump" },
        spec: { desired: "running", config: { mode: "eco" } },
      });
      await settled();
      await client.patch(Device, "pump", { spec: { config: { mode: "turbo" } } });
      await settled();
      world.crash("pump");
      await client.patch(Device, "pump", { spec: { config: { rate: "9" } } });
      await until(Device, "pump", isRunning(3));
      await client.create(Device, { metadata: { name: "fan" }, spec: { config: { mode: "eco" } } });
      await client.delete(Device, "pump");
      await settled();
    },
  };
  const report = await perturb(scenario, { limit });
  expect(report.failures, report.text()).toEqual([]);
});

describe("clusters and nodes", () => {
  const scenario: Scenario<MemoryMachines> = {
    controllers: (machines) => [clusters, nodes(machines)],
    world: { create: () => new MemoryMachines(), snapshot: ({ versions }) => versions },
    async workload({ client, settled }) {
      await client.create(Cluster, { metadata: { name: "prod" }, spec: { version: "1", nodes: ["a", "b"] } });
      await settled();
      await client.patch(Cluster, "prod", { spec: { version: "2", nodes: ["a"] } });
      await settled();
      await client.create(Cluster, { metadata: { name: "test" }, spec: { version: "1", nodes: ["a"] } });
      await client.delete(Cluster, "prod");
      await settled();
    },
  };

  test("reach the desired state", async () => {
    const report = await perturb(scenario, { limit });
    expect(report.failures, report.text()).toEqual([]);
  });

  test("release all machines, also of nodes deleted while the controllers were down", async () => {
    const report = await perturb(scenario, { faults: ["down"] });
    expect(report.failures, report.text()).toEqual([]);
  });
});

test("tenants", async () => {
  const scenario: Scenario<unknown> = {
    controllers: () => [tenants],
    async workload({ client, settled, until }) {
      await client.create(Tenant, { metadata: { name: "acme" }, spec: { displayName: "Acme" } });
      await client.create(Tenant, { metadata: { name: "bolt" }, spec: { displayName: " " } });
      await until(Tenant, "acme", (tenant) => tenant?.status?.serverStatus === "Starting");
      const ready = { status: { replicas: 1, readyReplicas: 1 } };
      await client.patchStatus(StatefulSet, "tenant-acme/redis", ready);
      await client.patchStatus(Deployment, "tenant-acme/server", ready);
      await settled();
      await client.patch(Deployment, "tenant-acme/server", { spec: { replicas: 7 } });
      await client.patch(Tenant, "bolt", { spec: { displayName: "Bolt" } });
      await settled();
      await client.delete(Tenant, "acme");
      await until(Tenant, "acme", (tenant) => tenant === undefined);
      await settled();
    },
  };
  const report = await perturb(scenario, { limit });
  expect(report.failures, report.text()).toEqual([]);
});

/** Booking system with the containers that it starts. */
class Labs extends MemoryContainers {
  readonly booked: Booking[] = [];

  async list(): Promise<readonly Booking[]> {
    return [...this.booked];
  }
}

describe("labs", () => {
  const scenario: Scenario<Labs> = {
    controllers: (world, { clock, random }) => [labs(world), bookings(watchBookings(world, clock, random))],
    schedules: (world) => [patrol(world)],
    world: { create: () => new Labs(), snapshot: ({ states }) => states },
    start: "2026-01-01T08:00:00Z",
    async workload({ world, until, settled, advance }) {
      const isIn = (phase: string) => (lab?: { readonly status?: { readonly phase?: string } }) =>
        lab?.status?.phase === phase;
      const booking = { image: "linux:6", start: "2026-01-01T08:10:00Z", hours: 1 };
      world.booked.push({ ...booking, id: "course" }, { ...booking, id: "exam" });
      await advance("10m");
      await until(LabInstanceRequest, "course", isIn("PROVISIONING"));
      world.states.set("default-course", "running");
      await until(LabInstanceRequest, "course", isIn("RUNNING"));
      world.booked.pop();
      await settled();
      world.states.set("default-course", "stopped");
      await until(LabInstanceRequest, "course", isIn("COMPLETED"));
      await settled();
    },
  };

  test("reach the desired state", async () => {
    const report = await perturb(scenario, { limit });
    expect(report.failures, report.text()).toEqual([]);
  });

  test("end when they are cancelled while the controllers are down", async () => {
    const report = await perturb(scenario, { faults: ["crash", "down"] });
    expect(report.failures, report.text()).toEqual([]);
  });
});
