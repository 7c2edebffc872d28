import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ask, createWidgets, widget, widgetsPath } from "./fixtures/http-client.js";
import { widgetServer, type WidgetServer } from "./fixtures/widget-server.js";

let api: WidgetServer;

beforeAll(async () => {
  api = await widgetServer();
  await createWidgets(api, "a", "b", "c");
});
afterAll(() => api[Symbol.asyncDispose]());

const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

describe("get", () => {
  test("sends the stored object", async () => {
    const { status, headers, json } = await ask(api, `${widgetsPath}/a`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ kind: "Widget", apiVersion: "demo.dev/v1", metadata: { name: "a" } });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-cache, private",
      "audit-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test("keeps the client's Audit-Id", async () => {
    const { headers } = await ask(api, `${widgetsPath}/a`, { headers: { "audit-id": "mine" } });
    expect(headers["audit-id"]).toBe("mine");
  });

  test("returns another version, and decodes escapes in the path", async () => {
    expect((await ask(api, `${widgetsPath.replace("v1", "v2")}/a`)).json).toMatchObject({
      apiVersion: "demo.dev/v2",
    });
    expect((await ask(api, "/apis/demo.dev/v1/namespaces/default/%77idgets/%61/")).status).toBe(200);
  });

  test("responds to HEAD without a body", async () => {
    const { headers, text } = await ask(api, `${widgetsPath}/a`);
    const head = await ask(api, `${widgetsPath}/a`, { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers["content-length"]).toBe(String(text.length));
    expect(headers["content-length"]).toBe(String(text.length));
    expect((await ask(api, `${widgetsPath}/none`, { method: "HEAD" })).status).toBe(404);
    expect((await ask(api, widgetsPath, { method: "HEAD" })).status).toBe(200);
  });

  test("indents JSON for curl and browsers", async () => {
    const { text: plain } = await ask(api, `${widgetsPath}/a`);
    const pretty = expect.stringMatching(/^\{\n {2}"apiVersion": "demo.dev\/v1",\n {2}"kind": "Widget",\n/);
    const bodyOf = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
      return (await ask(api, `${widgetsPath}/a${path}`, { headers })).text;
    };
    expect(await bodyOf("?pretty=true")).toEqual(pretty);
    expect(await bodyOf("", { "user-agent": "curl/8.5.0" })).toEqual(pretty);
    expect(await bodyOf("", { "user-agent": "Mozilla/5.0 (X11)" })).toEqual(pretty);
    expect(await bodyOf("", { accept: "application/json;pretty=1" })).toEqual(pretty);
    expect(await bodyOf("?pretty=false", { "user-agent": "curl/8.5.0" })).toBe(plain);
    expect(await bodyOf("?pretty=0")).toBe(plain);
  });

  test("returns YAML", async () => {
    const { headers, text } = await ask(api, `${widgetsPath}/a`, {
      headers: { accept: "application/yaml" },
    });
    expect(headers["content-type"]).toBe("application/yaml");
    expect(text).toMatch(/^apiVersion: demo.dev\/v1\nkind: Widget\n/);
    expect(parse(text)).toEqual((await ask(api, `${widgetsPath}/a`)).json);
  });

  test("returns a Table and PartialObjectMetadata", async () => {
    const table = await ask(api, `${widgetsPath}/a`, { headers: { accept: asTable } });
    expect(table.json).toMatchObject({
      kind: "Table",
      rows: [{ object: { kind: "PartialObjectMetadata" } }],
    });
    const bare = await ask(api, `${widgetsPath}/a?includeObject=None`, { headers: { accept: asTable } });
    expect(bare.json.rows[0].object).toBeNull();
    const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const partial = await ask(api, `${widgetsPath}/a`, { headers: { accept } });
    expect(partial.json).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
    expect(partial.json.spec).toBeUndefined();
  });

  test("returns a Scale", async () => {
    const { json } = await ask(api, `${widgetsPath}/a/scale`, { headers: { accept: asTable } });
    expect(json.columnDefinitions.map(({ name }: { name: string }) => name)).toContain("Desired");
    expect((await ask(api, `${widgetsPath}/a/scale`)).json).toMatchObject({ kind: "Scale" });
  });

  test.each([
    [`${widgetsPath}/none`, 404, 'widgets.demo.dev "none" not found'],
    [
      `${widgetsPath}/a?export=true`,
      400,
      "the export parameter, deprecated since v1.14, is no longer supported",
    ],
    [`${widgetsPath}/a?timeout=x`, 400, "invalid timeout specified in the request URL"],
    [`${widgetsPath}/%zz`, 400, "invalid URL escape"],
    [`${widgetsPath}/a?resourceVersion=%zz`, 400, "invalid URL escape"],
    [`${widgetsPath}/a?pretty=%zz`, 400, "invalid URL escape"],
  ])("%s fails with %i", async (path, status, message) => {
    const reply = await ask(api, path);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ kind: "Status", status: "Failure", code: status });
    expect(reply.json.message).toContain(message);
  });

  test("returns 406 for an unsupported format", async () => {
    const { status, json } = await ask(api, `${widgetsPath}/a`, { headers: { accept: "image/png" } });
    expect(status).toBe(406);
    expect(json.message).toBe(
      "only the following media types are accepted: application/json, application/yaml",
    );
  });
});

