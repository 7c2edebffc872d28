import { expect, test } from "vitest";
import { placedManifests } from "./placed-manifests.js";

const text = `apiVersion: demo.dev/v1
kind: Site
metadata:
  name: hello
  annotations:
    demo.dev/owner: me
spec:
  title: Hello
  ports:
    - name: web
      number: 80
    - name: admin
      number: nine
---
kind: List
apiVersion: v1
items:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: a } }
  - { apiVersion: v1, kind: ConfigMap, metadata: { generateName: b- } }
`;

test("finds the line and column of a manifest and of each of its fields", () => {
  const [site, ...maps] = placedManifests(text, "site.yaml");
  expect(maps.map(({ manifest, place }) => [manifest.metadata.name ?? "", place()])).toEqual([
    ["a", "site.yaml:18:5"],
    ["", "site.yaml:19:5"],
  ]);
  const places = {
    "": "1:1",
    "spec.title": "8:10",
    ".spec.title": "8:10",
    // A value that spans several lines is found at its name.
    spec: "7:1",
    "spec.ports": "9:3",
    "spec.ports[1].number": "13:15",
    'spec.ports[name="web"].number': "11:15",
    "metadata.annotations[demo.dev/owner]": "6:21",
    "metadata.annotations.demo.dev/owner": "6:21",
    // A missing field is found at its nearest existing parent.
    "spec.pages": "7:1",
    "spec.ports[7].number": "9:3",
    "status.published": "1:1",
  };
  for (const [field, at] of Object.entries(places))
    expect.soft(site?.place(field), field).toBe(`site.yaml:${at}`);
});

test("reports invalid manifests with their line and column", () => {
  for (const [wrong, message] of [
    ["a: 1\n b: 2\n", /^x\.yaml:1:\d+: /],
    ["apiVersion: v1\nmetadata: { name: x }\n", "x.yaml:1:1: kind is missing"],
    ["# two\n---\nkind: ConfigMap\n", "x.yaml:3:1: apiVersion is missing"],
    ["apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", "x.yaml:1:1: ConfigMap has no metadata.name"],
    ["just words\n", /^x\.yaml:1:1: not a manifest: expected an object with apiVersion, kind and metadata/],
  ] as const) {
    expect(() => placedManifests(wrong, "x.yaml")).toThrow(message);
  }
  expect(placedManifests("", "x.yaml")).toEqual([]);
  expect(placedManifests("# nothing\n---\n", "x.yaml")).toEqual([]);
});
