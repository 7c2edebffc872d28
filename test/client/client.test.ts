import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Client } from "../../src/client/client.js";
import { createClient } from "../../src/client/create-client.js";
import { ConfigMap, CustomResourceDefinition, Namespace } from "../../src/client/kinds/kubernetes.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import {
  customResourceDefinition,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isInvalid,
  isNotFound,
  resource,
  systemClock,
  type ApiError,
} from "../../src/model/index.js";
import { recordingTransport } from "../../src/runtime/runs/recording-transport.js";
import { hooked } from "../../src/testing/api/calls.js";
import { startHome, ways, type Home } from "./home.js";

const Widget = resource("demo.dev/v1", "Widget", {
  spec: z.object({
    color: z.enum(["red", "green", "blue"]),
    size: z.string().default("medium"),
    replicas: z.number().int().min(0).default(1),
  }),
  status: z.object({ replicas: z.number().int() }),
  scale: { specReplicas: ".spec.replicas", statusReplicas: ".status.replicas" },
  selectableFields: [".spec.color"],
});

let home: Home;
beforeAll(async () => {
  home = await startHome();
  const client = createClient({ transport: home.transport("in process") });
  await client.create(CustomResourceDefinition, customResourceDefinition(Widget));
});
afterAll(() => home[Symbol.asyncDispose]());

async function failureOf(doing: Promise<unknown>): Promise<ApiError> {
  return doing.then(
    () => {
      throw new Error("it should have failed");
    },
    (error: unknown) => error as ApiError,
  );
}

test("the namespace of a connection passes through all wrappers of a transport", () => {
  const connection = { server: "http://127.0.0.1:1", namespace: "team-a" };
  const transport = httpTransport({ connection });
  const recording = recordingTransport(transport, { clock: systemClock, wrote: () => {} });
  expect([recording.namespace, hooked(transport, {}).namespace]).toEqual(["team-a", "team-a"]);
});

