import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type AssertedObject, type TestResource } from "../fixtures/test-api.js";

let api: TestApi;
/** Custom, with a status of its own. */
let widgets: TestResource;
/** Custom, without one. */
let gadgets: TestResource;
let maps: TestResource;
let leases: TestResource;
let made: AssertedObject;
let name: string;
let count = 0;

beforeAll(async () => {
  api = await testApi();
  const properties = {
    spec: {
      type: "object",
      properties: { color: { type: "string" }, size: { type: "integer", default: 1 } },
    },
    status: { type: "object", properties: { ready: { type: "boolean" } } },
  };
  widgets = await api.define("Widget", { versions: [{ properties }] });
  gadgets = await api.define("Gadget", { versions: [{ properties, subresources: {} }] });
  maps = api.core("configmaps");
  leases = api.resource("leases", { group: "coordination.k8s.io" });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  name = `w${count++}`;
  made = await widgets.create(
    { metadata: { name, labels: { a: "1" } }, spec: { color: "red" } },
    { fieldManager: "maker" },
  );
});

/** The object with another spec. */
function painted(thing: AssertedObject, color: string): object {
  return { ...thing, spec: { ...(thing["spec"] as object), color } };
}

describe("update", () => {
  test("replaces the whole object", async () => {
    const { metadata } = made;
    const updated = await widgets.update({
      metadata: { name, resourceVersion: metadata.resourceVersion },
      spec: {},
    });
    expect(updated["spec"]).toEqual({ size: 1 });
    expect(updated.metadata.labels).toBeUndefined();
    expect(updated.metadata).toMatchObject({
      uid: metadata.uid,
      namespace: "default",
      creationTimestamp: metadata.creationTimestamp,
      generation: 2,
    });
    expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
    expect(await widgets.get(name)).toEqual(updated);
  });

  test("returns 404 when the object does not exist", async () => {
    expect(await refusal(widgets.update({ metadata: { name: "none", resourceVersion: "1" } }))).toBe(
      '404 NotFound: widgets.demo.dev "none" not found',
    );
  });

  test("returns 400 when the name differs from the URL", async () => {
    const update = (metadata: object) =>
      api.caller.update(widgets.type, widgets.target(name), widgets.body({ metadata }));
    expect(await refusal(update({ name: "other" }))).toBe(
      `400 BadRequest: the name of the object (other) does not match the name on the URL (${name})`,
    );
    expect(await refusal(update({}))).toBe(
      `400 BadRequest: the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
    expect(await refusal(update({ name, namespace: "other" }))).toBe(
      "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
    );
  });

  test("keeps fields that the server controls", async () => {
    const { metadata } = made;
    const changed = {
      ...metadata,
      generation: 99,
      creationTimestamp: "2001-01-01T00:00:00Z",
      selfLink: "/x",
    };
    const same = await widgets.update({ ...made, metadata: changed });
    expect(same).toEqual(made);
  });

  test.each([
    ["deletionTimestamp", "2026-01-01T00:00:00Z", '"2026-01-01T00:00:00Z"'],
    ["deletionGracePeriodSeconds", 5, "5"],
  ])("refuses a change of %s", async (field, value, shown) => {
    expect(await refusal(widgets.update({ ...made, metadata: { ...made.metadata, [field]: value } }))).toBe(
      `422 Invalid: Widget.demo.dev "${name}" is invalid: metadata.${field}: Invalid value: ${shown}: field is immutable`,
    );
  });

  test("returns 422 when the object violates the schema", async () => {
    expect(await refusal(widgets.update({ ...made, spec: { color: 5 } }))).toMatch(
      /^422 Invalid: .*spec\.color: Invalid value: "integer": spec\.color in body must be of type string: "integer"/,
    );
    const metadata = { ...made.metadata, finalizers: ["-"] };
    expect(await refusal(widgets.update({ ...made, metadata }))).toMatch(
      /^422 Invalid: .*metadata\.finalizers: Invalid/,
    );
  });
});

describe("generation", () => {
  test("increases when the spec changes", async () => {
    const updated = await widgets.update(painted(made, "blue"));
    expect(updated.metadata.generation).toBe(2);
  });

  test("stays when only metadata changes", async () => {
    const updated = await widgets.update({ ...made, metadata: { ...made.metadata, labels: { b: "2" } } });
    expect(updated.metadata).toMatchObject({ generation: 1, labels: { b: "2" } });
  });

  test("stays when only the status subresource changes", async () => {
    const updated = await widgets.update({ ...made, status: { ready: true } }, { subresource: "status" });
    expect(updated["status"]).toEqual({ ready: true });
    expect(updated.metadata.generation).toBe(1);
  });

  test("increases when a status that is not a subresource changes", async () => {
    const gadget = await gadgets.make(name, { spec: {}, status: { ready: false } });
    const updated = await gadgets.update({ ...gadget, status: { ready: true } });
    expect(updated["status"]).toEqual({ ready: true });
    expect(updated.metadata.generation).toBe(2);
  });

  test("is not set for kinds without generations", async () => {
    const map = await maps.make(name, { data: { a: "1" } });
    const updated = await maps.update({ ...map, data: { a: "2" } });
    expect(updated.metadata.generation).toBeUndefined();
  });
});

describe("resourceVersion stays when nothing changes", () => {
  test.each(["same", "shuffled", "with defaults left out"])("%s", async (how) => {
    const { revision } = await api.store.status();
    const bodies: Record<string, object> = {
      same: made,
      shuffled: Object.fromEntries(Object.entries(made).reverse()),
      "with defaults left out": { ...made, spec: { color: "red" } },
    };
    await api.clock.advance(60_000);
    expect(await widgets.update(bodies[how] ?? {}, { fieldManager: "somebody" })).toEqual(made);
    expect((await api.store.status()).revision).toBe(revision);
  });

  test("for an update of the status", async () => {
    expect(await widgets.update({ ...made, spec: { color: "blue" } }, { subresource: "status" })).toEqual(
      made,
    );
  });

  test("for built-in kinds with values in another notation", async () => {
    const secrets = api.core("secrets");
    const secret = await secrets.make(name, { data: { a: "YQ==" } });
    expect(await secrets.update({ ...secret, stringData: { a: "a" }, data: {} })).toEqual(secret);
  });
});

describe("optimistic concurrency", () => {
  test("returns 409 when the resourceVersion is stale", async () => {
    await widgets.update(painted(made, "blue"));
    expect(await refusal(widgets.update(painted(made, "green")))).toBe(
      `409 Conflict: Operation cannot be fulfilled on widgets.demo.dev "${name}": the object has been modified; please apply your changes to the latest version and try again`,
    );
  });

  test("returns 409 when the resourceVersion of a subresource update is stale", async () => {
    await widgets.update(painted(made, "blue"));
    const status = widgets.update({ ...made, status: { ready: true } }, { subresource: "status" });
    expect(await refusal(status)).toMatch(/^409 Conflict/);
  });

  test("requires a resourceVersion for custom kinds", async () => {
    const update = widgets.update({ metadata: { name }, spec: {} });
    expect(await refusal(update)).toBe(
      `422 Invalid: widgets.demo.dev "${name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    );
  });

  test("does not require a resourceVersion for built-in kinds", async () => {
    const map = await maps.make(name, { data: { a: "1" } });
    const updated = await maps.update({ metadata: { name }, data: { a: "2" } });
    expect(updated["data"]).toEqual({ a: "2" });
    expect(await refusal(maps.update({ ...map, data: {} }))).toMatch(/^409 Conflict/);
  });

  test("returns 409 when the uid differs", async () => {
    const other = { ...made, metadata: { ...made.metadata, uid: "other" } };
    expect(await refusal(widgets.update(other))).toBe(
      `409 Conflict: Operation cannot be fulfilled on widgets.demo.dev "${name}": Precondition failed: UID in precondition: other, UID in object meta: ${made.metadata.uid}`,
    );
  });
});

describe("subresources", () => {
  test("an update of the status changes nothing else", async () => {
    const updated = await widgets.update(
      {
        ...made,
        metadata: { ...made.metadata, labels: { b: "2" }, finalizers: ["demo.dev/x"] },
        spec: { color: "blue" },
        status: { ready: true },
      },
      { subresource: "status", fieldManager: "boss" },
    );
    expect(updated["spec"]).toEqual(made["spec"]);
    expect(updated["status"]).toEqual({ ready: true });
    expect(updated.metadata.labels).toEqual({ a: "1" });
    expect(updated.metadata.finalizers).toBeUndefined();
    expect(updated.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: "boss",
        operation: "Update",
        subresource: "status",
        fieldsV1: { "f:status": { ".": {}, "f:ready": {} } },
      }),
    );
  });

  test("an update of the main resource does not change the status", async () => {
    const ready = await widgets.update({ ...made, status: { ready: true } }, { subresource: "status" });
    const updated = await widgets.update({ ...ready, spec: { color: "blue" }, status: { ready: false } });
    expect(updated["status"]).toEqual({ ready: true });
    const { status: _, ...without } = updated;
    expect(await widgets.update(without)).toEqual(updated);
  });

  test("returns 404 for a subresource that the kind does not have", async () => {
    const gadget = await gadgets.make(name);
    for (const subresource of ["status", "scale", "finalize"] as const) {
      const refused = `404 NotFound: gadgets.demo.dev "${name}" not found`;
      expect(await refusal(gadgets.update(gadget, { subresource }))).toBe(refused);
      expect(await refusal(gadgets.patch(name, "merge", {}, { subresource }))).toBe(refused);
      expect(await refusal(gadgets.get(name, { subresource }))).toBe(refused);
    }
  });
});

