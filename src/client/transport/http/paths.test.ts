import { expect, test } from "vitest";
import type { KindInfo } from "../../kinds/kind.js";
import { collectionPath, objectPath, queryText, versionPath } from "./paths.js";

const pods: KindInfo = { apiVersion: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const roles: KindInfo = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
};

test("groups, namespaces and subresources", () => {
  expect(versionPath("v1")).toBe("/api/v1");
  expect(collectionPath(pods, {})).toBe("/api/v1/pods");
  expect(collectionPath(pods, { namespace: "a" })).toBe("/api/v1/namespaces/a/pods");
  expect(objectPath(pods, { namespace: "a", name: "b" }, "status")).toBe(
    "/api/v1/namespaces/a/pods/b/status",
  );
  expect(objectPath(roles, { namespace: "ignored", name: "system:admin" })).toBe(
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aadmin",
  );
});

test("escapes names, so that none leads to another path", () => {
  expect(objectPath(roles, { name: "a/b?c#d" })).toMatch(/clusterroles\/a%2Fb%3Fc%23d$/);
  for (const name of ["", ".", ".."]) expect(() => objectPath(roles, { name })).toThrow(/cannot be the name/);
  expect(() => objectPath(pods, { name: "a", namespace: "" })).toThrow(/cannot be a namespace/);
  expect(() => objectPath(pods, { name: "a" })).toThrow(/the namespace of "a" is missing/);
  expect(() => versionPath("a/b/c")).toThrow(/is not an apiVersion/);
});

test("omits undefined query parameters", () => {
  expect(queryText({})).toBe("");
  expect(queryText({ a: undefined, b: "", c: false, d: 0, e: "x=y,z!=ü" })).toBe(
    "?c=false&d=0&e=x%3Dy%2Cz!%3D%C3%BC",
  );
});
