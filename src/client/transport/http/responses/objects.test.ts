import { expect, test } from "vitest";
import { readObject } from "./objects.js";

const kind = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;

test("equal sets of managed fields are shared, different ones are not", () => {
  const read = (name: string, fields: object) =>
    readObject({ metadata: { name, managedFields: [{ manager: "m", fieldsV1: fields }, null] } }, { kind })
      .metadata.managedFields?.[0];
  const one = read("a", { "f:data": { "f:x": {} } });
  const same = read("b", { "f:data": { "f:x": {} } });
  const other = read("c", { "f:data": { "f:y": {} } });
  expect(same).toEqual(one);
  expect(same?.fieldsV1).toBe(one?.fieldsV1);
  expect(other?.fieldsV1).toEqual({ "f:data": { "f:y": {} } });
});
