import { expect, test } from "vitest";
import { parse } from "yaml";
import { widgetDefinition } from "../widgets.js";
import { everyTransport } from "./every-transport.js";
import { parseMetrics } from "./metrics-text.js";
import { configMaps } from "./paths.js";
import type { Json } from "./wire.js";

everyTransport("tells of itself", (wire, server) => {
  const plain: [string, object][] = [
    ["/", { paths: expect.arrayContaining(["/api", "/apis/demo.dev/v1", "/openapi/v3", "/readyz/store"]) }],
    ["/version", { major: "1", gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/) }],
    ["/api", { kind: "APIVersions", versions: ["v1"] }],
    [
      "/apis",
      {
        kind: "APIGroupList",
        groups: expect.arrayContaining([
          expect.objectContaining({
            name: "demo.dev",
            preferredVersion: { groupVersion: "demo.dev/v1", version: "v1" },
          }),
        ]),
      },
    ],
    ["/apis/demo.dev", { kind: "APIGroup", name: "demo.dev" }],
    [
      "/api/v1",
      {
        kind: "APIResourceList",
        groupVersion: "v1",
        resources: expect.arrayContaining([
          expect.objectContaining({ name: "configmaps", namespaced: true, shortNames: ["cm"] }),
          expect.objectContaining({ name: "namespaces/finalize", kind: "Namespace" }),
        ]),
      },
    ],
    [
      "/apis/demo.dev/v1",
      {
        resources: expect.arrayContaining([
          expect.objectContaining({ name: "widgets", kind: "Widget", categories: ["all", "demo"] }),
          expect.objectContaining({ name: "widgets/scale", group: "autoscaling", kind: "Scale" }),
        ]),
      },
    ],
  ];
  test.each(plain)("%s", async (path, expected) => {
    const { code, headers, json } = await wire().get(path);
    expect(code).toBe(200);
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["audit-id"]).toMatch(/^[\w-]+$/);
    expect(json).toMatchObject(expected);
  });

  test.each(["/apis/nobody.dev", "/apis/demo.dev/v9", "/api/v2", "/nowhere"])("404 at %s", async (path) => {
    expect((await wire().get(path)).code).toBe(404);
  });

  test.each(["v2", "v2beta1"])("aggregated discovery %s, cached by ETag", async (version) => {
    const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    const accept = { accept: `${type},application/json` };
    for (const [path, resource] of [
      ["/api", "configmaps"],
      ["/apis", "widgets"],
    ] as const) {
      const { headers, json } = await wire().get(path, accept);
      expect(headers).toMatchObject({ "content-type": type, vary: "Accept" });
      const resources = json.items.flatMap(({ versions }: Json) =>
        versions.flatMap((each: Json) => each.resources),
      );
      expect(resources).toContainEqual(expect.objectContaining({ resource, scope: "Namespaced" }));
      const again = await wire().get(path, { ...accept, "if-none-match": String(headers.etag) });
      expect(again).toMatchObject({ code: 304, headers: { etag: headers.etag } });
      expect(again.bytes).toHaveLength(0);
    }
  });

  test("OpenAPI v3, addressed by hash", async () => {
    const { paths } = (await wire().get("/openapi/v3")).json;
    const url: string = paths["apis/demo.dev/v1"].serverRelativeURL;
    expect(url).toMatch(/^\/openapi\/v3\/apis\/demo\.dev\/v1\?hash=[0-9A-F]+$/);
    const found = await wire().get(url);
    expect(found.headers["cache-control"]).toMatch(/immutable/);
    expect(found.json.openapi).toMatch(/^3\.0/);
    const operation = found.json.paths["/apis/demo.dev/v1/namespaces/{namespace}/widgets/{name}"].patch;
    expect(operation["x-kubernetes-group-version-kind"]).toMatchObject({ kind: "Widget" });
    expect((await wire().get(url, { "if-none-match": String(found.headers.etag) })).code).toBe(304);
    const old = await wire().get(url.replace(/hash=.*/, "hash=0000"));
    expect(old).toMatchObject({ code: 301, headers: { location: url } });
    expect((await wire().get(url.replace(/\?.*/, ""))).headers["cache-control"]).toMatch(/no-cache/);
    expect((await wire().get("/openapi/v3/apis/nobody.dev/v1")).code).toBe(404);
  });

  test("OpenAPI v2 as JSON and as protobuf", async () => {
    const { headers, json } = await wire().get("/openapi/v2");
    expect(json.swagger).toBe("2.0");
    expect(Object.keys(json.definitions)).toContain("dev.demo.v1.Widget");
    expect((await wire().get("/openapi/v2", { "if-none-match": String(headers.etag) })).code).toBe(304);
    const type = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const encoded = await wire().get("/openapi/v2", { accept: type });
    expect(encoded.headers["content-type"]).toMatch(/protobuf/);
    expect(encoded.bytes.includes("dev.demo.v1.Widget")).toBe(true);
  });

  test("documents change with the kinds", async () => {
    const before = await wire().get("/openapi/v2");
    const definition = parse(widgetDefinition.replaceAll("idget", "onder").replace("[wd]", "[wo]"));
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    expect((await wire().post(definitions, definition)).code).toBe(201);
    expect((await wire().get("/apis/demo.dev/v1")).text).toContain("wonders");
    const after = await wire().get("/openapi/v2", { "if-none-match": String(before.headers.etag) });
    expect(after.code).toBe(200);
    await wire().call(`${definitions}/wonders.demo.dev`, { method: "DELETE" });
    await server().server.api.idle();
    expect((await wire().get("/apis/demo.dev/v1")).text).not.toContain("wonders");
    expect((await wire().get("/apis/demo.dev/v1/wonders")).code).toBe(404);
  });

  const health: [string, number, string | RegExp][] = [
    ["/healthz", 200, "ok"],
    ["/livez", 200, "ok"],
    ["/readyz", 200, "ok"],
    [
      "/readyz?verbose",
      200,
      "[+]ping ok\n[+]store ok\n[+]store-writes ok\n[+]shutdown ok\nreadyz check passed\n",
    ],
    ["/livez?verbose&exclude=store", 200, "[+]ping ok\n[+]store excluded: ok\nlivez check passed\n"],
    ["/healthz?verbose&exclude=nothing", 200, /cannot be excluded: no matches for "nothing"/],
    ["/readyz/store", 200, "ok"],
    ["/readyz/nothing", 404, /not found/],
  ];
  test.each(health)("%s", async (path, code, expected) => {
    const answer = await wire().get(path);
    expect(answer.code).toBe(code);
    if (typeof expected === "string") expect(answer.text).toBe(expected);
    else expect(answer.text).toMatch(expected);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
  });

  test("/metrics counts requests and watchers", async () => {
    const read = async (): Promise<ReturnType<typeof parseMetrics>> => {
      const { headers, text } = await wire().get("/metrics");
      expect(headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
      return parseMetrics(text);
    };
    const labels = { verb: "GET", group: "", version: "v1", resource: "configmaps", subresource: "" };
    const missing = { ...labels, code: "404" };
    const before = (await read()).value("apiserver_request_total", missing) ?? 0;
    for (let turn = 0; turn < 3; turn++) await wire().get(`${configMaps}/nobody`);
    const after = await read();
    expect(after.value("apiserver_request_total", missing)).toBe(before + 3);
    expect(after.value("apiserver_request_duration_seconds_count", labels)).toBeGreaterThanOrEqual(3);
    expect(after.value("apiserver_request_duration_seconds_bucket", { ...labels, le: "+Inf" })).toBe(
      after.value("apiserver_request_duration_seconds_count", labels),
    );
    expect(after.value("process_resident_memory_bytes", {})).toBeGreaterThan(0);
    expect(after.value("fettle_store_revision", {})).toBeGreaterThan(0);
    expect(after.value("apiserver_storage_objects", { resource: "namespaces" })).toBeGreaterThanOrEqual(4);

    const watching = { ...labels, verb: "WATCH" };
    const open = async () => (await read()).value("apiserver_longrunning_requests", watching) ?? 0;
    const idle = await open();
    const watch = await wire().watch(`${configMaps}?watch=1`);
    expect(await open()).toBe(idle + 1);
    watch.stop();
    await expect.poll(open).toBe(idle);
  });
});
