import { defineOperator } from "fettle";
import { ConfigCreated, ConfigDeleted, ConfigUpdated, eventPattern, type CloudEvent } from "fettle/events";
import { testPlane } from "fettle/testing";
import { expect, test } from "vitest";
import { Backend, Certificate, ProxyConfig } from "../kinds/proxy.js";
import { proxyEvents, proxyTopics } from "./events.js";

const operator = defineOperator({
  name: "proxy",
  kinds: [ProxyConfig, Backend, Certificate],
  events: proxyEvents,
  topics: proxyTopics,
});

function isInTopic(topic: string, type: string): boolean {
  const patterns = proxyTopics[topic];
  if (!Array.isArray(patterns)) throw new Error(`topic ${topic} has options`);
  return (patterns as readonly string[]).some((pattern) => eventPattern(pattern)(type));
}

test("the events about configurations have the REST document, and the data that their types declare", async () => {
  await using plane = await testPlane({ operators: [operator] });
  const { client } = plane;
  const routes = [{ path: "/", backends: [{ id: "web" }] }];
  await client.create(ProxyConfig, { metadata: { name: "shop" }, spec: { routes } });
  await client.patch(ProxyConfig, "shop", {
    metadata: { annotations: { "fettle.dev/priority": "critical" } },
    spec: { hostnames: ["shop.example"] },
  });
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const condition = { type: "Ready", status: "True", reason: "Programmed", message: "", lastTransitionTime };
  await client.patchStatus(ProxyConfig, "shop", { status: { conditions: [condition] } } as never);
  await client.delete(ProxyConfig, "shop");
  const events = await plane.eventsSoFar("config.**");
  expect(events.map(({ type }) => type)).toEqual([
    "config.created",
    "config.updated",
    "config.status_updated",
    "config.condition_changed",
    "config.deleted",
  ]);
  const of = (type: string): CloudEvent => events.find((event) => event.type === type) as CloudEvent;
  expect([
    ConfigCreated.is(of("config.created")),
    ConfigUpdated.is(of("config.updated")),
    ConfigDeleted.is(of("config.deleted")),
  ]).toEqual([true, true, true]);
  expect(of("config.updated").data).toMatchObject({
    id: "shop",
    namespace: "default",
    generation: 2,
    configuration: { id: "shop", hostnames: ["shop.example"], priority: "critical", routes: [{ path: "/" }] },
    changes: expect.arrayContaining([
      expect.objectContaining({ path: ["priority"], to: "critical" }),
    ]) as unknown,
  });
  expect(of("config.deleted").data).toMatchObject({ id: "shop", configuration: { id: "shop" } });
  expect(of("config.status_updated").data).toMatchObject({ configuration: { status: { conditions: [{}] } } });
});

test("the prefixes of backends and certificates are those of the document", async () => {
  await using plane = await testPlane({ operators: [operator] });
  await plane.client.create(Backend, { metadata: { name: "web" }, spec: {} });
  await plane.client.create(Certificate, { metadata: { name: "web" }, spec: {} });
  const events = await plane.eventsSoFar(["backend.*", "certificate.*"]);
  expect(events.map(({ type }) => type)).toEqual(["backend.created", "certificate.created"]);
});

test.each([
  ["config.changes", "config.created config.updated config.deleted"],
  ["health.updates", "backend.health.changed health_check.requested health_check.completed"],
  ["certificates", "certificate.expiring certificate.created certificate.status_updated"],
  ["limits", "rate_limit.exceeded"],
])("topic %s has %s, and no others", (topic, types) => {
  const all = [
    "config.created config.updated config.deleted config.status_updated config.condition_changed",
    "backend.created backend.status_updated backend.health.changed health_check.requested health_check.completed",
    "certificate.expiring certificate.created certificate.status_updated rate_limit.exceeded system.error",
  ].flatMap((line) => line.split(" "));
  expect(all.filter((type) => isInTopic(topic, type)).sort()).toEqual(types.split(" ").sort());
});
