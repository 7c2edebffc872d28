import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ask, createWidgets, widgetsPath } from "../fixtures/http-client.js";
import { widgetServer, type WidgetServer } from "../fixtures/widget-server.js";

let api: WidgetServer;
let failing = false;

beforeAll(async () => {
  api = await widgetServer({
    healthChecks: [
      {
        name: "store",
        check: async () => {
          await Promise.resolve();
          if (failing) throw new Error("the disk is gone");
        },
      },
      { name: "sync", check: () => {}, paths: ["readyz"] },
    ],
    metrics: [
      () => [
        {
          name: "store_revision",
          help: "The newest revision.",
          type: "gauge",
          samples: [{ value: 5, labels: { store: "memory" } }],
        },
      ],
    ],
  });
  await createWidgets(api, "a");
});
afterAll(() => api[Symbol.asyncDispose]());

describe("health", () => {
  test("responds with ok, and with all checks for ?verbose", async () => {
    expect(await ask(api, "/healthz")).toMatchObject({ status: 200, text: "ok" });
    const verbose = await ask(api, "/readyz?verbose");
    expect(verbose.text).toBe("[+]ping ok\n[+]store ok\n[+]sync ok\n[+]shutdown ok\nreadyz check passed\n");
    expect(verbose.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect((await ask(api, "/livez?verbose")).text).toBe("[+]ping ok\n[+]store ok\nlivez check passed\n");
    expect((await ask(api, "/readyz/store")).text).toBe("ok");
    expect((await ask(api, "/livez/sync")).status).toBe(404);
  });

  test("skips checks named by ?exclude", async () => {
    const { text } = await ask(api, "/livez?verbose&exclude=store&exclude=none");
    expect(text).toBe(
      "[+]ping ok\n[+]store excluded: ok\n" +
        'warn: some health checks cannot be excluded: no matches for "none"\nlivez check passed\n',
    );
  });

  test("returns 500 when a check fails, and reports it", async () => {
    failing = true;
    try {
      const { status, text } = await ask(api, "/healthz");
      expect(status).toBe(500);
      expect(text).toBe("[+]ping ok\n[-]store failed: reason withheld\nhealthz check failed\n");
      expect((await ask(api, "/healthz?exclude=store")).status).toBe(200);
      expect(await ask(api, "/healthz/store")).toMatchObject({
        status: 500,
        text: "internal server error: the disk is gone\n",
      });
      // One line each, without a stack: probes repeat for as long as the failure lasts.
      expect(api.errors).toEqual(Array(2).fill("healthz check store failed: the disk is gone"));
    } finally {
      failing = false;
    }
  });
});

test("/version has the Kubernetes version with Fettle's as build metadata", async () => {
  const { json } = await ask(api, "/version");
  expect(json).toMatchObject({ major: "1", minor: "33", gitVersion: "v1.33.0+fettle-1.2.3" });
  expect(json.platform).toMatch(/^\w+\/\w+$/);
});

test("/ lists all paths in order", async () => {
  const { json } = await ask(api, "/");
  const paths = json.paths as string[];
  expect(paths).toEqual(paths.toSorted());
  for (const path of ["/api/v1", "/apis/demo.dev/v2", "/readyz/store", "/openapi/v3", "/metrics"]) {
    expect(json.paths).toContain(path);
  }
  expect(json.paths).not.toContain("/livez/sync");
});

describe("metrics", () => {
  test("count requests by verb and resource", async () => {
    await ask(api, `${widgetsPath}/a`);
    await ask(api, `${widgetsPath}/none`);
    await ask(api, `${widgetsPath}/a/status`);
    await ask(api, `${widgetsPath}/a/${"x".repeat(100)}`);
    await ask(api, "/apis/none.dev/v1/made-up");
    const { text, headers } = await ask(api, "/metrics");
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    const labels = (verb: string, subresource = ""): string =>
      `verb="${verb}",group="demo.dev",version="v1",resource="widgets",subresource="${subresource}"`;
    expect(text).toContain(`apiserver_request_total{${labels("GET")},code="200"} 1\n`);
    expect(text).toContain(`apiserver_request_total{${labels("GET")},code="404"} 2\n`);
    expect(text).toContain(`apiserver_request_total{${labels("GET", "status")},code="200"} 1\n`);
    expect(text).toContain(`apiserver_request_total{${labels("POST")},code="201"} 1\n`);
    expect(text).toContain(`apiserver_request_duration_seconds_count{${labels("GET")}} 3\n`);
    expect(text).toContain(`apiserver_request_duration_seconds_bucket{${labels("GET")},le="+Inf"} 3\n`);
    expect(text).toContain("process_resident_memory_bytes");
    expect(text).toContain('store_revision{store="memory"} 5');
    expect(text).not.toContain("made-up");
    expect(text).not.toContain("xxx");
  });
});

describe("discovery", () => {
  const aggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

  test("aggregated, with an ETag", async () => {
    const { headers, json } = await ask(api, "/apis", { headers: { accept: aggregated } });
    expect(headers["content-type"]).toBe(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    );
    expect(headers["vary"]).toBe("Accept");
    expect(json.kind).toBe("APIGroupDiscoveryList");
    const { etag = "" } = headers;
    const again = await ask(api, "/apis", { headers: { accept: aggregated, "if-none-match": etag } });
    expect(again).toMatchObject({ status: 304, text: "" });
    const core = await ask(api, "/api", { headers: { accept: aggregated } });
    expect(core.json.items).toHaveLength(1);
  });

  test("unaggregated, by group and version", async () => {
    expect((await ask(api, "/api")).json).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    expect((await ask(api, "/apis/")).json).toMatchObject({ kind: "APIGroupList" });
    expect((await ask(api, "/api/v1")).json).toMatchObject({ kind: "APIResourceList", groupVersion: "v1" });
    expect((await ask(api, "/apis/demo.dev")).json).toMatchObject({ kind: "APIGroup", name: "demo.dev" });
    const list = await ask(api, "/apis/demo.dev/v1");
    expect(list.json.resources.map(({ name }: { name: string }) => name)).toContain("widgets");
    const yaml = await ask(api, "/apis/demo.dev/v1", { headers: { accept: "application/yaml" } });
    expect(parse(yaml.text)).toEqual(list.json);
  });

  test("changes with the kinds", async () => {
    const before = await ask(api, "/apis/demo.dev/v1");
    const type = api.registry.types.find("demo.dev", "v1", "widgets");
    if (type === undefined) throw new Error("there are no widgets");
    api.registry.types.set("more", [{ ...type, plural: "gadgets", kind: "Gadget" }]);
    const after = await ask(api, "/apis/demo.dev/v1");
    expect(after.headers["etag"]).not.toBe(before.headers["etag"]);
    expect(after.text).toContain("gadgets");
    api.registry.types.set("more", []);
    expect((await ask(api, "/apis/demo.dev/v1")).text).not.toContain("gadgets");
  });
});

describe("OpenAPI", () => {
  test("v3: index of immutable URLs", async () => {
    const { json } = await ask(api, "/openapi/v3");
    const address = json.paths["apis/demo.dev/v1"].serverRelativeURL as string;
    const document = await ask(api, address);
    expect(document.json).toMatchObject({ openapi: "3.0.0" });
    expect(document.headers["cache-control"]).toContain("immutable");
    expect(document.headers["etag"]).toContain(address.split("hash=")[1]);
    const wrong = await ask(api, "/openapi/v3/apis/demo.dev/v1?hash=ABC");
    expect(wrong).toMatchObject({ status: 301, headers: { location: address } });
    const plain = await ask(api, "/openapi/v3/api/v1");
    expect(plain.headers["cache-control"]).not.toContain("immutable");
  });

  test("v2: as JSON and as protobuf", async () => {
    expect((await ask(api, "/openapi/v2")).json).toMatchObject({ swagger: "2.0" });
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const protobuf = await ask(api, "/openapi/v2", { headers: { accept } });
    expect(protobuf).toMatchObject({ status: 200 });
    expect(protobuf.headers["content-type"]).toContain("protobuf");
  });

  test("returns 406 for other media types", async () => {
    const { status } = await ask(api, "/openapi/v3/api/v1", { headers: { accept: "text/html" } });
    expect(status).toBe(406);
  });
});
