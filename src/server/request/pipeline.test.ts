import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failures, type Json } from "../../model/core.js";
import { MemoryStore } from "../../store/index.js";
import type { User } from "../access/user.js";
import type { AdmissionPlugin, AdmissionRequest } from "../admission/admission.js";
import { startApi, type Api, type ApiOptions } from "../api.js";
import { administrator } from "../registry/fixtures/test-api.js";
import type { ApiRequest, RequestOptions } from "./api-request.js";
import { PageNotFound } from "./resolve.js";
import { ValueBody } from "./value-body.js";
import type { Verb } from "../resources/resource-type.js";
import type { AuditRecord } from "./pipeline.js";

const guest: User = { name: "guest", groups: [] };
const configMaps = { group: "", version: "v1", resource: "configmaps" };

/** A request about config maps in the namespace `default`. */
function request<V extends Verb>(
  verb: V,
  options: RequestOptions[V],
  more: Partial<ApiRequest<V>> = {},
): ApiRequest<V> {
  return {
    user: administrator,
    verb,
    resource: configMaps,
    scope: { namespace: "default" },
    options,
    ...more,
  };
}

function named(name: string, data: Record<string, string> = {}): ValueBody {
  return new ValueBody({ metadata: { name }, data });
}

let store: MemoryStore;
let api: Api;
async function start(options: Partial<ApiOptions> = {}): Promise<void> {
  api = await startApi({ store, ...options });
  await api.idle();
}
beforeEach(() => {
  store = new MemoryStore();
});
afterEach(async () => {
  await api.close();
  await store.close();
});

describe("authorization", () => {
  test("denies users outside system:masters, before the body is read and whether or not the kind exists", async () => {
    await start();
    const unread = {
      object: () => {
        throw new Error("the body was read");
      },
      patch: () => {
        throw new Error("the body was read");
      },
      deleteOptions: () => {
        throw new Error("the body was read");
      },
    };
    const refused = { code: 403 };
    await expect(
      api.pipeline.handle(request("create", {}, { user: guest, body: unread })),
    ).rejects.toMatchObject(refused);
    const unknown = { group: "none.dev", version: "v1", resource: "things" };
    await expect(
      api.pipeline.handle(request("list", {}, { user: guest, resource: unknown })),
    ).rejects.toMatchObject(refused);
    await expect(api.pipeline.handle(request("list", {}, { resource: unknown }))).rejects.toThrow(
      PageNotFound,
    );
  });

  test("awaits an asynchronous authorizer", async () => {
    const seen: unknown[] = [];
    await start({
      async authorize({ user, verb, resource }) {
        await Promise.resolve();
        seen.push(`${user.name} ${verb} ${resource?.resource}`);
        return { allowed: user.name !== "guest", reason: "not today" };
      },
    });
    const found = api.pipeline.handle(request("get", {}, { user: guest, name: "a" }));
    await expect(found).rejects.toThrow(
      'configmaps "a" is forbidden: User "guest" cannot get resource "configmaps" in API group "" in the namespace "default": not today',
    );
    expect(seen).toContain("guest get configmaps");
  });

  test("sees every part of the server under its own identity", async () => {
    const users = new Set<string>();
    await start({
      authorize: ({ user }) => {
        users.add(user.name);
        return { allowed: true };
      },
    });
    expect([...users]).toEqual(
      expect.arrayContaining(["system:fettle:namespace-controller", "system:fettle:definition-controller"]),
    );
  });
});

