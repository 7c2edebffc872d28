import { expect, test } from "vitest";
import type { KubeObject, ManagedFieldsEntry } from "../../model/core.js";
import { contributionOf, hasFieldsOf } from "./applied-fields.js";
import { versionOf } from "./object-version.js";
import { placeOf, syncAnnotations } from "./sync-record.js";

const entry = (manager: string, fieldsV1: object, subresource?: string): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  fieldsV1: fieldsV1 as never,
  ...(subresource !== undefined && { subresource }),
});

const ports = {
  "f:spec": {
    "f:ports": {
      'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {}, "f:protocol": {}, "f:name": {} },
    },
    "f:colors": { 'v:"blue"': {} },
    "f:command": {},
  },
  "f:metadata": { "f:labels": { "f:tier": {} }, "f:annotations": { ".": {}, "f:fettle.dev/paused": {} } },
};

const remote: KubeObject = {
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: {
    name: "x",
    namespace: "default",
    labels: { tier: "web", other: "no" },
    annotations: { "fettle.dev/paused": "true" },
    finalizers: ["demo.dev/hold"],
    managedFields: [
      entry("kubectl", ports),
      entry("fettle-peer-c", { "f:spec": { "f:title": {} } }),
      entry("controller", { "f:status": { "f:ready": {} } }, "status"),
    ],
  },
  spec: {
    title: "of c",
    command: ["run", "fast"],
    colors: ["red", "blue"],
    ports: [
      { port: 443, protocol: "TCP", name: "https" },
      { port: 80, protocol: "TCP", name: "http", extra: true },
    ],
  },
  status: { ready: true },
};

test("takes the fields that managers of the peer own, also items of lists", () => {
  const { object, refused } = contributionOf(versionOf(remote, "a"), undefined, "fettle-peer-a", true);
  expect(refused).toEqual([]);
  expect(object).toEqual({
    apiVersion: "demo.dev/v1",
    kind: "Site",
    metadata: { name: "x", namespace: "default", labels: { tier: "web" } },
    spec: {
      command: ["run", "fast"],
      colors: ["blue"],
      ports: [{ port: 80, protocol: "TCP", name: "http" }],
    },
  });
});

test("passes fields of other planes on only along the path of a copy", () => {
  const origin = { plane: "c", uid: "1" };
  const record = {
    at: placeOf(remote, "a"),
    hash: "",
    stamp: { time: 1, plane: "c", revision: "1" },
    seen: {},
    path: ["c"],
  };
  const annotations = syncAnnotations(record, origin);
  const copy = { ...remote, metadata: { ...remote.metadata, annotations } };
  const taken = (isSupported: boolean): unknown =>
    contributionOf(versionOf({ ...copy }, "a"), undefined, "fettle-peer-a", isSupported).object.spec;
  expect(taken(true)).toHaveProperty("title", "of c");
  expect(taken(false)).not.toHaveProperty("title");
});

test("leaves out fields that others own here with another value", () => {
  const managedFields = [
    entry("local", {
      "f:spec": {
        "f:command": {},
        "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {} } },
        "f:colors": { 'v:"blue"': {} },
      },
    }),
  ];
  const local: KubeObject = {
    ...remote,
    metadata: { name: "x", namespace: "default", managedFields },
    spec: { command: ["walk"], colors: ["blue"], ports: [{ port: 80, protocol: "TCP", name: "web" }] },
  };
  const { object, refused } = contributionOf(versionOf(remote, "a"), local, "fettle-peer-a", true);
  expect(refused).toEqual([".spec.command", '.spec.ports[port=80,protocol="TCP"].name']);
  expect(object.spec).toEqual({ colors: ["blue"], ports: [{ port: 80, protocol: "TCP" }] });
  expect(hasFieldsOf(local, "fettle-peer-a")).toBe(false);
  expect(hasFieldsOf(local, "local")).toBe(true);
});

test("takes everything of an object that does not record who owns it", () => {
  const { managedFields: _, ...metadata } = remote.metadata;
  const { object } = contributionOf(
    versionOf({ ...remote, metadata }, "a"),
    undefined,
    "fettle-peer-a",
    true,
  );
  expect(object.spec).toEqual(remote.spec);
  expect(object.metadata).toEqual({
    name: "x",
    namespace: "default",
    labels: { tier: "web", other: "no" },
  });
});
