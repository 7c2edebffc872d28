import fc from "fast-check";
import { expect, test } from "vitest";
import { markEntriesShared } from "../../model/apply/fields/shared-sets.js";
import { deepFreeze, type JsonObject, type ManagedFieldsEntry } from "../../model/core.js";
import { encodeStored, writerField, writerLength } from "./encode-stored.js";
import { resourceType } from "./fixtures/resource-type.js";
import type { Draft } from "./resource-type.js";

const widgets = resourceType({ group: "demo.dev", kind: "Widget", plural: "widgets" });
const entry: ManagedFieldsEntry = deepFreeze({
  manager: "créateur",
  operation: "Update",
  apiVersion: "demo.dev/v1",
  fieldsV1: {},
});
const sharedOwners = markEntriesShared([entry]);

function draft(fields: JsonObject, metadata: JsonObject = {}): Draft {
  return { ...fields, apiVersion: "demo.dev/v1", kind: "Widget", metadata: { name: "a", ...metadata } };
}

function encode(object: Draft, user = "admin"): string {
  return Buffer.from(encodeStored(widgets, object, user)).toString();
}

/** The object as it is stored. */
function writtenBy(user: string, object: Draft): JsonObject {
  return { ...object, metadata: { ...object.metadata, [writerField]: user } };
}

const words = fc.dictionary(fc.string(), fc.string());
const fields = fc.record(
  { spec: fc.jsonValue(), status: fc.jsonValue(), data: words, "0": words },
  { requiredKeys: [] },
);
const owners = fc.constantFrom(undefined, [entry], sharedOwners);

test("encodes every field and puts apiVersion, kind, metadata and the user first", () => {
  const property = fc.property(
    fields,
    words,
    owners,
    fc.string(),
    (some, annotations, managedFields, user) => {
      const object = draft(some as JsonObject, { annotations });
      if (managedFields !== undefined) object.metadata["managedFields"] = managedFields;
      const text = encode(object, user);
      const head = '{"apiVersion":"demo.dev/v1","kind":"Widget","metadata":{';
      const writer = `"fettle.dev/user":${JSON.stringify(user)},`;
      expect(text.startsWith(`${head}${writer}"name":"a",`)).toBe(true);
      expect(writerLength(Buffer.from(text), head.length)).toBe(Buffer.byteLength(writer));
      // JSON has no -0.
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(writtenBy(user, object))));
    },
  );
  fc.assert(property);
});

test("omits the resourceVersion, which is the revision of the store", () => {
  expect(JSON.parse(encode(draft({}, { resourceVersion: "7" })))).toEqual(writtenBy("admin", draft({})));
});

test("encodes objects of any size", () => {
  for (const length of [1, 7_000, 20_000, 90_000]) {
    const object = draft({ spec: "€".repeat(length) }, { managedFields: sharedOwners as never });
    expect(JSON.parse(encode(object))).toEqual(writtenBy("admin", object));
  }
});