describe("list", () => {
  test("sends stored objects", async () => {
    const { json, headers, text } = await ask(api, `${widgetsPath}?limit=2`);
    expect(json).toMatchObject({
      kind: "WidgetList",
      apiVersion: "demo.dev/v1",
      metadata: { resourceVersion: expect.any(String), remainingItemCount: 1 },
      items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }],
    });
    expect(headers["content-length"]).toBe(String(text.length));
    const next = encodeURIComponent(json.metadata.continue);
    const rest = await ask(api, `${widgetsPath}?limit=2&continue=${next}`);
    expect(rest.json.items).toMatchObject([{ metadata: { name: "c" } }]);
  });

  test("lists all namespaces, an empty one, and by selector", async () => {
    expect((await ask(api, "/apis/demo.dev/v1/widgets")).json.items).toHaveLength(3);
    expect((await ask(api, "/apis/demo.dev/v1/namespaces/x/widgets")).text).toContain('"items":[]}');
    const { json } = await ask(api, `${widgetsPath}?fieldSelector=metadata.name%3Db`);
    expect(json.items).toMatchObject([{ metadata: { name: "b" } }]);
  });

  test("returns Tables, metadata, YAML and indented JSON", async () => {
    const table = await ask(api, widgetsPath, { headers: { accept: asTable } });
    expect(table.json).toMatchObject({ kind: "Table", metadata: { resourceVersion: expect.any(String) } });
    expect(table.json.rows).toHaveLength(3);
    const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    const partial = await ask(api, widgetsPath, { headers: { accept } });
    expect(partial.json).toMatchObject({ kind: "PartialObjectMetadataList" });
    const plain = await ask(api, widgetsPath);
    const yaml = await ask(api, widgetsPath, { headers: { accept: "application/yaml" } });
    expect(parse(yaml.text)).toEqual(plain.json);
    const pretty = await ask(api, `${widgetsPath}?pretty=1`);
    expect(pretty.text).toMatch(/^\{\n {2}"kind": "WidgetList",\n/);
    expect(pretty.json).toEqual(plain.json);
  });

  test("sends a large list in chunks, and compressed for clients that accept gzip", async () => {
    await using other = await widgetServer();
    const text = "x".repeat(2000);
    for (let index = 0; index < 300; index++) {
      await ask(other, widgetsPath, { method: "POST", body: widget(`w-${index}`, { text }) });
    }
    const plain = await ask(other, widgetsPath);
    expect(plain.json.items).toHaveLength(300);
    expect(plain.headers["content-length"]).toBe(String(plain.text.length));
    const packed = await fetch(`${other.server.url}${widgetsPath}`, {
      headers: { authorization: other.authorization, "accept-encoding": "gzip" },
    });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("vary")).toBe("Accept-Encoding");
    expect(await packed.text()).toBe(plain.text);
    const table = await ask(other, widgetsPath, {
      headers: { accept: asTable, "accept-encoding": "br, gzip" },
    });
    expect(table.headers["content-encoding"]).toBe("gzip");
    const small = await ask(other, `${widgetsPath}?limit=1`, { headers: { "accept-encoding": "gzip" } });
    expect(small.headers["content-encoding"]).toBeUndefined();
  });

  test.each([
    ["limit=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ["labelSelector=a%3D%3D%3D", 400, "unable to parse requirement"],
    ["fieldSelector=nothing", 400, "invalid selector"],
    [
      "resourceVersionMatch=Exact",
      422,
      "resourceVersionMatch is forbidden unless resourceVersion is provided",
    ],
  ])("with %s fails with %i", async (query, status, message) => {
    const reply = await ask(api, `${widgetsPath}?${query}`);
    expect(reply.status).toBe(status);
    expect(reply.json.message).toContain(message);
  });
});

