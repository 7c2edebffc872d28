import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { ConfigMap, CustomResourceDefinition, Namespace } from "../../src/client/kinds/kubernetes.js";
import type { KindInfo } from "../../src/client/kinds/kind.js";
import type { Transport, WatchOptions } from "../../src/client/transport/transport.js";
import { asApiError, customResourceDefinition, resource } from "../../src/model/index.js";
import { startHome, ways, type Home } from "./home.js";

const Widget = resource("demo.dev/v1", "Widget", {
  spec: z.object({ color: z.enum(["red", "blue"]), replicas: z.number().int().default(1) }),
  status: z.object({ replicas: z.number().int() }),
  scale: { specReplicas: ".spec.replicas", statusReplicas: ".status.replicas" },
});
const Plain = resource("demo.dev/v1", "Plain", { spec: z.object({}) });

const namespace = "default";
const widget = { namespace, name: "w" };
const map = { namespace, name: "m" };
const header = { apiVersion: "demo.dev/v1", kind: "Widget" };
const draft = (more: object = {}): object => ({
  ...header,
  metadata: { name: "w" },
  spec: { color: "red" },
  ...more,
});
/** Options that the compiler would reject. */
const wrong = (options: object): never => options as never;
const at = (apiVersion: string, plural: string): KindInfo => ({ ...Widget, apiVersion, plural });

async function firstOf(transport: Transport, kind: KindInfo, options: WatchOptions): Promise<unknown> {
  for await (const batch of transport.watch(kind, { namespace }, options)) return batch;
  return undefined;
}

type Ask = (transport: Transport) => Promise<unknown>;

