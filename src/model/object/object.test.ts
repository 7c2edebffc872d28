import { describe, expect, test } from "vitest";
import {
  controllerOf,
  formatApiVersion,
  isOwnedBy,
  type KubeObject,
  ownerReference,
  parseApiVersion,
} from "./object.js";

const owner: KubeObject = {
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name: "hello", uid: "uid-1" },
};

function child(metadata: KubeObject["metadata"]): KubeObject {
  return { apiVersion: "demo.dev/v1", kind: "Page", metadata };
}

describe("apiVersion", () => {
  test.each([
    ["v1", { group: "", version: "v1" }],
    ["apps/v1", { group: "apps", version: "v1" }],
    ["demo.dev/v1alpha1", { group: "demo.dev", version: "v1alpha1" }],
    ["", { group: "", version: "" }],
    ["a/b/c", undefined],
  ])("parses %j", (text, expected) => {
    expect(parseApiVersion(text)).toEqual(expected);
  });

  test.each([
    ["v1", { group: "", version: "v1" }],
    ["apps/v1", { group: "apps", version: "v1" }],
  ])("formats %j", (text, groupVersion) => {
    expect(formatApiVersion(groupVersion)).toBe(text);
  });
});

describe("owners", () => {
  test("ownerReference copies the identity of the owner and the options", () => {
    const plain = { apiVersion: "demo.dev/v1", kind: "Site", name: "hello", uid: "uid-1" };
    expect(ownerReference(owner)).toEqual(plain);
    expect(ownerReference(owner, { controller: true, blockOwnerDeletion: false })).toEqual({
      ...plain,
      controller: true,
      blockOwnerDeletion: false,
    });
  });

  test.each([
    [{ name: "hello" }, /metadata\.uid; create it first/],
    [{ uid: "uid-1" }, /metadata\.name; create it first/],
  ])("ownerReference rejects an owner that was never stored: %j", (metadata, message) => {
    expect(() => ownerReference({ ...owner, metadata })).toThrow(message);
  });

  test("controllerOf finds the reference with controller: true", () => {
    const other = { apiVersion: "v1", kind: "Node", name: "n", uid: "uid-2" };
    const controller = ownerReference(owner, { controller: true });
    expect(controllerOf(child({ ownerReferences: [other, controller] }))).toBe(controller);
    expect(controllerOf(child({ ownerReferences: [other] }))).toBeUndefined();
    expect(controllerOf(child({}))).toBeUndefined();
  });

  test("isOwnedBy compares uids", () => {
    const owned = child({ ownerReferences: [ownerReference(owner)] });
    expect(isOwnedBy(owned, owner)).toBe(true);
    expect(isOwnedBy(owned, { ...owner, metadata: { name: "hello", uid: "uid-2" } })).toBe(false);
    expect(isOwnedBy(owned, { ...owner, metadata: { name: "hello" } })).toBe(false);
    expect(isOwnedBy(child({}), owner)).toBe(false);
  });
});
