import { describe, expect, test } from "vitest";
import type { JsonObject, KubeObject } from "../../../model/core.js";
import { objectOf } from "../../runs/fixtures/sample-run.js";
import { Fights } from "./fights.js";
import { Findings } from "./finding.js";

const ours = "fettle/sites.demo.dev";
const wanted = {
  apiVersion: "demo.dev/v1",
  kind: "Page",
  metadata: { name: "hello-1", labels: { app: "web" } },
  spec: { html: "ours", lang: "en", ports: [{ port: 80, name: "http" }] },
} as unknown as JsonObject;

/** The page as somebody has left it: what they own, and what is in it. */
function page(manager: string, fields: JsonObject, content: Readonly<Record<string, unknown>>): KubeObject {
  const { metadata: own, ...rest } = content;
  const object = objectOf("Page", "hello-1", "7", rest);
  const managedFields = [
    { manager: ours, operation: "Apply", fieldsV1: { "f:spec": { "f:lang": {} } } },
    { manager: "fettle", operation: "Update", subresource: "status", fieldsV1: { "f:status": {} } },
    { manager, operation: "Update", time: "2026-01-01T00:00:00Z", fieldsV1: fields },
  ];
  const metadata = { ...object.metadata, ...(own as KubeObject["metadata"]), managedFields };
  return { ...object, metadata } as KubeObject;
}

const metadata = { labels: { app: "web" } };
const html = page(
  "kubectl-edit",
  { "f:spec": { "f:html": {} } },
  { metadata, spec: { ...(wanted["spec"] as object), html: "theirs" } },
);

describe("a fight", () => {
  test("is told of when a field was set back three times", () => {
    const fights = new Fights();
    const drift = { controller: "sites.demo.dev", ours, desired: wanted, current: html };
    expect(fights.add(drift, 0)).toEqual([]);
    expect(fights.add(drift, 40_000)).toEqual([]);
    expect(fights.add(drift, 80_000)).toHaveLength(1);
    expect(fights.add(drift, 120_000)).toEqual([
      {
        type: "fight",
        controller: "sites.demo.dev",
        object: "Page default/hello-1",
        message:
          "Page default/hello-1: kubectl-edit and fettle/sites.demo.dev fight over spec.html (4 times in 2m)",
        count: 4,
        since: 0,
        at: 120_000,
        paths: ["spec.html"],
        managers: ["kubectl-edit", ours],
      },
    ]);
  });

  test.each<[string, KubeObject, string]>([
    [
      "an item of a list with keys",
      page(
        "helm",
        { "f:spec": { "f:ports": { 'k:{"port":80}': { "f:name": {} } } } },
        {
          metadata,
          spec: { html: "ours", lang: "en", ports: [{ port: 80, name: "web" }] },
        },
      ),
      "helm and fettle/sites.demo.dev fight over spec.ports[port=80].name",
    ],
    [
      "a field that is taken away",
      page("helm", { "f:spec": { "f:other": {} } }, { metadata: {}, spec: wanted["spec"] }),
      "helm and fettle/sites.demo.dev fight over metadata.labels",
    ],
    [
      "several fields",
      page(
        "helm",
        { "f:spec": { "f:html": {}, "f:lang": {} }, "f:metadata": { "f:labels": { "f:app": {} } } },
        {
          metadata: { labels: { app: "x" } },
          spec: { html: "x", lang: "x", ports: [] },
        },
      ),
      "helm and fettle/sites.demo.dev fight over metadata.labels.app, spec.html, spec.lang",
    ],
  ])("is about %s", (_, current, message) => {
    const fights = new Fights();
    const drift = { controller: "sites.demo.dev", ours, desired: wanted, current };
    const found = [0, 1, 2, 3].flatMap((second) => fights.add(drift, second * 1000));
    expect(found.at(-1)?.message).toContain(message);
  });

  test("is none when we want something else ourselves", () => {
    const fights = new Fights();
    const current = page("fettle", { "f:status": {} }, { metadata, spec: { html: "old", lang: "en" } });
    for (let time = 0; time < 10; time++) {
      const desired = { ...wanted, spec: { html: `new ${time}`, lang: "en", [`field${time}`]: 1 } };
      expect(fights.add({ controller: "sites.demo.dev", ours, desired, current }, time)).toEqual([]);
    }
  });

  test("is none when it happens now and then", () => {
    const fights = new Fights();
    for (let hour = 0; hour < 10; hour++) {
      const drift = { controller: "sites.demo.dev", ours, desired: wanted, current: html };
      expect(fights.add(drift, hour * 3_600_000)).toEqual([]);
    }
  });
});

describe("findings", () => {
  const finding = (object: string, at: number) =>
    ({
      type: "fight",
      controller: "c",
      object,
      message: `${object} at ${at}`,
      count: 3,
      since: 0,
      at,
    }) as const;

  test("are told once in a while, however often they are found", () => {
    const findings = new Findings();
    expect(findings.add(finding("a", 0))).toBe(true);
    expect(findings.add(finding("b", 1))).toBe(true);
    expect(findings.add(finding("a", 2))).toBe(false);
    expect(findings.list(2).map(({ message }) => message)).toEqual(["a at 2", "b at 1"]);
    expect(findings.add(finding("a", 600_000))).toBe(true);
  });

  test("are forgotten after an hour, and when there are too many", () => {
    const findings = new Findings();
    for (let index = 0; index < 500; index++) findings.add(finding(`object ${index}`, index));
    expect(findings.list(500)).toHaveLength(200);
    expect(findings.list(500)[0]?.object).toBe("object 499");
    expect(findings.list(4_000_000)).toEqual([]);
  });
});