describe("finalizers", () => {
  test("cannot be added to an object that is being deleted", async () => {
    const held = { ...made, metadata: { ...made.metadata, finalizers: ["demo.dev/x"] } };
    await widgets.update(held);
    const dying = (await widgets.delete(name)).object.object as unknown as AssertedObject;
    const more = { ...dying, metadata: { ...dying.metadata, finalizers: ["demo.dev/x", "demo.dev/y"] } };
    expect(await refusal(widgets.update(more))).toMatch(
      /^422 Invalid: .*metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"demo\.dev\/y"\}/,
    );
  });

  test("removing the last one removes the object", async () => {
    const held = { ...made, metadata: { ...made.metadata, finalizers: ["demo.dev/x"] } };
    await widgets.update(held);
    const dying = (await widgets.delete(name)).object.object as unknown as AssertedObject;
    const free = { ...dying, metadata: { ...dying.metadata, finalizers: [] } };
    const dry = await widgets.update(free, { dryRun: true });
    expect(dry.metadata.deletionTimestamp).toBe(dying.metadata.deletionTimestamp);
    await widgets.get(name);
    const gone = await widgets.update(free);
    expect(gone.metadata).toMatchObject({ name, deletionGracePeriodSeconds: 0 });
    expect(await refusal(widgets.get(name))).toMatch(/^404 /);
  });

  test("deletionTimestamp cannot be removed", async () => {
    const held = { ...made, metadata: { ...made.metadata, finalizers: ["demo.dev/x"] } };
    await widgets.update(held);
    const dying = (await widgets.delete(name)).object.object as unknown as AssertedObject;
    const { deletionTimestamp, deletionGracePeriodSeconds, ...metadata } = dying.metadata;
    const updated = await widgets.update({ ...dying, metadata: { ...metadata, labels: { b: "2" } } });
    expect(updated.metadata).toMatchObject({
      deletionTimestamp,
      deletionGracePeriodSeconds,
      labels: { b: "2" },
    });
  });
});

