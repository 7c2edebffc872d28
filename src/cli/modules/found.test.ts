import { expect, test } from "vitest";
import { z } from "zod";
import { resource } from "../../model/index.js";
import { controller, plainController, schedule } from "../../runtime/index.js";
import { defineOperator } from "../../plane/index.js";
import { definePlugin, eventType, subscription } from "../../events/index.js";
import { findIn } from "./found.js";

const Site = resource("demo.dev/v1", "Site", { spec: z.object({ title: z.string() }) });
const sites = controller({ for: Site, reconcile() {} });
const plain = plainController({ for: Site, name: "plain", reconcile() {} });
const process = defineOperator({ name: "process" });
const nightly = schedule({ name: "nightly", cron: "0 2 * * *", run() {} });

test("controllers, schedules, kinds and operators are found under any name and in lists, each once", () => {
  const found = findIn({ default: [sites, [plain], process], sites, nightly, Site, all: { sites } });
  expect(found.controllers).toEqual([sites, plain]);
  expect(found.schedules).toEqual([nightly]);
  expect(found.kinds).toEqual([Site]);
  expect(found.operators).toEqual([process]);
});

test("subscriptions, handlers, plugins and event types are told apart", () => {
  const audit = subscription({ name: "audit", handle() {} });
  const handler = { name: "ConfigUpdateHandler", handle() {} };
  const plugin = definePlugin({ name: "greeter", version: "1.0.0", onEvent() {} });
  const Started = eventType("io.example.device.started", z.object({ serial: z.string() }));
  const found = findIn({ audit, handler, plugin, Started });
  expect(found).toMatchObject({
    subscriptions: [audit],
    handlers: [handler],
    plugins: [plugin],
    eventTypes: [Started],
  });
  expect(Object.values(found).flat()).toHaveLength(4);
});

test("ignores exports of a similar shape, and calls no functions", () => {
  const found = findIn({
    make: () => expect.unreachable("functions are not called"),
    manifest: { apiVersion: "demo.dev/v1", kind: "Site", metadata: { name: "hello" } },
    named: { name: "sites", options: {} },
    nothing: null,
    text: "sites",
  });
  expect(Object.values(found).flat()).toEqual([]);
});

test("finds exports that another copy of the package created", () => {
  expect(findIn({ sites: { ...sites, options: { ...sites.options } } }).controllers).toHaveLength(1);
});
