import { asApiError } from "fettle/model";
import { expect, test } from "vitest";
import type { ProxyConfigObject } from "../kinds/proxy.js";
import { fromConfigDocument, toConfigDocument, toConfigField } from "./config-document.js";

const config = {
  apiVersion: "proxy.fettle.dev/v1",
  kind: "ProxyConfig",
  metadata: {
    name: "shop",
    annotations: {
      "fettle.dev/priority": "critical",
      "fettle.dev/change-type": "security_update",
      other: "x",
    },
  },
  spec: {
    className: "edge",
    hostnames: ["shop.example"],
    listen: { port: 8081 },
    routes: [{ path: "/api", methods: ["GET"], backends: [{ id: "web", weight: 2 }] }],
    tls: { selfSigned: true, redirect: true },
  },
  status: { routes: 1 },
} as const satisfies ProxyConfigObject;

test("a document has everything that the spec and the annotations have, and is read back the same", () => {
  const document = toConfigDocument(config);
  expect(document).toEqual({
    id: "shop",
    ...config.spec,
    priority: "critical",
    type: "security_update",
    status: { routes: 1 },
  });
  expect(fromConfigDocument(document)).toEqual({
    spec: config.spec,
    metadata: {
      annotations: { "fettle.dev/priority": "critical", "fettle.dev/change-type": "security_update" },
    },
  });
});

test("fields with their default are left out", () => {
  const spec = { className: "nginx", hostnames: [], listen: {}, routes: [] };
  const plain = { ...config, metadata: { name: "shop" }, spec, status: undefined };
  expect(toConfigDocument(plain)).toEqual({ id: "shop", hostnames: [], routes: [] });
});

test("numbers stand for a port and for a rate", () => {
  const routes = [
    { path: "/", backends: [{ id: "a" }], rateLimit: 10 },
    { path: "/b", rateLimit: { requests: 1 } },
  ];
  expect(fromConfigDocument({ listen: 8081, routes, priority: 100 })).toEqual({
    spec: {
      listen: { port: 8081 },
      routes: [
        { path: "/", backends: [{ id: "a" }], rateLimit: { requests: 10 } },
        { path: "/b", rateLimit: { requests: 1 } },
      ],
    },
    metadata: { annotations: { "fettle.dev/priority": "100", "fettle.dev/change-type": null } },
  });
});

test.each([
  [
    { hostname: "a" },
    "hostname",
    "the fields are id, className, hostnames, listen, routes, tls, priority, type",
  ],
  [{ namespace: "prod" }, "namespace", "?namespace="],
  [{ priority: "urgent" }, "priority", "must be critical, high, normal, low or a number"],
  [{ priority: "" }, "priority", "or a number"],
  [{ priority: ["high"] }, "priority", "or a number"],
  [{ type: { a: 1 } }, "type", "must be a string"],
])("%j is refused", (document, field, text) => {
  const read = (): unknown => fromConfigDocument(document);
  expect(read).toThrow(text);
  try {
    read();
  } catch (error) {
    expect(asApiError(error)?.status).toMatchObject({ code: 422, details: { causes: [{ field }] } });
  }
});

test.each([
  ["spec.routes[0].backends[1].id", "routes[0].backends[1].id"],
  ["metadata.annotations[fettle.dev/priority]", "priority"],
  ["metadata.name", "id"],
  ["spec.tls", "tls"],
])("%s is %s in the document", (field, shown) => expect(toConfigField(field)).toBe(shown));

test("what is no list or object is left to the API, which says what it should be", () => {
  const odd = { routes: "all", listen: "80", hostnames: 7 };
  expect(fromConfigDocument(odd)).toMatchObject({ spec: odd });
  expect(fromConfigDocument({ routes: [null, 3] })).toMatchObject({ spec: { routes: [null, 3] } });
});