describe("managedFields", () => {
  test("assigns a field to the manager that changed it last", async () => {
    await api.clock.advance(60_000);
    const updated = await widgets.update(painted(made, "blue"), { fieldManager: "painter" });
    expect(updated.metadata.managedFields).toMatchObject([
      {
        manager: "maker",
        time: made.metadata.creationTimestamp,
        fieldsV1: {
          "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
          "f:spec": { ".": {}, "f:size": {} },
        },
      },
      { manager: "painter", operation: "Update", fieldsV1: { "f:spec": { "f:color": {} } } },
    ]);
    expect(updated.metadata.managedFields?.[1]?.time).not.toBe(made.metadata.creationTimestamp);
  });

  test("clears all entries when the request has one empty entry", async () => {
    const metadata = { ...made.metadata, managedFields: [{}] };
    const cleared = await widgets.update({ ...made, metadata });
    expect(cleared.metadata.managedFields).toBeUndefined();
  });
});

describe("create on update, for kinds that allow it", () => {
  test("creates the object, then updates it", async () => {
    const body = { metadata: { name: `lease-${name}` }, spec: { holderIdentity: "a" } };
    const put = () =>
      api.caller.update(leases.type, leases.target(body.metadata.name), leases.body(body), {
        fieldManager: "me",
      });
    const first = await put();
    expect(first.created).toBe(true);
    expect(first.object.object.metadata).toMatchObject({
      uid: expect.any(String),
      managedFields: [{ manager: "me" }],
    });
    expect(await refusal(put())).toMatch(/^422 Invalid: leases\.coordination\.k8s\.io .*resourceVersion/);
  });

  test("accepts the resourceVersion of a deleted object, but not its uid", async () => {
    const lease = await leases.make(`lease-${name}`, { spec: { holderIdentity: "a" } });
    await leases.delete(lease.metadata.name);
    expect(await refusal(leases.update(lease))).toMatch(
      /^409 Conflict: .*Precondition failed: UID in precondition: /,
    );
    const { uid: _, ...metadata } = lease.metadata;
    const anew = await leases.update({ ...lease, metadata });
    expect(anew.metadata.uid).not.toBe(lease.metadata.uid);
  });

  test("returns 404 when the namespace does not exist", async () => {
    const elsewhere = leases.in("nowhere").update({ metadata: { name: "x" } });
    expect(await refusal(elsewhere)).toBe('404 NotFound: namespaces "nowhere" not found');
  });
});