/** Requests that fail and change nothing, so that both transports find the same state. */
const requests: Record<string, Ask> = {
  "discover a group that is not served": (t) => t.discover("none.dev/v1"),
  "discover a version that is not served": (t) => t.discover("demo.dev/v2"),
  "get: a kind that is not served": (t) => t.get(at("none.dev/v1", "widgets"), widget),
  "get: a version that is not served": (t) => t.get(at("demo.dev/v2", "widgets"), widget),
  "get: a kind that the core has not": (t) => t.get(at("v1", "widgets"), widget),
  "get: no such object": (t) => t.get(Widget, { namespace, name: "none" }),
  "get: no such built-in object": (t) => t.get(ConfigMap, { namespace, name: "none" }),
  "get: no such namespace": (t) => t.get(Widget, { namespace: "none", name: "w" }),
  "get: no namespace": (t) => t.get(Widget, { name: "w" }),
  "get: no namespace for a built-in kind": (t) => t.get(ConfigMap, { name: "m" }),
  "get: a namespace too many": (t) => t.get(CustomResourceDefinition, widget),
  "get: a version to come": (t) => t.get(Widget, widget, { resourceVersion: "999999999" }),
  "get: an invalid version": (t) => t.get(Widget, widget, { resourceVersion: "new" }),
  "get: the status of what has none": (t) =>
    t.get(Plain, { namespace, name: "p" }, { subresource: "status" }),
  "get: the status of a built-in kind without": (t) => t.get(ConfigMap, map, { subresource: "status" }),
  "get: the scale of what has none": (t) => t.get(Plain, { namespace, name: "p" }, { subresource: "scale" }),

  "list: an invalid label selector": (t) => t.list(Widget, { namespace }, { labelSelector: "a in" }),
  "list: an invalid field selector": (t) => t.list(Widget, { namespace }, { fieldSelector: "a" }),
  "list: a field that cannot be selected": (t) =>
    t.list(Widget, { namespace }, { fieldSelector: "spec.color=red" }),
  "list: the same of a built-in kind": (t) => t.list(ConfigMap, { namespace }, { fieldSelector: "data.a=b" }),
  "list: an invalid limit": (t) => t.list(Widget, { namespace }, { limit: 1.5 }),
  "list: an invalid token": (t) => t.list(Widget, { namespace }, { continue: "garbage" }),
  "list: a match without a version": (t) => t.list(Widget, { namespace }, { resourceVersionMatch: "Exact" }),
  "list: an unknown match": (t) =>
    t.list(Widget, { namespace }, wrong({ resourceVersion: "1", resourceVersionMatch: "Newer" })),
  "list: a version to come": (t) => t.list(Widget, { namespace }, { resourceVersion: "999999999" }),
  "list: a version that is forgotten": (t) =>
    t.list(Widget, { namespace }, { resourceVersion: "1", resourceVersionMatch: "Exact" }),

  "watch: a version that is forgotten": (t) => firstOf(t, Widget, { resourceVersion: "1" }),
  "watch: an invalid version": (t) => firstOf(t, Widget, { resourceVersion: "new" }),
  "watch: a version to come": (t) => firstOf(t, Widget, { resourceVersion: "999999999" }),
  "watch: initial events without a match": (t) => firstOf(t, Widget, { sendInitialEvents: true }),
  "watch: an invalid selector": (t) => firstOf(t, Widget, { labelSelector: "a in" }),
  "watch: a kind that is not served": (t) => firstOf(t, at("none.dev/v1", "widgets"), {}),

  "create: it is there already": (t) => t.create(Widget, { namespace }, draft()),
  "create: no such namespace": (t) => t.create(Widget, { namespace: "none" }, draft()),
  "create: no namespace": (t) => t.create(Widget, {}, draft()),
  "create: no namespace for a built-in kind": (t) => t.create(ConfigMap, {}, { metadata: { name: "a" } }),
  "create: another namespace in the object": (t) =>
    t.create(Widget, { namespace }, draft({ metadata: { name: "x", namespace: "other" } })),
  "create: a list": (t) => t.create(Widget, { namespace }, [draft()]),
  "create: a text": (t) => t.create(Widget, { namespace }, "widget"),
  "create: null": (t) => t.create(ConfigMap, { namespace }, null),
  "create: without a kind": (t) => t.create(Widget, { namespace }, { metadata: { name: "x" } }),
  "create: of another kind": (t) => t.create(Widget, { namespace }, draft({ kind: "Gadget" })),
  "create: of another version": (t) => t.create(Widget, { namespace }, draft({ apiVersion: "demo.dev/v2" })),
  "create: a built-in kind as another": (t) =>
    t.create(ConfigMap, { namespace }, { kind: "Secret", metadata: { name: "x" } }),
  "create: invalid metadata": (t) => t.create(Widget, { namespace }, draft({ metadata: ["w"] })),
  "create: no name": (t) => t.create(Widget, { namespace }, draft({ metadata: {} })),
  "create: an invalid name": (t) => t.create(Widget, { namespace }, draft({ metadata: { name: "A b" } })),
  "create: with a version": (t) =>
    t.create(Widget, { namespace }, draft({ metadata: { name: "x", resourceVersion: "5" } })),
  "create: against its schema": (t) =>
    t.create(
      Widget,
      { namespace },
      draft({ metadata: { name: "x" }, spec: { color: "pink", replicas: "many" } }),
    ),
  "create: a built-in kind with wrong types": (t) =>
    t.create(ConfigMap, { namespace }, { metadata: { name: "x" }, data: { a: 1 } }),
  "create: unknown fields, strictly": (t) =>
    t.create(Widget, { namespace }, draft({ spec: { color: "red", colour: "red" } }), {
      fieldValidation: "Strict",
    }),
  "create: an unknown field validation": (t) =>
    t.create(Widget, { namespace }, draft(), wrong({ fieldValidation: "Loose" })),
  "create: an invalid manager": (t) =>
    t.create(Widget, { namespace }, draft(), { fieldManager: "x".repeat(200) }),

  "update: not there": (t) =>
    t.update(Widget, { namespace, name: "x" }, draft({ metadata: { name: "x", resourceVersion: "5" } })),
  "update: another name": (t) => t.update(Widget, widget, draft({ metadata: { name: "x" } })),
  "update: no name": (t) => t.update(Widget, widget, draft({ metadata: {} })),
  "update: no version": (t) => t.update(Widget, widget, draft()),
  "update: an old version": (t) =>
    t.update(Widget, widget, draft({ metadata: { name: "w", resourceVersion: "5" } })),
  "update: another uid": (t) =>
    t.update(ConfigMap, map, { metadata: { name: "m", uid: "11111111-1111-4111-8111-111111111111" } }),
  "update: a list": (t) => t.update(Widget, widget, []),
  "update: an invalid scale": (t) => t.update(Widget, widget, "5", { subresource: "scale" }),
  "update: a scale below nothing": (t) =>
    t.update(Widget, widget, { metadata: { name: "w" }, spec: { replicas: -1 } }, { subresource: "scale" }),
  "update: the status of what has none": (t) => t.update(ConfigMap, map, {}, { subresource: "status" }),

  "patch: not there": (t) => t.patch(Widget, { namespace, name: "x" }, { type: "merge", body: {} }),
  "patch: a merge patch that is a list": (t) => t.patch(Widget, widget, { type: "merge", body: [] }),
  "patch: an invalid JSON patch": (t) => t.patch(Widget, widget, { type: "json", body: {} }),
  "patch: an unknown operation": (t) =>
    t.patch(Widget, widget, { type: "json", body: [{ op: "swap", path: "/" }] }),
  "patch: an operation with more fields, strictly": (t) =>
    t.patch(
      Widget,
      widget,
      { type: "json", body: [{ op: "remove", path: "/spec/replicas", why: "x" }] },
      { fieldValidation: "Strict" },
    ),
  "patch: a test that fails": (t) =>
    t.patch(Widget, widget, { type: "json", body: [{ op: "test", path: "/spec/color", value: "x" }] }),
  "patch: against the schema": (t) =>
    t.patch(Widget, widget, { type: "merge", body: { spec: { color: "pink" } } }),
  "patch: unknown fields, strictly": (t) =>
    t.patch(Widget, widget, { type: "merge", body: { spec: { x: 1 } } }, { fieldValidation: "Strict" }),
  "patch: a strategic one of a custom kind": (t) => t.patch(Widget, widget, { type: "strategic", body: {} }),
  "patch: a strategic one that makes no sense": (t) =>
    t.patch(ConfigMap, map, { type: "strategic", body: { metadata: { $patch: "explode" } } }),
  "patch: the kind": (t) => t.patch(Widget, widget, { type: "merge", body: { kind: "Gadget" } }),
  "patch: by force": (t) => t.patch(Widget, widget, { type: "merge", body: {}, force: true }),

  "apply: without a field manager": (t) => t.patch(Widget, widget, { type: "apply", body: draft() }),
  "apply: a conflict": (t) =>
    t.patch(
      Widget,
      widget,
      { type: "apply", body: draft({ spec: { color: "blue" } }) },
      { fieldManager: "other" },
    ),
  "apply: managed fields": (t) =>
    t.patch(
      Widget,
      widget,
      { type: "apply", body: draft({ metadata: { name: "w", managedFields: [] } }) },
      { fieldManager: "other" },
    ),
  "apply: without a kind": (t) =>
    t.patch(Widget, widget, { type: "apply", body: { metadata: { name: "w" } } }, { fieldManager: "a" }),
  "apply: a list": (t) => t.patch(Widget, widget, { type: "apply", body: [] }, { fieldManager: "a" }),
  "apply: unknown fields, strictly": (t) =>
    t.patch(
      Widget,
      widget,
      { type: "apply", body: draft({ spec: { x: 1 } }) },
      { fieldManager: "a", fieldValidation: "Strict" },
    ),

  "delete: not there": (t) => t.delete(Widget, { namespace, name: "x" }),
  "delete: another uid": (t) => t.delete(Widget, widget, { preconditions: { uid: "x" } }),
  "delete: another version": (t) => t.delete(Widget, widget, { preconditions: { resourceVersion: "5" } }),
  "delete: an unknown policy": (t) => t.delete(Widget, widget, wrong({ propagationPolicy: "Quickly" })),
  "delete: an invalid grace period": (t) => t.delete(Widget, widget, { gracePeriodSeconds: 1.5 }),
  "delete: what may not be": (t) => t.delete(Namespace, { name: "default" }),
  "delete all: no namespace": (t) => t.deleteCollection(Widget, {}),
  "delete all: no namespace for a built-in kind": (t) => t.deleteCollection(ConfigMap, {}),
  "delete all: what cannot be": (t) => t.deleteCollection(Namespace, {}),
  "delete all: an invalid selector": (t) =>
    t.deleteCollection(Widget, { namespace }, { labelSelector: "a in" }),
};

