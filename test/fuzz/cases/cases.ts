import type { Pair } from "../requests/draft.js";
import type { Case } from "./case.js";

const configMaps = "/api/v1/namespaces/default/configmaps";
const json: readonly Pair[] = [["content-type", "application/json"]];

/** Almost a number: an ambiguous pattern for digits backtracks exponentially. */
const nearlyNumber = `${"9".repeat(500_000)}!`;

/** Definition of a kind with one field, a string by default, and a rule for it. */
const textDefinition = (rule: string, text: object = { type: "string" }): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "texts.case.dev" },
  spec: {
    group: "case.dev",
    scope: "Cluster",
    names: { plural: "texts", kind: "Text" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { text },
            "x-kubernetes-validations": [{ rule }],
          },
        },
      },
    ],
  },
});

const upgrade = (...headers: string[]): string =>
  [
    `GET ${configMaps}?watch=1 HTTP/1.1`,
    "Host: @host@",
    "Authorization: Bearer @token@",
    "Connection: Upgrade",
    "Upgrade: websocket",
    ...headers,
    "\r\n",
  ].join("\r\n");

/** Cases found by fuzzing, by measuring the cost of large requests, and by reading the parsers. */
export const cases: readonly Case[] = [
  {
    name: "an unknown expectation",
    request: { method: "GET", target: configMaps, headers: [["expect", "200-ok"]] },
    answer: "417 BadRequest",
  },
  {
    name: "a WebSocket of an old version",
    pieces: [upgrade("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 1")],
    answer: "400 BadRequest",
  },
  {
    name: "a WebSocket without a key",
    pieces: [upgrade("Sec-WebSocket-Version: 13")],
    answer: "400 BadRequest",
  },
  {
    name: "a timeout that is nearly a number",
    request: { method: "GET", target: `${configMaps}?timeout=${"9".repeat(50_000)}` },
    answer: "400 BadRequest",
  },
  {
    name: "a quantity that is nearly a number",
    request: {
      method: "POST",
      target: "/api/v1/namespaces/default/resourcequotas",
      headers: json,
      body: { metadata: { name: "nearly" }, spec: { hard: { pods: nearlyNumber } } },
    },
    answer: "400 BadRequest",
  },
  {
    name: "a quantity of very many digits",
    request: {
      method: "POST",
      target: "/api/v1/namespaces/default/resourcequotas",
      headers: json,
      body: { metadata: { name: "digits" }, spec: { hard: { pods: "9".repeat(1_000_000) } } },
    },
    answer: "201",
  },
  {
    name: "a rule that makes a number of a text that is nearly one",
    before: {
      method: "POST",
      target: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      headers: json,
      body: textDefinition("double(self.text) > 0.0"),
    },
    request: {
      method: "POST",
      target: "/apis/case.dev/v1/texts",
      headers: json,
      body: { apiVersion: "case.dev/v1", kind: "Text", metadata: { name: "a" }, text: nearlyNumber },
    },
    answer: "422 Invalid",
  },
  {
    name: "a list of very many keys that its items have not got",
    request: {
      method: "POST",
      target: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      headers: json,
      body: textDefinition("true", {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": Array.from({ length: 10_000 }, (_, index) => `k${index}`),
        items: { type: "object", properties: { k: { type: "string" } } },
      }),
    },
    answer: "422 Invalid",
  },
  {
    name: "an object of very many owners",
    request: {
      method: "POST",
      target: configMaps,
      headers: json,
      body: {
        metadata: {
          name: "owned",
          ownerReferences: Array.from({ length: 3000 }, (_, index) => ({
            apiVersion: "v1",
            kind: "ConfigMap",
            name: `n${index}`,
            uid: `u${index}`,
            blockOwnerDeletion: true,
          })),
        },
      },
    },
    answer: "201",
  },
];