describe.each(ways)("a client %s", (way) => {
  let client: Client;
  beforeEach(async () => {
    client = await home.client(way);
  });
  const makeMaps = (count: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        client.create(ConfigMap, {
          metadata: {
            name: `map-${String(index).padStart(3, "0")}`,
            labels: { odd: String(index % 2 === 1) },
          },
        }),
      ),
    );
  const names = (page: { items: readonly { metadata: { name?: string } }[] }): (string | undefined)[] =>
    page.items.map(({ metadata }) => metadata.name);

  test("creates, reads, replaces and deletes", async () => {
    const made = await client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } });
    expect(made).toMatchObject({
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      metadata: { name: "a", namespace: client.namespace, generation: 1 },
      spec: { color: "red", size: "medium", replicas: 1 },
    });
    expect(await client.get(Widget, "a")).toEqual(made);
    expect(await client.get(Widget, `${client.namespace}/a`)).toEqual(made);
    expect(await client.get("demo.dev/v1/Widget", made)).toEqual(made);
    const updated = await client.update({ ...made, spec: { ...made.spec, color: "blue" } });
    expect(updated).toMatchObject({ metadata: { generation: 2 }, spec: { color: "blue" } });
    const { metadata } = updated;
    const checked = await client.update(Widget, { metadata, spec: { color: "green" } });
    expect(checked).toMatchObject({ metadata: { generation: 3 }, spec: { color: "green", size: "medium" } });
    expect(await client.delete(Widget, "a")).toBeUndefined();
    expect(await client.find(Widget, "a")).toBeUndefined();
    expect(await client.delete(Widget, "a")).toBeUndefined();
    expect(isNotFound(await failureOf(client.get(Widget, "a")))).toBe(true);
  });

  test("returns frozen objects", async () => {
    const made = await client.create(ConfigMap, { metadata: { name: "a" }, data: { k: "v" } });
    const page = await client.list(ConfigMap, { namespace: client.namespace });
    for (const object of [made, await client.get(ConfigMap, "a"), ...page.items]) {
      expect(
        Object.isFrozen(object) && Object.isFrozen(object.metadata) && Object.isFrozen(object.data),
      ).toBe(true);
    }
    expect(Object.isFrozen(page.items)).toBe(true);
  });

  test("accepts frozen and mutable objects, and does not modify them", async () => {
    const labels = Object.freeze({ a: "b" });
    const draft = Object.freeze({
      metadata: Object.freeze({ name: "a", labels }),
      spec: { color: "red" as const },
    });
    const made = await client.create(Widget, draft);
    expect(draft).toEqual({ metadata: { name: "a", labels: { a: "b" } }, spec: { color: "red" } });
    await client.update(made);
    await client.patch(Widget, "a", Object.freeze({ metadata: { labels } }));
    await client.apply(Widget, draft, { force: true });
    expect(draft).toEqual({ metadata: { name: "a", labels: { a: "b" } }, spec: { color: "red" } });
  });

  test("writes a body as JSON.stringify encodes it", async () => {
    const made = await client.create("v1/ConfigMap", {
      metadata: { name: "a", labels: undefined, annotations: { at: new Date(0) as unknown as string } },
      data: { half: "\ud800", none: undefined },
      binaryData: undefined,
    });
    expect(made.metadata.annotations).toEqual({ at: "1970-01-01T00:00:00.000Z" });
    expect(made.data).toEqual({ half: "\ufffd" });
    expect("labels" in made.metadata || "binaryData" in made).toBe(false);
    const big = client.create("v1/ConfigMap", { metadata: { name: "b" }, data: { n: 1n } });
    await expect(big).rejects.toThrow("BigInt");
  });

  test("accepts manifests", async () => {
    const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } };
    expect(await client.create(manifest)).toMatchObject({ metadata: { namespace: client.namespace } });
    const applied = await client.apply(
      { ...manifest, data: { k: "w" } },
      { force: true, fieldManager: "me" },
    );
    expect(applied.data).toEqual({ k: "w" });
    const elsewhere = { ...manifest, metadata: { name: "a", namespace: "default" } };
    expect((await client.create(elsewhere, { dryRun: true })).metadata.namespace).toBe("default");
  });

  test("generates names", async () => {
    const made = await client.create(ConfigMap, { metadata: { generateName: "map-" } });
    expect(made.metadata.name).toMatch(/^map-.{5}$/);
  });

  test("rejects a stale update with a conflict", async () => {
    const made = await client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } });
    await client.patch(Widget, "a", { spec: { color: "blue" } });
    const error = await failureOf(client.update({ ...made, spec: { ...made.spec, size: "large" } }));
    expect(isConflict(error)).toBe(true);
    expect(
      isAlreadyExists(
        await failureOf(client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } })),
      ),
    ).toBe(true);
  });

  test("supports three types of patches", async () => {
    await client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } });
    const merged = await client.patch(Widget, "a", { spec: { color: "blue" } });
    expect(merged.spec.color).toBe("blue");
    const patched = await client.patch(Widget, "a", [{ op: "replace", path: "/spec/color", value: "green" }]);
    expect(patched.spec.color).toBe("green");
    const failed = await failureOf(
      client.patch(Widget, "a", [{ op: "test", path: "/spec/color", value: "x" }]),
    );
    expect(isInvalid(failed)).toBe(true);
    await client.create(ConfigMap, { metadata: { name: "a", finalizers: ["demo.dev/a"] } });
    const patch = { metadata: { finalizers: ["demo.dev/b"] } };
    const strategic = await client.patch(ConfigMap, "a", patch, { type: "strategic" });
    expect(strategic.metadata.finalizers).toEqual(["demo.dev/b", "demo.dev/a"]);
    expect((await failureOf(client.patch(Widget, "a", {}, { type: "strategic" }))).code).toBe(415);
  });

  test("applies, and takes over fields with force only", async () => {
    const draft = { metadata: { name: "a" }, spec: { color: "red" as const } };
    const made = await client.apply(Widget, draft);
    expect(made.metadata.managedFields).toMatchObject([{ manager: "fettle", operation: "Apply" }]);
    const other = { ...draft, spec: { color: "blue" as const } };
    const error = await failureOf(client.apply(Widget, other, { fieldManager: "other" }));
    expect(isConflict(error)).toBe(true);
    expect(error.status.details?.causes).toMatchObject([
      { reason: "FieldManagerConflict", field: ".spec.color" },
    ]);
    const forced = await client.apply(Widget, other, { fieldManager: "other", force: true });
    expect(forced.spec.color).toBe("blue");
  });

  test("writes with its own field manager, unless another is given", async () => {
    const made = await client.create(ConfigMap, { metadata: { name: "a" }, data: { k: "v" } });
    expect(made.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["fettle"]);
    const bare = await client.transport.create(
      ConfigMap,
      { namespace: client.namespace },
      { metadata: { name: "b" }, data: { k: "v" } },
    );
    expect(bare.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["fettle"]);
    const own = createClient({ ...client, fieldManager: "gardener" });
    const patched = await own.patch(ConfigMap, "a", { data: { l: "w" } });
    expect(patched.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["fettle", "gardener"]);
  });

  test("writes the status separately", async () => {
    const made = await client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } });
    const updated = await client.updateStatus({
      ...made,
      spec: { ...made.spec, color: "blue" },
      status: { replicas: 1 },
    });
    expect(updated).toMatchObject({
      metadata: { generation: 1 },
      spec: { color: "red" },
      status: { replicas: 1 },
    });
    const { metadata } = updated;
    const checked = await client.updateStatus(Widget, { metadata, status: { replicas: 4 } });
    expect(checked).toMatchObject({ spec: { color: "red" }, status: { replicas: 4 } });
    expect((await client.patchStatus(Widget, "a", { status: { replicas: 2 } })).status).toEqual({
      replicas: 2,
    });
    const applied = await client.applyStatus(
      Widget,
      { metadata: { name: "a" }, status: { replicas: 3 } },
      { force: true },
    );
    expect(applied.status).toEqual({ replicas: 3 });
    expect((await client.get(Widget, "a", { subresource: "status" })).status).toEqual({ replicas: 3 });
  });

  test("scales", async () => {
    await client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } });
    expect(await client.scale(Widget, "a")).toBe(1);
    expect(await client.scale(Widget, "a", 5)).toBe(5);
    expect((await client.get(Widget, "a")).spec.replicas).toBe(5);
    expect(isInvalid(await failureOf(client.scale(Widget, "a", -1)))).toBe(true);
  });

  test("a dry run changes nothing", async () => {
    const made = await client.create(
      Widget,
      { metadata: { name: "a" }, spec: { color: "red" } },
      { dryRun: true },
    );
    expect(made.spec.size).toBe("medium");
    expect(await client.find(Widget, "a")).toBeUndefined();
    await client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } });
    expect((await client.patch(Widget, "a", { spec: { color: "blue" } }, { dryRun: true })).spec.color).toBe(
      "blue",
    );
    const modified = await client.modify(Widget, "a", (a) => ({ ...a, spec: { ...a.spec, size: "xl" } }), {
      dryRun: true,
    });
    expect(modified.spec.size).toBe("xl");
    await client.delete(Widget, "a", { dryRun: true });
    expect((await client.get(Widget, "a")).spec).toMatchObject({ color: "red", size: "medium" });
  });

  test("warns about unknown fields, or rejects them", async () => {
    const warnings: string[] = [];
    const draft = { metadata: { name: "a" }, spec: { color: "red", colour: "red" } };
    await client.create("demo.dev/v1/Widget", draft, { onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual(['unknown field "spec.colour"']);
    const strict = client.create("demo.dev/v1/Widget", draft, { fieldValidation: "Strict" });
    expect(isBadRequest(await failureOf(strict))).toBe(true);
  });

  test("delete waits for finalizers and checks preconditions", async () => {
    const made = await client.create(ConfigMap, { metadata: { name: "a", finalizers: ["demo.dev/x"] } });
    const wrong = client.delete(ConfigMap, "a", { preconditions: { uid: "other" } });
    expect(isConflict(await failureOf(wrong))).toBe(true);
    const waiting = await client.delete(ConfigMap, "a", { preconditions: { uid: made.metadata.uid } });
    expect(waiting?.metadata.deletionTimestamp).toBeDefined();
    await client.modify(ConfigMap, "a", (map) => ({ ...map, metadata: { ...map.metadata, finalizers: [] } }));
    expect(await client.find(ConfigMap, "a")).toBeUndefined();
  });

  test("lists all objects, one page, or a selection", async () => {
    await makeMaps(12);
    const { namespace } = client;
    const all = await client.list(ConfigMap, { namespace });
    expect(all.items).toHaveLength(12);
    expect(all.continue).toBeUndefined();
    const first = await client.list(ConfigMap, { namespace, limit: 5 });
    expect(first).toMatchObject({ resourceVersion: all.resourceVersion, remainingItemCount: 7 });
    const second = await client.list(ConfigMap, { namespace, limit: 5, continue: first.continue });
    expect(names(second)[0]).toBe("map-005");
    expect(names(await client.list(ConfigMap, { namespace, continue: second.continue }))).toEqual([
      "map-010",
      "map-011",
    ]);
    expect(names(await client.list(ConfigMap, { namespace, labelSelector: "odd=true", limit: 2 }))).toEqual([
      "map-001",
      "map-003",
    ]);
    expect(
      names(await client.list(ConfigMap, { namespace, fieldSelector: "metadata.name=map-004" })),
    ).toEqual(["map-004"]);
    const everywhere = await client.list(ConfigMap, { labelSelector: "odd" });
    expect(everywhere.items.length).toBeGreaterThanOrEqual(12);
    expect(names(await client.list(Namespace, { fieldSelector: `metadata.name=${namespace}` }))).toEqual([
      namespace,
    ]);
  });

  test("each() iterates over all pages, and stops when its signal aborts", async () => {
    await makeMaps(7);
    const { namespace } = client;
    const seen: (string | undefined)[] = [];
    for await (const { metadata } of client.each(ConfigMap, { namespace, limit: 3 }))
      seen.push(metadata.name);
    expect(seen).toHaveLength(7);
    const stop = new AbortController();
    const stopped = async (): Promise<void> => {
      let count = 0;
      for await (const _ of client.each(ConfigMap, { namespace, limit: 3, signal: stop.signal })) {
        if (++count === 4) stop.abort(new Error("enough"));
      }
    };
    await expect(stopped()).rejects.toThrow("enough");
  });

  test("each() continues with the current objects when the continue token expires", async () => {
    await makeMaps(6);
    const { namespace } = client;
    const seen: (string | undefined)[] = [];
    for await (const { metadata } of client.each(ConfigMap, { namespace, limit: 2 })) {
      seen.push(metadata.name);
      if (seen.length !== 2) continue;
      await client.create(ConfigMap, { metadata: { name: "map-0035" } });
      await home.store.compact((await home.store.status()).revision);
    }
    expect(seen).toEqual(["map-000", "map-001", "map-002", "map-003", "map-0035", "map-004", "map-005"]);
    const old = client.list(ConfigMap, { namespace, resourceVersion: "1", resourceVersionMatch: "Exact" });
    expect(isExpired(await failureOf(old))).toBe(true);
  });

  test("a list with a resourceVersion returns that version or a newer one", async () => {
    const first = await client.create(ConfigMap, { metadata: { name: "a" } });
    await client.create(ConfigMap, { metadata: { name: "b" } });
    const { resourceVersion } = first.metadata;
    const { namespace } = client;
    expect(names(await client.list(ConfigMap, { namespace, resourceVersion }))).toEqual(["a", "b"]);
    const exact = { namespace, resourceVersion, resourceVersionMatch: "Exact" as const };
    expect(names(await client.list(ConfigMap, exact))).toEqual(["a"]);
  });

  test("metadataOnly returns metadata", async () => {
    await client.create(ConfigMap, { metadata: { name: "a" }, data: { k: "v" } });
    const partial = { apiVersion: "v1", kind: "ConfigMap" };
    const got = await client.get(ConfigMap, "a", { metadataOnly: true });
    expect(got).toEqual({ ...partial, metadata: expect.objectContaining({ name: "a" }) });
    const { items } = await client.list(ConfigMap, { namespace: client.namespace, metadataOnly: true });
    expect(items).toEqual([got]);
  });

  test("watches from a version, until its signal aborts", async () => {
    const { namespace } = client;
    const { resourceVersion } = await client.list(Widget, { namespace });
    const made = await client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } });
    const stop = new AbortController();
    const events: [string, string | undefined][] = [];
    for await (const { type, object } of client.watch(Widget, {
      namespace,
      resourceVersion,
      signal: stop.signal,
    })) {
      events.push([type, object.spec.color]);
      expect(Object.isFrozen(object.spec)).toBe(true);
      if (events.length === 1) await client.update({ ...made, spec: { ...made.spec, color: "blue" } });
      if (events.length === 2) await client.delete(Widget, "a");
      if (events.length === 3) stop.abort();
    }
    expect(events).toEqual([
      ["ADDED", "red"],
      ["MODIFIED", "blue"],
      ["DELETED", "blue"],
    ]);
  });

  test("watches a selection, starting with the existing objects", async () => {
    await makeMaps(3);
    const options = {
      namespace: client.namespace,
      labelSelector: "odd=false",
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan" as const,
      allowWatchBookmarks: true,
      metadataOnly: true,
    };
    const seen: (string | undefined)[] = [];
    for await (const { type, object } of client.watch(ConfigMap, options)) {
      expect(Object.keys(object)).toEqual(["apiVersion", "kind", "metadata"]);
      seen.push(type === "BOOKMARK" ? type : object.metadata.name);
      if (type === "BOOKMARK") {
        expect(object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
        break;
      }
    }
    expect(seen).toEqual(["map-000", "map-002", "BOOKMARK"]);
  });

  test("a watch from a compacted version fails with 410", async () => {
    await makeMaps(1);
    await home.store.compact((await home.store.status()).revision);
    const watching = client.watch(ConfigMap, { resourceVersion: "1" })[Symbol.asyncIterator]();
    expect(isExpired(await failureOf(watching.next()))).toBe(true);
  });

  test("deleteAll deletes a selection, in one namespace or in all", async () => {
    await makeMaps(4);
    const { namespace } = client;
    await client.deleteAll(ConfigMap, { namespace, labelSelector: "odd=true" });
    expect(names(await client.list(ConfigMap, { namespace }))).toEqual(["map-000", "map-002"]);
    const other = await home.client(way);
    await other.create(ConfigMap, { metadata: { name: "map", labels: { odd: "false" } } });
    await client.deleteAll(ConfigMap, { labelSelector: "odd=false" });
    expect((await client.list(ConfigMap, { labelSelector: "odd=false" })).items).toEqual([]);
  });

  test("deleteAll deletes objects of a kind without deletecollection one by one", async () => {
    const name = `${client.namespace}-more`;
    const labels = { of: client.namespace };
    await client.create(Namespace, { metadata: { name, labels } });
    await client.deleteAll(Namespace, { labelSelector: `of=${client.namespace}` });
    await home.server.api.idle();
    expect(await client.find(Namespace, name)).toBeUndefined();
    expect((await client.get(Namespace, client.namespace)).status?.phase).toBe("Active");
  });

  test("modify retries on conflict", async () => {
    await client.create(Widget, { metadata: { name: "a" }, spec: { color: "red", replicas: 0 } });
    await Promise.all(
      Array.from({ length: 5 }, () =>
        client.modify(Widget, "a", (a) => ({ ...a, spec: { ...a.spec, replicas: a.spec.replicas + 1 } })),
      ),
    );
    expect((await client.get(Widget, "a")).spec.replicas).toBe(5);
  });

  test("modify does not write when nothing changed", async () => {
    const made = await client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } });
    expect(await client.modify(Widget, "a", (a) => a)).toEqual(made);
    expect(await client.modify(Widget, "a", (a) => ({ ...a, spec: { ...a.spec } }))).toEqual(made);
    const bare = await client.modify(Widget, "a", (_a) => ({
      metadata: { name: "a" },
      spec: { color: "red" },
    }));
    expect(bare).toEqual(made);
    await expect(client.modify(Widget, "a", (a) => ({ ...a, metadata: { name: "b" } }))).rejects.toThrow(
      TypeError,
    );
    expect(isNotFound(await failureOf(client.modify(Widget, "none", (a) => a)))).toBe(true);
  });

  test("createOrUpdate returns what it did", async () => {
    const to = (color: "red" | "blue") => () => ({ metadata: {}, spec: { color } });
    expect(await client.createOrUpdate(Widget, "a", to("red"))).toMatchObject({ outcome: "created" });
    expect(await client.createOrUpdate(Widget, "a", to("red"))).toMatchObject({ outcome: "unchanged" });
    const updated = await client.createOrUpdate(Widget, "a", to("blue"));
    expect(updated).toMatchObject({
      outcome: "updated",
      object: { metadata: { name: "a" }, spec: { color: "blue" } },
    });
  });

  test("a kind given by name works once it is defined, and is a 404 once it is deleted", async () => {
    const kind = way === "in process" ? "Gadget" : "Gizmo";
    const missing = await failureOf(client.list(`late.dev/v1/${kind}`));
    expect(isNotFound(missing)).toBe(true);
    expect(missing.message).toContain(`no ${kind} in late.dev/v1: that API version is not served`);
    const Late = resource("late.dev/v1", kind, { spec: z.object({ a: z.string() }), scope: "Cluster" });
    const definition = await client.create(CustomResourceDefinition, customResourceDefinition(Late));
    const made = await client.create(`late.dev/v1/${kind}`, { metadata: { name: "a" }, spec: { a: "b" } });
    expect(made.metadata.namespace).toBeUndefined();
    expect(await client.kind({ apiVersion: "late.dev/v1", kind })).toMatchObject({
      plural: Late.plural,
      scope: "Cluster",
    });
    const typo = await failureOf(client.list(`late.dev/v1/${kind}s`));
    expect(typo.message).toBe(`the server has no ${kind}s in late.dev/v1, only ${kind}`);

    await client.delete(CustomResourceDefinition, definition);
    await home.server.api.idle();
    const gone = await failureOf(client.get(`late.dev/v1/${kind}`, "a"));
    expect(gone.message).toContain("that API version is not served");

    const Again = resource("late.dev/v1", kind, { spec: z.object({ a: z.string() }), plural: "others" });
    await client.create(CustomResourceDefinition, customResourceDefinition(Again));
    const again = await client.create(`late.dev/v1/${kind}`, { metadata: { name: "a" }, spec: { a: "b" } });
    expect(again.metadata.namespace).toBe(client.namespace);
    await client.delete(CustomResourceDefinition, `others.late.dev`);
    await home.server.api.idle();
  });

  test("a built-in kind that is not served is reported as such", async () => {
    const error = await failureOf(client.list("storage.k8s.io/v1/CSIDriver"));
    expect(isNotFound(error)).toBe(true);
    expect(error.message).toContain("the server has no CSIDriver in storage.k8s.io/v1");
  });

  test("an aborted call rejects with the reason", async () => {
    const signal = AbortSignal.abort(new Error("changed my mind"));
    await expect(client.get(ConfigMap, "a", { signal })).rejects.toThrow("changed my mind");
    await expect(client.create(ConfigMap, { metadata: { name: "a" } }, { signal })).rejects.toThrow(
      "changed my mind",
    );
    await expect(client.list("demo.dev/v1/Widget", { signal })).rejects.toThrow("changed my mind");
    expect(await client.find(ConfigMap, "a")).toBeUndefined();
  });

  test("sends no request for an invalid name or kind", async () => {
    const nameless = { apiVersion: "v1", kind: "ConfigMap", metadata: {} };
    await expect(client.update(nameless)).rejects.toThrow("metadata.name");
    await expect(client.get(ConfigMap, "")).rejects.toThrow(TypeError);
    await expect(client.get(ConfigMap, "a/b/c")).rejects.toThrow(TypeError);
    await expect(client.get(ConfigMap, "..")).rejects.toThrow(TypeError);
    await expect(client.apply({ ...nameless, kind: "Secret" })).rejects.toThrow(TypeError);
    await expect(client.create(ConfigMap, { kind: "Secret", metadata: { name: "a" } })).rejects.toThrow(
      "v1/Secret",
    );
    // @ts-expect-error a kind needs a group and version
    await expect(client.get("ConfigMap", "a")).rejects.toThrow("v1/ConfigMap");
  });
});
