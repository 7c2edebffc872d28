import { once } from "node:events";
import { openSocket, requestBytes } from "../../load/connection.js";
import { full } from "../../load/figures.js";
import { configMap, configMaps } from "../../server/http/paths.js";
import type { Answer, Attack } from "../attack.js";
import { anything, defineKind, objectOf, pathOf } from "./definitions.js";

const mebibyte = 2 ** 20;

/** Object that grows by merge patches, each within the limit of a request. */
export const growingObject: Attack = {
  name: "one object grows by merge patches of 2.8 MB",
  codes: [413],
  async prepare(attacker) {
    await defineKind(attacker, "heaps", anything);
    await attacker.ask("POST", pathOf("heaps"), objectOf("heaps", "growing", {}));
  },
  async run(attacker) {
    const answers: Answer[] = [];
    for (let part = 0; part < 14; part++) {
      const spec = { [`part${part}`]: "x".repeat(2.7 * mebibyte) };
      answers.push(await attacker.ask("PATCH", pathOf("heaps", "growing"), { spec }));
    }
    return answers;
  },
};

const keys = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, ""]));

const patches = full ? 200 : 20;

/** As many keys as an object may have, half of its fields being managedFields. */
const mostKeys = 16_000;

/** Tiny patches of one object that is expensive to write. */
export const patchesOfOneObject: Attack = {
  name: `${patches} label patches of one object with ${mostKeys} keys`,
  // Those that wait too long for their turn time out.
  codes: [200, 504],
  async prepare(attacker) {
    await attacker.ask("POST", configMaps, configMap("contended", keys(mostKeys)));
  },
  run(attacker) {
    return Promise.all(
      Array.from({ length: patches }, (_, index) =>
        attacker.ask("PATCH", `${configMaps}/contended`, { metadata: { labels: { turn: `t${index}` } } }),
      ),
    );
  },
};

/** The same by clients that leave as soon as they have sent their patch. */
export const patchesOfLeavingClients: Attack = {
  name: `${patches} label patches by clients that leave`,
  codes: [200],
  async run(attacker) {
    const path = `${configMaps}/contended`;
    for (let index = 0; index < patches; index++) {
      const socket = await openSocket(attacker.url);
      const patch = { metadata: { labels: { turn: `left${index}` } } };
      socket.write(requestBytes("PATCH", path, attacker.token, patch), () => socket.destroy());
      await once(socket, "close");
    }
    return [await attacker.ask("PATCH", path, { metadata: { labels: { turn: "last" } } })];
  },
};

/** As many owners as fit into a request. */
export const manyOwners: Attack = {
  name: "15,000 ownerReferences",
  codes: [201, 413],
  async run(attacker) {
    const owners = (count: number): object => ({
      ownerReferences: Array.from({ length: count }, (_, index) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: `owner-${index}`,
        uid: `uid-${index}`,
      })),
    });
    return Promise.all([
      attacker.ask("POST", configMaps, configMap("owned", {}, owners(15_000))),
      attacker.ask("POST", configMaps, configMap("less-owned", {}, owners(5000))),
    ]);
  },
};

/** More keys than an object may have, and as many. */
export const manyKeys: Attack = {
  name: "180,000 keys",
  codes: [201, 413],
  run(attacker) {
    return Promise.all([
      attacker.ask("POST", configMaps, configMap("keys-180", keys(180_000))),
      attacker.ask("POST", configMaps, configMap("keys-90", keys(90_000))),
      attacker.ask("POST", configMaps, configMap("keys-45", keys(45_000))),
      attacker.ask("POST", configMaps, configMap("keys-16", keys(mostKeys))),
    ]);
  },
};

/** A rule that matches a long string as a pattern. */
export const patternFromObject: Attack = {
  name: 'a rule `"a".matches(self.s)` with patterns of 1 MB',
  codes: [422],
  async prepare(attacker) {
    await defineKind(attacker, "patterns", {
      type: "object",
      properties: { s: { type: "string", maxLength: 1_300_000 } },
      "x-kubernetes-validations": [{ rule: '"a".matches(self.s)' }],
    });
  },
  async run(attacker) {
    const texts = [
      "a".repeat(mebibyte),
      "(a|b)".repeat(200_000),
      "[a-z]".repeat(200_000),
      "a?".repeat(500_000),
    ];
    return Promise.all(
      texts.map((s, index) =>
        attacker.ask("POST", pathOf("patterns"), objectOf("patterns", `p${index}`, { s })),
      ),
    );
  },
};

/** YAML takes much longer to parse than JSON. */
export const yamlBodies: Attack = {
  name: "YAML with 10,000 and with 150,000 keys",
  codes: [201, 413],
  run(attacker) {
    const yaml = (name: string, count: number): string => {
      const lines = Array.from({ length: count }, (_, index) => `  k${index}: v`).join("\n");
      return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${lines}\n`;
    };
    const headers = { "content-type": "application/yaml" };
    return Promise.all([
      attacker.ask("POST", configMaps, yaml("yaml-10", 10_000), headers),
      attacker.ask("POST", configMaps, yaml("yaml-150", 150_000), headers),
    ]);
  },
};