describe("writes", () => {
  test("create, update, patch and delete", async () => {
    const created = await ask(api, widgetsPath, { method: "POST", body: widget("new", { size: 1 }) });
    expect(created).toMatchObject({ status: 201, json: { metadata: { name: "new" }, spec: { size: 1 } } });
    const again = await ask(api, widgetsPath, { method: "POST", body: widget("new") });
    expect(again).toMatchObject({ status: 409, json: { reason: "AlreadyExists" } });
    const updated = await ask(api, `${widgetsPath}/new`, {
      method: "PUT",
      body: { ...created.json, spec: { size: 2 } },
    });
    expect(updated).toMatchObject({ status: 200, json: { spec: { size: 2 } } });
    const patched = await ask(api, `${widgetsPath}/new`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json; charset=utf-8" },
      body: '{"spec":{"size":3}}',
    });
    expect(patched).toMatchObject({ status: 200, json: { spec: { size: 3 } } });
    const status = await ask(api, `${widgetsPath}/new/status`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: '{"status":{"size":9}}',
    });
    expect(status).toMatchObject({ status: 200, json: { status: { size: 9 }, spec: { size: 3 } } });
    const scaled = await ask(api, `${widgetsPath}/new/scale`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: '{"spec":{"replicas":5}}',
    });
    expect(scaled).toMatchObject({ status: 200, json: { kind: "Scale", spec: { replicas: 5 } } });
    const deleted = await ask(api, `${widgetsPath}/new`, { method: "DELETE" });
    expect(deleted.status).toBe(200);
    expect(deleted.json).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "new", group: "demo.dev", kind: "widgets", uid: created.json.metadata.uid },
    });
    expect((await ask(api, `${widgetsPath}/new`)).status).toBe(404);
  });

  test("delete waits for finalizers", async () => {
    const body = {
      ...widget("kept"),
      metadata: { name: "kept", finalizers: ["demo.dev/keep"] },
    };
    await ask(api, widgetsPath, { method: "POST", body });
    const deleted = await ask(api, `${widgetsPath}/kept`, {
      method: "DELETE",
      body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" },
    });
    expect(deleted).toMatchObject({
      status: 200,
      json: { kind: "Widget", metadata: { deletionTimestamp: expect.any(String) } },
    });
    const again = await ask(api, `${widgetsPath}/kept?orphanDependents=false`, { method: "DELETE" });
    expect(again.status).toBe(202);
    await ask(api, `${widgetsPath}/kept`, {
      method: "PATCH",
      headers: { "content-type": "application/json-patch+json" },
      body: '[{"op":"remove","path":"/metadata/finalizers"}]',
    });
    expect((await ask(api, `${widgetsPath}/kept`)).status).toBe(404);
  });

  test("deletecollection returns the deleted objects", async () => {
    await using other = await widgetServer();
    await createWidgets(other, "a", "b");
    const deleted = await ask(other, widgetsPath, { method: "DELETE" });
    expect(deleted).toMatchObject({ status: 200, json: { kind: "WidgetList" } });
    expect(deleted.json.items).toHaveLength(2);
    expect((await ask(other, widgetsPath)).json.items).toEqual([]);
  });

  test("does not write in a dry run", async () => {
    const dry = await ask(api, `${widgetsPath}?dryRun=All`, { method: "POST", body: widget("dry") });
    expect(dry.status).toBe(201);
    expect((await ask(api, `${widgetsPath}/dry`)).status).toBe(404);
    const deleted = await ask(api, `${widgetsPath}/a?dryRun=All`, { method: "DELETE" });
    expect(deleted.status).toBe(200);
    expect((await ask(api, `${widgetsPath}/a`)).status).toBe(200);
  });

  test("accepts YAML, gzip, and protobuf for built-in kinds", async () => {
    const yaml = await ask(api, widgetsPath, {
      method: "POST",
      headers: { "content-type": "application/yaml" },
      body: "apiVersion: demo.dev/v1\nkind: Widget\nmetadata:\n  name: from-yaml\n",
    });
    expect(yaml.status).toBe(201);
    const packed = await ask(api, widgetsPath, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: gzipSync(JSON.stringify(widget("packed"))),
    });
    expect(packed.status).toBe(201);
    expect(gunzipSync(gzipSync("x")).toString()).toBe("x");
    // An empty ConfigMap: the magic number, then apiVersion and kind in a runtime.Unknown, then metadata.name.
    const name = Buffer.from("pb");
    const meta = Buffer.concat([Buffer.from([0x0a, name.length]), name]);
    const raw = Buffer.concat([Buffer.from([0x0a, meta.length]), meta]);
    const typeMeta = Buffer.concat([
      Buffer.from([0x0a, 2]),
      Buffer.from("v1"),
      Buffer.from([0x12, 9]),
      Buffer.from("ConfigMap"),
    ]);
    const body = Buffer.concat([
      Buffer.from("k8s\0"),
      Buffer.from([0x0a, typeMeta.length]),
      typeMeta,
      Buffer.from([0x12, raw.length]),
      raw,
    ]);
    const headers = { "content-type": "application/vnd.kubernetes.protobuf" };
    const configMaps = "/api/v1/namespaces/default/configmaps";
    const protobuf = await ask(api, configMaps, { method: "POST", headers, body });
    expect(protobuf).toMatchObject({ status: 201, json: { kind: "ConfigMap", metadata: { name: "pb" } } });
    const custom = await ask(api, widgetsPath, { method: "POST", headers, body });
    expect(custom.status).toBe(415);
    // DeleteOptions without anything in them.
    const options = Buffer.from("k8s\0\x0a\x13\x0a\x02v1\x12\x0dDeleteOptions\x12\x00", "latin1");
    const deleted = await ask(api, `${configMaps}/pb`, { method: "DELETE", headers, body: options });
    expect(deleted.status).toBe(200);
  });

  test("defaults the field manager to the program in User-Agent", async () => {
    const headers = { "user-agent": "tool/1.2 (linux)" };
    const first = await ask(api, widgetsPath, {
      method: "POST",
      headers,
      body: widget("managed", { size: 1 }),
    });
    expect(first.json.metadata.managedFields).toMatchObject([{ manager: "tool" }]);
    const path = `${widgetsPath}?fieldManager=me`;
    const second = await ask(api, path, { method: "POST", headers, body: widget("mine", { size: 1 }) });
    expect(second.json.metadata.managedFields).toMatchObject([{ manager: "me" }]);
  });

  test("warns about unknown fields", async () => {
    const body = { ...widget("warned"), spec: { colour: "red" } };
    const { status, headers } = await ask(api, widgetsPath, { method: "POST", body });
    expect(status).toBe(201);
    expect(headers["warning"]).toBe(String.raw`299 - "unknown field \"spec.colour\""`);
    const strict = await ask(api, `${widgetsPath}?fieldValidation=Strict`, { method: "POST", body });
    expect(strict.status).toBe(400);
  });

  test.each<[string, string, string, string, number]>([
    ["POST", "?dryRun=Some", "application/json", "{}", 422],
    ["POST", "?fieldValidation=Loose", "application/json", "{}", 422],
    ["POST", "", "application/json", "{", 400],
    ["POST", "", "application/json", "", 400],
    ["POST", "", "application/json", "[]", 400],
    ["POST", "", "application/json", '{"a":1e999}', 400],
    ["POST", "", "application/json", "[".repeat(20_000), 400],
    ["POST", "", "application/json", '{"kind":5,"__proto__":{"polluted":true}}', 400],
    ["POST", "", "application/yaml", "a: [", 400],
    ["POST", "", "text/html", "{}", 415],
    ["PATCH", "/a", "application/json", "{}", 415],
    ["PATCH", "/a", "application/strategic-merge-patch+json", "{}", 415],
    ["PATCH", "/a", "application/merge-patch+json", "[]", 400],
    ["PATCH", "/a", "application/json-patch+json", "{}", 400],
    ["PATCH", "/a?force=true", "application/merge-patch+json", "{}", 422],
    ["PATCH", "/a", "application/apply-patch+yaml", "{}", 422],
    ["DELETE", "/a", "application/json", '{"dryRun":5}', 400],
    ["DELETE", "/a", "application/json", '{"propagationPolicy":"Never"}', 422],
    ["DELETE", "/a", "application/json", "{", 400],
    ["DELETE", "/a?gracePeriodSeconds=x", "application/json", "", 400],
  ])("%s %s of %s %s fails with %i", async (method, path, type, body, code) => {
    const reply = await ask(api, `${widgetsPath}${path}`, {
      method,
      headers: { "content-type": type },
      body,
    });
    expect(reply.json).toMatchObject({ kind: "Status", code });
    expect(reply.status).toBe(code);
    expect("polluted" in {}).toBe(false);
  });

  test("rejects malformed gzip and unknown encodings", async () => {
    const post = (encoding: string, body: Buffer): ReturnType<typeof ask> => {
      return ask(api, widgetsPath, { method: "POST", headers: { "content-encoding": encoding }, body });
    };
    expect((await post("gzip", Buffer.from("no gzip"))).status).toBe(400);
    expect((await post("br", Buffer.from("x"))).status).toBe(415);
    expect((await post("gzip", gzipSync(Buffer.alloc(5_000_000)))).status).toBe(413);
  });
});

