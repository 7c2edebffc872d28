import { describe, expect, test } from "vitest";
import { renderFieldError } from "./field-errors.js";
import { type MetadataRules, validateObjectMeta, validateObjectMetaUpdate } from "./metadata.js";
import { nameIsDns1035Label } from "./names.js";
import type { ObjectMeta } from "./object.js";

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const keyText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

function faults(meta: ObjectMeta, rules: Partial<MetadataRules> = {}): string[] {
  return validateObjectMeta({ name: "x", ...meta }, { namespaced: false, ...rules }).map(renderFieldError);
}

const reference = { apiVersion: "demo.dev/v1", kind: "Site", name: "hello", uid: "uid-1" };

describe("on create", () => {
  test("accepts valid metadata", () => {
    const meta: ObjectMeta = {
      generateName: "hello-",
      namespace: "default",
      generation: 1,
      labels: { app: "web", "example.com/tier": "" },
      annotations: { "Example.COM/Note": "any text at all\n" },
      finalizers: ["demo.dev/cleanup", "foregroundDeletion"],
      ownerReferences: [{ ...reference, controller: true }, reference],
      managedFields: [{ manager: "kubectl", operation: "Apply", fieldsType: "FieldsV1" }],
    };
    expect(faults(meta, { namespaced: true, builtIn: true })).toEqual([]);
  });

  test.each<[ObjectMeta, Partial<MetadataRules>, string[]]>([
    [{ name: "" }, {}, ["metadata.name: Required value: name or generateName is required"]],
    [{ name: "X" }, {}, [`metadata.name: Invalid value: "X": ${subdomain}`]],
    [
      { name: "X" },
      { path: "template.metadata" },
      [`template.metadata.name: Invalid value: "X": ${subdomain}`],
    ],
    [{ generateName: "Xy-" }, {}, [`metadata.generateName: Invalid value: "Xy-": ${subdomain}`]],
    [{ name: "1a" }, { validateName: nameIsDns1035Label }, [expect.stringContaining("DNS-1035 label")]],
    [{}, { namespaced: true }, ["metadata.namespace: Required value"]],
    [
      { namespace: "a.b" },
      { namespaced: true },
      ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
    ],
    [{ namespace: "a" }, {}, ["metadata.namespace: Forbidden: not allowed on this type"]],
    [{ generation: -1 }, {}, ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"]],
    [{ labels: { "-a": "b" } }, {}, [`metadata.labels: Invalid value: "-a": ${keyText}`]],
    [
      { labels: { a: "b ".repeat(40) } },
      {},
      [
        expect.stringMatching(/^metadata\.labels: Invalid value: "b b.*must be no more than 63 bytes$/),
        expect.stringContaining("a valid label must be an empty string or consist of"),
      ],
    ],
    [{ annotations: { "a b": "" } }, {}, [`metadata.annotations: Invalid value: "a b": ${keyText}`]],
    [{ finalizers: ["-a"] }, {}, [`metadata.finalizers: Invalid value: "-a": ${keyText}`]],
    [
      { finalizers: ["orphan", "foregroundDeletion"] },
      {},
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [{ finalizers: ["cleanup"] }, {}, []],
    [
      { finalizers: ["kubernetes", "cleanup"] },
      { builtIn: true },
      [
        'metadata.finalizers[1]: Invalid value: "cleanup": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
  ])("%j %j", (meta, rules, expected) => {
    expect(faults(meta, rules)).toEqual(expected);
  });

  test("limits annotations in bytes, including keys", () => {
    const limit = 256 * 1024;
    expect(faults({ annotations: { a: "a".repeat(limit - 1) } })).toEqual([]);
    for (const value of ["a".repeat(limit), "ä".repeat(limit / 2)]) {
      expect(faults({ annotations: { a: value } })).toEqual([
        "metadata.annotations: Too long: may not be more than 262144 bytes",
      ]);
    }
  });

  test("treats null as absent", () => {
    const fields = ["generateName", "namespace", "generation", "labels", "annotations"];
    const lists = ["finalizers", "ownerReferences", "managedFields"];
    const meta: ObjectMeta = Object.fromEntries([...fields, ...lists].map((field) => [field, null]));
    expect(faults(meta, { builtIn: true })).toEqual([]);
    const again = { ...meta, name: "x", resourceVersion: "1" };
    expect(validateObjectMetaUpdate(again, { name: "x" }, { builtIn: true })).toEqual([]);
  });

  test("treats inherited property names as ordinary keys", () => {
    const labels: Record<string, string> = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    expect(faults({ labels })).toEqual([`metadata.labels: Invalid value: "__proto__": ${keyText}`]);
  });

  test("reports more errors than a call can take arguments", () => {
    const labels = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`-${index}`, ""]));
    expect(validateObjectMeta({ name: "x", labels }, { namespaced: false })).toHaveLength(200_000);
  });
});

describe("owner references", () => {
  test("must be complete", () => {
    const partial: object[] = [{}, { ...reference, apiVersion: "a/b/c" }, { ...reference, apiVersion: "a/" }];
    const meta: ObjectMeta = JSON.parse(JSON.stringify({ ownerReferences: partial }));
    expect(faults(meta)).toEqual([
      "metadata.ownerReferences[0].apiVersion: Required value: must not be empty",
      "metadata.ownerReferences[0].kind: Required value: must not be empty",
      "metadata.ownerReferences[0].name: Required value: must not be empty",
      "metadata.ownerReferences[0].uid: Required value: must not be empty",
      'metadata.ownerReferences[1].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
      'metadata.ownerReferences[2].apiVersion: Invalid value: "a/": must be <group>/<version> or <version>',
    ]);
  });

  test("must not refer to an event", () => {
    const event = { uid: "u", name: "e", kind: "Event", apiVersion: "v1" };
    expect(faults({ ownerReferences: [event] })).toEqual([
      'metadata.ownerReferences[0]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ]);
    expect(faults({ ownerReferences: [{ ...event, apiVersion: "events.k8s.io/v1" }] })).toEqual([]);
  });

  test("allow at most one controller", () => {
    const controller = { ...reference, controller: true };
    const second = { ...controller, name: "other", blockOwnerDeletion: true };
    const list =
      '[{"apiVersion":"demo.dev/v1","kind":"Site","name":"hello","uid":"uid-1","controller":true},{"apiVersion":"demo.dev/v1","kind":"Site","name":"other","uid":"uid-1","controller":true,"blockOwnerDeletion":true}]';
    expect(faults({ ownerReferences: [controller, second] })).toEqual([
      `metadata.ownerReferences: Invalid value: ${list}: Only one reference can have Controller set to true. Found "true" in references for Site/hello and Site/other`,
    ]);
  });

  test("limit the number of reported errors", () => {
    const ownerReferences = Array.from({ length: 5000 }, () => ({ ...reference, controller: true }));
    expect(validateObjectMeta({ name: "x", ownerReferences }, { namespaced: false })).toHaveLength(16);
  });
});

describe("managed fields", () => {
  test.each([
    [{}, ["metadata.managedFields[0].operation: Required value: must not be empty"]],
    [
      { operation: "Merge" },
      [
        'metadata.managedFields[0].operation: Unsupported value: "Merge": supported values: "Apply", "Update"',
      ],
    ],
    [
      { operation: "Apply", fieldsType: "FieldsV2" },
      ['metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`'],
    ],
    [
      { operation: "Apply", manager: "m".repeat(129) },
      ["metadata.managedFields[0].manager: Too long: may not be more than 128 bytes"],
    ],
    [
      { operation: "Apply", manager: "ä\n" },
      [
        String.raw`metadata.managedFields[0].manager: Invalid value: "ä\n": invalid character U+000A (at position 2)`,
      ],
    ],
    [
      { operation: "Update", subresource: "s".repeat(257) },
      ["metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes"],
    ],
  ])("%j", (entry, expected) => {
    const meta: ObjectMeta = JSON.parse(JSON.stringify({ managedFields: [entry] }));
    expect(faults(meta)).toEqual(expected);
  });
});

describe("on update", () => {
  const old: ObjectMeta = {
    name: "x",
    namespace: "default",
    uid: "uid-1",
    resourceVersion: "7",
    generation: 2,
    creationTimestamp: "2026-01-01T00:00:00Z",
    finalizers: ["demo.dev/a"],
  };
  const deleting: ObjectMeta = {
    ...old,
    deletionTimestamp: "2026-01-02T00:00:00Z",
    deletionGracePeriodSeconds: 0,
  };

  function updateFaults(change: ObjectMeta, before = old): string[] {
    return validateObjectMetaUpdate({ ...before, ...change }, before).map(renderFieldError);
  }

  test("accepts unchanged metadata", () => {
    expect(updateFaults({})).toEqual([]);
    expect(updateFaults({}, deleting)).toEqual([]);
    expect(updateFaults({ namespace: "" }, { name: "x", resourceVersion: "1" })).toEqual([]);
    expect(updateFaults({ deletionTimestamp: null })).toEqual([]);
  });

  test.each<[ObjectMeta, string]>([
    [{ name: "y" }, 'metadata.name: Invalid value: "y": field is immutable'],
    [{ namespace: "other" }, 'metadata.namespace: Invalid value: "other": field is immutable'],
    [{ uid: "uid-2" }, 'metadata.uid: Invalid value: "uid-2": field is immutable'],
    [{ creationTimestamp: null }, "metadata.creationTimestamp: Invalid value: null: field is immutable"],
    [
      { deletionTimestamp: "2026-01-02T00:00:00Z" },
      'metadata.deletionTimestamp: Invalid value: "2026-01-02T00:00:00Z": field is immutable',
    ],
    [
      { deletionGracePeriodSeconds: 30 },
      "metadata.deletionGracePeriodSeconds: Invalid value: 30: field is immutable",
    ],
    [{ resourceVersion: "" }, 'metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    [{ generation: 1 }, "metadata.generation: Invalid value: 1: must not be decremented"],
    [{ labels: { "-a": "" } }, `metadata.labels: Invalid value: "-a": ${keyText}`],
  ])("%j", (change, expected) => {
    expect(updateFaults(change)).toEqual([expected]);
  });

  test("allows removing but not adding finalizers of a deleted object", () => {
    expect(updateFaults({ finalizers: [] }, deleting)).toEqual([]);
    expect(updateFaults({ finalizers: ["demo.dev/a", "demo.dev/c", "demo.dev/b"] }, deleting)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"demo.dev/b", "demo.dev/c"}',
    ]);
    expect(updateFaults({ finalizers: ["demo.dev/b"] })).toEqual([]);
  });

  test("validates finalizers on update only for built-in kinds", () => {
    const meta = { ...old, finalizers: ["cleanup"] };
    expect(validateObjectMetaUpdate(meta, meta)).toEqual([]);
    expect(validateObjectMetaUpdate(meta, meta, { builtIn: true, path: "m" }).map(renderFieldError)).toEqual([
      'm.finalizers[0]: Invalid value: "cleanup": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });
});
