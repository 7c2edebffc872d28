import { configMap, configMaps } from "../../server/http/paths.js";
import type { Answer, Attack } from "../attack.js";

const many = 15_000;

const keys = (value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: many }, (_, index) => [`k${index}`, value]));

/** Appliers of the same fields: each of them conflicts with all others, or takes their fields over. */
export const conflictingApplies: Attack = {
  name: `applies of ${many} fields that conflict`,
  codes: [200, 201, 409, 413],
  async run(attacker) {
    const answers: Answer[] = [];
    const headers = { "content-type": "application/apply-patch+yaml" };
    for (const [manager, value, force] of [
      ["a", "1", false],
      ["b", "2", false],
      ["b", "2", true],
      ["c", "3", false],
    ] as const) {
      const path = `${configMaps}/applied?fieldManager=${manager}&force=${force}`;
      const body = JSON.stringify(configMap("applied", keys(value)));
      answers.push(await attacker.ask("PATCH", path, body, headers));
    }
    return answers;
  },
};

/** JSON patches with as many operations as fit, each of which is expensive by itself. */
export const manyOperations: Attack = {
  name: `JSON patches of one object with ${many} keys`,
  codes: [200, 413, 422],
  async prepare(attacker) {
    await attacker.ask("POST", configMaps, configMap("patched", keys("")));
  },
  async run(attacker) {
    const headers = { "content-type": "application/json-patch+json" };
    const repeat = (count: number, operation: (index: number) => object): string =>
      JSON.stringify(Array.from({ length: count }, (_, index) => operation(index)));
    const fields = "/metadata/managedFields";
    const patches = [
      repeat(7000, (index) => ({ op: index % 2 ? "remove" : "add", path: "/data/more", value: "" })),
      repeat(8000, (index) => ({ op: "copy", from: fields, path: `${fields}/0/fieldsV1/f:data/x${index}` })),
      repeat(8000, () => ({ op: "test", path: "/data", value: {} })),
    ];
    return Promise.all(
      patches.map((patch) => attacker.ask("PATCH", `${configMaps}/patched`, patch, headers)),
    );
  },
};

/** Metadata with many entries that have to be compared or merged with each other. */
export const crowdedMetadata: Attack = {
  name: "5,000 owners with one uid, and 800 field managers",
  codes: [200, 201, 413],
  async run(attacker) {
    const owner = { apiVersion: "v1", kind: "ConfigMap", uid: "same" };
    const ownerReferences = Array.from({ length: 5000 }, (_, index) => ({
      ...owner,
      name: `owner-${index}`,
    }));
    const managedFields = Array.from({ length: 800 }, (_, manager) => ({
      manager: `m${manager}`,
      operation: "Update",
      apiVersion: "v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:data": Object.fromEntries(Array.from({ length: 30 }, (_, key) => [`f:k${manager}-${key}`, {}])),
      },
    }));
    return [
      await attacker.ask("POST", configMaps, configMap("crowded", {}, { ownerReferences })),
      await attacker.ask("PUT", `${configMaps}/crowded`, configMap("crowded", {}, { managedFields })),
    ];
  },
};