describe("missing paths and methods", () => {
  test.each<[string, string, number, string]>([
    ["GET", "/nothing", 404, "404 page not found\n"],
    ["POST", "/healthz", 404, "404 page not found\n"],
    ["GET", "/apis/none.dev/v1/things", 404, "404 page not found\n"],
    ["GET", "/apis/demo.dev/v1/gadgets", 404, "404 page not found\n"],
    ["GET", "/apis/demo.dev/v9", 404, "404 page not found\n"],
    ["GET", "/apis/demo.dev/v1/widgets/a", 404, "404 page not found\n"],
    ["DELETE", "/apis/demo.dev/v1/widgets", 404, "404 page not found\n"],
    ["GET", `${widgetsPath}/a/b/c`, 404, "404 page not found\n"],
    ["GET", "/openapi/v4", 404, "404 page not found\n"],
    ["GET", "/openapi/v3/apis/none.dev/v1", 404, "404 page not found\n"],
    ["GET", "/readyz/none", 404, "404 page not found\n"],
    ["GET", "/api/v1/things", 404, "the server could not find the requested resource"],
    ["GET", "/api/v1/configmaps/a", 404, "the server could not find the requested resource"],
    ["GET", "/api/v1/namespaces/a/b/c/d", 404, "the server could not find the requested resource"],
    ["GET", "/api/v1/namespaces/default/namespaces/default", 404, "404 page not found\n"],
    ["GET", `${widgetsPath}/a/binding`, 404, 'widgets.demo.dev "a" not found'],
    ["PUT", "/api/v1/namespaces", 405, "the server does not allow this method on the requested resource"],
    ["POST", "/api/v1/configmaps", 405, "the server does not allow this method on the requested resource"],
    ["POST", "/api/v1/namespaces/default", 405, "the server does not allow this method"],
    ["OPTIONS", "/api/v1/namespaces", 405, "the server does not allow this method"],
    ["POST", `${widgetsPath}/a`, 405, 'create is not supported on resources of kind "widgets.demo.dev"'],
    ["PUT", widgetsPath, 405, 'update is not supported on resources of kind "widgets.demo.dev"'],
    ["PATCH", widgetsPath, 405, 'patch is not supported on resources of kind "widgets.demo.dev"'],
    ["DELETE", `${widgetsPath}/a/status`, 405, "delete is not supported"],
    ["OPTIONS", widgetsPath, 405, "options is not supported"],
    ["GET", "/api/v1/namespaces/default/finalize", 405, "the server does not allow this method"],
  ])("%s %s returns %i", async (method, path, status, message) => {
    const reply = await ask(api, path, { method });
    expect(reply.status).toBe(status);
    if (message.startsWith("404")) {
      expect(reply.text).toBe(message);
      expect(reply.headers["content-type"]).toBe("text/plain; charset=utf-8");
    } else expect(reply.json.message).toContain(message);
  });
});

test("reports no errors of the server", () => {
  expect(api.errors).toEqual([]);
});
