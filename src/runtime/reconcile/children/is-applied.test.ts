import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../model/core.js";
import { isApplied } from "./is-applied.js";

interface Case {
  readonly it: string;
  readonly desired: JsonObject;
  readonly current: JsonObject;
  readonly owned: JsonObject;
  readonly applied: boolean;
}

const ports = {
  "f:ports": {
    ".": {},
    'k:{"port":53,"protocol":"TCP"}': { ".": {}, "f:port": {}, "f:name": {} },
    'k:{"port":53,"protocol":"UDP"}': { ".": {}, "f:port": {}, "f:protocol": {}, "f:name": {} },
  },
};
const containers = {
  "f:containers": {
    'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:image": {} },
    'k:{"name":"b"}': { ".": {}, "f:name": {}, "f:image": {} },
  },
};

const cases: readonly Case[] = [
  {
    it: "the same fields with the same values",
    desired: { title: "x", size: 1 },
    current: { title: "x", size: 1 },
    owned: { "f:title": {}, "f:size": {} },
    applied: true,
  },
  {
    it: "another value",
    desired: { title: "x" },
    current: { title: "y" },
    owned: { "f:title": {} },
    applied: false,
  },
  {
    it: "fields of others beside it, and defaults, do not matter",
    desired: { title: "x" },
    current: { title: "x", replicas: 3, protocol: "TCP" },
    owned: { "f:title": {} },
    applied: true,
  },
  {
    it: "the right value that is not ours yet has to be applied, or others could take it away",
    desired: { title: "x", replicas: 3 },
    current: { title: "x", replicas: 3 },
    owned: { "f:title": {} },
    applied: false,
  },
  {
    it: "what is ours and no longer wanted has to go",
    desired: { title: "x" },
    current: { title: "x", size: 1 },
    owned: { "f:title": {}, "f:size": {} },
    applied: false,
  },
  {
    it: "so does what is no longer wanted further in",
    desired: { labels: { a: "1" } },
    current: { labels: { a: "1", b: "2" } },
    owned: { "f:labels": { ".": {}, "f:a": {}, "f:b": {} } },
    applied: false,
  },
  {
    it: "an entry of another's in the same map stays",
    desired: { labels: { a: "1" } },
    current: { labels: { a: "1", b: "2" } },
    owned: { "f:labels": { ".": {}, "f:a": {} } },
    applied: true,
  },
  {
    it: "undefined is not wanted",
    desired: { title: "x", size: undefined } as unknown as JsonObject,
    current: { title: "x" },
    owned: { "f:title": {} },
    applied: true,
  },
  {
    it: "a list that is replaced as a whole",
    desired: { args: ["a", "b"] },
    current: { args: ["a", "b"] },
    owned: { "f:args": {} },
    applied: true,
  },
  {
    it: "a list that is replaced as a whole, in another order",
    desired: { args: ["b", "a"] },
    current: { args: ["a", "b"] },
    owned: { "f:args": {} },
    applied: false,
  },
  {
    it: "a map that is replaced as a whole has nothing of others",
    desired: { color: { red: 1 } },
    current: { color: { red: 1, green: 2 } },
    owned: { "f:color": {} },
    applied: false,
  },
  {
    it: "a set with values of others between ours",
    desired: { tags: ["a", "b"] },
    current: { tags: ["a", "theirs", "b"] },
    owned: { "f:tags": { ".": {}, 'v:"a"': {}, 'v:"b"': {} } },
    applied: true,
  },
  {
    it: "a set in another order, for applying would put it in order",
    desired: { tags: ["b", "a"] },
    current: { tags: ["a", "b"] },
    owned: { "f:tags": { 'v:"a"': {}, 'v:"b"': {} } },
    applied: false,
  },
  {
    it: "a value of a set that is no longer wanted",
    desired: { tags: ["a"] },
    current: { tags: ["a", "b"] },
    owned: { "f:tags": { 'v:"a"': {}, 'v:"b"': {} } },
    applied: false,
  },
  {
    it: "a value of a set that somebody took away",
    desired: { tags: ["a", "b"] },
    current: { tags: ["a"] },
    owned: { "f:tags": { 'v:"a"': {}, 'v:"b"': {} } },
    applied: false,
  },
  {
    it: "items with keys, and what others added to them",
    desired: {
      containers: [
        { name: "a", image: "1" },
        { name: "b", image: "2" },
      ],
    },
    current: {
      containers: [
        { name: "sidecar" },
        { name: "a", image: "1", pullPolicy: "Always" },
        { name: "b", image: "2" },
      ],
    },
    owned: containers,
    applied: true,
  },
  {
    it: "items with keys in another order, which for some (init containers) matters",
    desired: {
      containers: [
        { name: "b", image: "2" },
        { name: "a", image: "1" },
      ],
    },
    current: {
      containers: [
        { name: "a", image: "1" },
        { name: "b", image: "2" },
      ],
    },
    owned: containers,
    applied: false,
  },
  {
    it: "a key with a default that the server filled in",
    desired: {
      ports: [
        { port: 53, name: "tcp" },
        { port: 53, protocol: "UDP", name: "udp" },
      ],
    },
    current: {
      ports: [
        { port: 53, protocol: "TCP", name: "tcp" },
        { port: 53, protocol: "UDP", name: "udp" },
      ],
    },
    owned: ports,
    applied: true,
  },
  {
    it: "an item is not taken for another that leaves a key to its default",
    desired: {
      ports: [
        { port: 53, name: "tcp" },
        { port: 53, protocol: "UDP", name: "udp" },
      ],
    },
    current: {
      ports: [
        { port: 53, protocol: "TCP", name: "tcp" },
        { port: 53, protocol: "UDP", name: "tcp" },
      ],
    },
    owned: ports,
    applied: false,
  },
  {
    it: "an item that is no longer wanted",
    desired: { containers: [{ name: "a", image: "1" }] },
    current: {
      containers: [
        { name: "a", image: "1" },
        { name: "b", image: "2" },
      ],
    },
    owned: containers,
    applied: false,
  },
  {
    it: "an object where a text was",
    desired: { source: { git: "x" } },
    current: { source: "y" },
    owned: { "f:source": { "f:git": {} } },
    applied: false,
  },
];

describe("as the content of an object", () => {
  test.each(cases)("$it", ({ desired, current, owned, applied }) => {
    expect(isApplied(child(desired), child(current) as Json, { "f:spec": owned })).toBe(applied);
  });
});

test("who it is does not count, its labels and owner do", () => {
  const owner = { apiVersion: "v1", kind: "Site", name: "x", uid: "1", controller: true };
  const metadata = {
    name: "n",
    namespace: "default",
    uid: "2",
    labels: { a: "1" },
    ownerReferences: [owner],
  };
  const owned: JsonObject = {
    "f:metadata": {
      "f:labels": { "f:a": {} },
      "f:ownerReferences": { 'k:{"uid":"1"}': {} },
    },
  };
  const desired = { apiVersion: "v1", kind: "Page", metadata };
  expect(isApplied(desired, { ...desired, metadata: { ...metadata, resourceVersion: "7" } }, owned)).toBe(
    true,
  );
  const released = { ...desired, metadata: { ...metadata, ownerReferences: [] } };
  expect(isApplied(desired, released, owned)).toBe(false);
});

function child(spec: JsonObject): JsonObject {
  return { apiVersion: "demo.dev/v1", kind: "Page", metadata: { name: "p", namespace: "default" }, spec };
}
