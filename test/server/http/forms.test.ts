import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { widget } from "../widgets.js";
import { everyTransport } from "./every-transport.js";
import { asYaml, configMap, configMaps, widgets } from "./paths.js";
import type { Json } from "./wire.js";

everyTransport("answers in the form that is asked for", (wire) => {
  beforeAll(async () => {
    await wire().post(widgets, widget("shown", "red"), asYaml);
  });
  const table = (version: string): string => `application/json;as=Table;v=${version};g=meta.k8s.io`;

  test.each(["v1", "v1beta1"])("Table %s", async (version) => {
    const accept = { accept: `${table(version)},application/json` };
    const { json } = await wire().get(widgets, accept);
    expect(json).toMatchObject({
      kind: "Table",
      apiVersion: `meta.k8s.io/${version}`,
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
      rows: [{ object: { kind: "PartialObjectMetadata", metadata: { name: "shown" } } }],
    });
    const names = json.columnDefinitions.map(({ name }: Json) => name);
    expect(names).toEqual(["Name", "Color", "Replicas", "Size", "Ready", "Age"]);
    expect(json.rows[0].cells.slice(0, 5)).toEqual(["shown", "red", 1, "medium", null]);
    const one = await wire().get(`${widgets}/shown?includeObject=Object`, accept);
    expect(one.json.rows[0].object).toMatchObject({ kind: "Widget", spec: { color: "red" } });
    const none = await wire().get(`${widgets}/shown?includeObject=None`, accept);
    expect(none.json.rows[0].object).toBeNull();
    expect((await wire().get(`${widgets}?includeObject=All`, accept)).code).toBe(400);
  });

  test("PartialObjectMetadata", async () => {
    const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });
    const list = await wire().get(widgets, as("PartialObjectMetadataList"));
    expect(list.json).toMatchObject({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      items: [{ metadata: { name: "shown", uid: expect.any(String) } }],
    });
    expect(list.json.items[0]).not.toHaveProperty("spec");
    const one = await wire().get(`${widgets}/shown`, as("PartialObjectMetadata"));
    expect(one.json).toMatchObject({ kind: "PartialObjectMetadata", metadata: { labels: { color: "red" } } });
  });

  test("YAML in request and response", async () => {
    const accept = { accept: "application/yaml" };
    const { code, headers, text } = await wire().post(
      configMaps,
      stringify(configMap("folded", { a: "yes\nno\n", b: "0x1f" })),
      {
        ...asYaml,
        ...accept,
      },
    );
    expect(code).toBe(201);
    expect(headers["content-type"]).toBe("application/yaml");
    expect(parse(text)).toMatchObject({ kind: "ConfigMap", data: { a: "yes\nno\n", b: "0x1f" } });
    expect(parse((await wire().get(configMaps, accept)).text)).toMatchObject({ kind: "ConfigMapList" });
    expect(parse((await wire().get("/apis/demo.dev/v1", accept)).text)).toMatchObject({
      kind: "APIResourceList",
    });
  });

  test("gzip for large responses and for bodies", async () => {
    const packed = gzipSync(JSON.stringify(configMap("large", { a: "x".repeat(200_000) })));
    const headers = { "content-encoding": "gzip" };
    expect((await wire().post(configMaps, packed, headers)).code).toBe(201);
    const {
      json,
      bytes,
      headers: answered,
    } = await wire().get(`${configMaps}/large`, { "accept-encoding": "gzip" });
    expect(answered).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect(bytes.length).toBeLessThan(10_000);
    expect(json.data.a).toHaveLength(200_000);
    const small = await wire().get(`${widgets}/shown`, { "accept-encoding": "gzip" });
    expect(small.headers).not.toHaveProperty("content-encoding");
    const list = await wire().get(configMaps, { "accept-encoding": "gzip" });
    expect(list.headers["content-encoding"]).toBe("gzip");
    expect(list.json.items.map(({ metadata }: Json) => metadata.name)).toContain("large");
  });

  test.each<[string, Record<string, string>, boolean]>([
    ["", {}, false],
    ["?pretty=true", {}, true],
    ["", { "user-agent": "curl/8.5.0" }, true],
    ["?pretty=false", { "user-agent": "curl/8.5.0" }, false],
    ["", { accept: "application/json;pretty=1" }, true],
  ])("line breaks: %s %o", async (query, headers, pretty) => {
    for (const path of [`${widgets}/shown`, widgets]) {
      const { text, json } = await wire().get(path + query, headers);
      expect(text.includes('\n  "')).toBe(pretty);
      expect(json.apiVersion).toBe("demo.dev/v1");
    }
  });

  test("responds to HEAD without a body", async () => {
    const { code, headers, bytes } = await wire().call(`${widgets}/shown`, { method: "HEAD" });
    expect(code).toBe(200);
    expect(Number(headers["content-length"])).toBe((await wire().get(`${widgets}/shown`)).bytes.length);
    expect(bytes).toHaveLength(0);
  });

  test("returns 406 for unsupported formats", async () => {
    const { code, json } = await wire().get(widgets, { accept: "text/html" });
    expect({ code, ...json }).toMatchObject({
      code: 406,
      reason: "NotAcceptable",
      message: /application\/json/,
    });
  });
});