describe("both transports fail with the same messages", () => {
  let home: Home;
  let transports: readonly Transport[];
  beforeAll(async () => {
    home = await startHome();
    transports = ways.map((way) => home.transport(way));
    const [transport] = transports;
    if (transport === undefined) throw new Error("there are two");
    for (const kind of [Widget, Plain]) {
      await transport.create(CustomResourceDefinition, {}, customResourceDefinition(kind));
    }
    await transport.create(Widget, { namespace }, draft(), { fieldManager: "somebody" });
    await transport.create(ConfigMap, { namespace }, { metadata: { name: "m" } });
    await transport.create(
      Plain,
      { namespace },
      { ...header, kind: "Plain", metadata: { name: "p" }, spec: {} },
    );
    await home.store.compact((await home.store.status()).revision);
  });
  afterAll(() => home[Symbol.asyncDispose]());

  test.each(Object.entries(requests))("%s", async (_name, ask) => {
    const outcomes = await Promise.all(
      transports.map((transport) =>
        ask(transport).then(
          (answer) => ({ answer }),
          (error: unknown) => asApiError(error)?.status ?? error,
        ),
      ),
    );
    expect(outcomes[0]).toMatchObject({ kind: "Status", status: "Failure" });
    expect(outcomes[0]).toEqual(outcomes[1]);
  });
});
