import { expect, test } from "vitest";
import * as kubernetes from "../../src/client/kinds/kubernetes.js";
import { builtInKinds, servedKinds } from "../../src/model/built-in-kinds.js";
import { builtInTypes } from "../../src/server/kinds/built-in-types.js";
import { allTypes } from "../../src/server/kinds/types.js";
import { apiVersionOf } from "../../src/server/resources/resource-type.js";

test("fettle/kubernetes exports every built-in kind, and nothing else", () => {
  const listed = Object.entries(builtInKinds).map(([name, { apiVersion, kind, plural, scope }]) => [
    name,
    { apiVersion, kind, plural, scope },
  ]);
  expect({ ...kubernetes }).toEqual(Object.fromEntries(listed));
});

test("the server serves every kind in the list of served kinds, and nothing else", () => {
  const served = builtInTypes().map((type) => ({
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    plural: type.plural,
    scope: type.namespaced ? "Namespaced" : "Cluster",
  }));
  const listed = Object.values(servedKinds).map(({ apiVersion, kind, plural, scope }) => ({
    apiVersion,
    kind,
    plural,
    scope,
  }));
  expect(served).toEqual(listed);
});

test("every object kind in api-types is served, but for the bodies of subresources", () => {
  const isObject = (type: ReturnType<typeof allTypes>[number]) => {
    const metadata = type.fields[0];
    return (
      type.kind &&
      metadata?.name === "metadata" &&
      metadata.type.of === "struct" &&
      metadata.type.struct.name === "ObjectMeta"
    );
  };
  const described = allTypes()
    .filter(isObject)
    .map(({ group, name }) => `${group.apiVersion} ${name}`);
  const served = Object.values(servedKinds).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  expect(described.filter((kind) => !served.includes(kind))).toEqual([
    "v1 Binding",
    "autoscaling/v1 Scale",
    "policy/v1 Eviction",
  ]);
  expect(served.filter((kind) => !described.includes(kind))).toEqual([]);
});