describe("dry run", () => {
  test("returns the same response and stores nothing", async () => {
    const { revision } = await api.store.status();
    const dry = await widgets.update(painted(made, "blue"), { dryRun: true, fieldManager: "me" });
    expect((await api.store.status()).revision).toBe(revision);
    expect(dry.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    const updated = await widgets.update(painted(made, "blue"), { fieldManager: "me" });
    const { resourceVersion } = dry.metadata;
    expect(dry).toEqual({ ...updated, metadata: { ...updated.metadata, resourceVersion } });
  });

  test("validates the object", async () => {
    await widgets.update(painted(made, "blue"));
    expect(await refusal(widgets.update(painted(made, "green"), { dryRun: true }))).toMatch(/^409 Conflict/);
  });

  test("does not create an object on update", async () => {
    const dry = await leases.update({ metadata: { name: `dry-${name}` } }, { dryRun: true });
    expect(dry.metadata.uid).toBeDefined();
    expect(await refusal(leases.get(`dry-${name}`))).toMatch(/^404 /);
  });
});

test("reports unknown fields according to fieldValidation", async () => {
  const odd = { ...made, spec: { color: "red", shape: "round" } };
  expect(await refusal(widgets.update(odd, { fieldValidation: "Strict" }))).toBe(
    '400 BadRequest: Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.shape"',
  );
  const warnings: string[] = [];
  expect(await widgets.update(odd, { warn: (text) => warnings.push(text) })).toEqual(made);
  expect(warnings).toEqual(['unknown field "spec.shape"']);
});

test("rewrites an object stored in an old version even if nothing else changes", async () => {
  const two = (first: string) =>
    ["v1", "v2"].map((version) => ({ name: version, storage: version === first }));
  const parts = await api.define("Part", { versions: two("v1") });
  const part = await parts.make("p", { spec: { a: 1 } });
  const definitions = api.resource("customresourcedefinitions", { group: "apiextensions.k8s.io" });
  const definition = await definitions.get("parts.demo.dev");
  const spec = definition["spec"] as { versions: { name: string }[] };
  const versions = spec.versions.map((version) => ({ ...version, storage: version.name === "v2" }));
  await definitions.update({ ...definition, spec: { ...spec, versions } });
  const stored = async () =>
    Buffer.from((await api.store.get("/demo.dev/parts/default/p"))?.value ?? []).toString();
  expect(await stored()).toMatch(/^\{"apiVersion":"demo\.dev\/v1"/);
  const rewritten = await parts.update(part);
  expect(await stored()).toMatch(/^\{"apiVersion":"demo\.dev\/v2"/);
  expect(rewritten).toMatchObject({ apiVersion: "demo.dev/v1", spec: { a: 1 }, metadata: { generation: 1 } });
  expect(await parts.update(rewritten)).toEqual(rewritten);
});