describe("admission", () => {
  const seen: AdmissionRequest[] = [];
  const plugin: AdmissionPlugin = {
    name: "test",
    mutate({ type, object }) {
      if (type.plural === "configmaps" && object) object["data"] = { ...object["data"], added: "yes" };
    },
    async validate(admitted) {
      if (admitted.type.plural !== "configmaps") return;
      seen.push(admitted);
      if (admitted.object?.["data"]?.forbidden) throw failures.badRequest("forbidden is not allowed");
      if (admitted.operation === "delete" && admitted.old?.metadata.name === "kept") {
        throw failures.badRequest("kept stays");
      }
    },
  };
  beforeEach(async () => {
    seen.length = 0;
    await start({ admission: [plugin] });
  });

  test("changes the object before it is validated and stored", async () => {
    const { object } = await api.pipeline.handle(request("create", {}, { body: named("a") }));
    expect(object.object).toMatchObject({ data: { added: "yes" } });
    expect(seen).toMatchObject([
      {
        operation: "create",
        user: administrator,
        key: { namespace: "default", name: "a" },
        object: { metadata: { uid: expect.any(String) }, data: { added: "yes" } },
        old: undefined,
        dryRun: false,
      },
    ]);
  });

  test("refuses a create, an update, a patch and a delete", async () => {
    const refused = /forbidden is not allowed/;
    const bad = { forbidden: "x" };
    const at = { name: "a" };
    await expect(api.pipeline.handle(request("create", {}, { body: named("a", bad) }))).rejects.toThrow(
      refused,
    );
    await api.pipeline.handle(request("create", {}, { body: named("a") }));
    await api.pipeline.handle(request("create", {}, { body: named("kept") }));
    await expect(
      api.pipeline.handle(request("update", {}, { ...at, body: named("a", bad) })),
    ).rejects.toThrow(refused);
    const patch = new ValueBody({ data: bad });
    await expect(api.pipeline.handle(request("patch", {}, { ...at, body: patch }))).rejects.toThrow(refused);
    await expect(api.pipeline.handle(request("delete", {}, { name: "kept" }))).rejects.toThrow("kept stays");
    const { object } = await api.pipeline.handle(request("get", {}, at));
    expect(object.metadata.resourceVersion).toBeDefined();
    expect((object as { data?: Json }).data).toEqual({ added: "yes" });
  });
});

describe("audit", () => {
  const recorded = ({ user, verb, path, code }: AuditRecord): string =>
    `${user.name} ${verb}${path && ` ${path}`} ${code}`;

  test("records every request with its user and outcome", async () => {
    const records: AuditRecord[] = [];
    await start({ audit: (record) => records.push(record) });
    records.length = 0;
    const created = request("create", {}, { body: named("a") });
    await api.pipeline.handle(created);
    await api.pipeline.handle(request("get", {}, { name: "none" })).catch(() => {});
    await api.pipeline.handle(request("get", {}, { name: "a", user: guest })).catch(() => {});
    await api.pipeline.discover(administrator, { group: "apps", version: "v1" });
    await api.pipeline.discover(administrator, { group: "none.dev", version: "v1" }).catch(() => {});
    await api.pipeline.discover(guest, { group: "", version: "v1" }).catch(() => {});
    expect(records.map(recorded)).toEqual([
      "admin create 200",
      "admin get 404",
      "guest get 403",
      "admin get /apis/apps/v1 200",
      "admin get /apis/none.dev/v1 404",
      "guest get /api/v1 403",
    ]);
    expect(records[0]?.request).toBe(created);
  });

  test("that fails is reported, and leaves the outcome as it is", async () => {
    const errors: string[] = [];
    const codes: number[] = [];
    await start({
      audit({ code }) {
        codes.push(code);
        throw new Error("disk full");
      },
      onError: (error, doing) => errors.push(`${doing}: ${(error as Error).message}`),
    });
    [errors.length, codes.length] = [0, 0];
    const { object } = await api.pipeline.handle(request("create", {}, { body: named("a") }));
    expect(object.object.metadata.name).toBe("a");
    await expect(api.pipeline.handle(request("get", {}, { name: "none" }))).rejects.toMatchObject({
      code: 404,
    });
    expect([codes, errors]).toEqual([
      [200, 404],
      ["audit: disk full", "audit: disk full"],
    ]);
  });
});
