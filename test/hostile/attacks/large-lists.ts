import { openSocket, requestBytes } from "../../load/connection.js";
import { full } from "../../load/figures.js";
import { bob } from "../../load/load-server.js";
import { configMap } from "../../server/http/paths.js";
import type { Answer, Attack, Attacker } from "../attack.js";

/** Creates objects in a namespace of their own, some at a time. */
async function fill(attacker: Attacker, namespace: string, count: number, bytes: number): Promise<void> {
  await attacker.ask("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  const text = "x".repeat(bytes);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const name = `object-${next++}`;
      const { code } = await attacker.ask("POST", listOf(namespace), configMap(name, { text }));
      if (code !== 201) throw new Error(`creating ${name} failed with ${code}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

const listOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

const largeObjects = full ? 700 : 120;
const largeBytes = 1_000_000;

/** A cheap request that is expensive for every object. */
export const longSelector: Attack = {
  name: "selectors of 5,000 and of 1,000 terms over 1,500 objects",
  codes: [200, 400],
  async prepare(attacker) {
    await fill(attacker, "many", 1500, 10);
  },
  run(attacker) {
    const list = (count: number): Promise<Answer> => {
      const terms = Array.from({ length: count }, (_, index) => `!a${index}`).join(",");
      return attacker.ask("GET", `${listOf("many")}?labelSelector=${encodeURIComponent(terms)}`);
    };
    return Promise.all([5000, 5000, 1000, 1000, 1000, 1000].map(list));
  },
};

/** A list that reads everything and returns nothing. */
export const selectorWithoutMatch: Attack = {
  name: `4 selectors that match nothing over ${largeObjects} MB`,
  codes: [200],
  async prepare(attacker) {
    await fill(attacker, "large", largeObjects, largeBytes);
  },
  run(attacker) {
    const path = `${listOf("large")}?labelSelector=no%3Dmatch`;
    return Promise.all(Array.from({ length: 4 }, () => attacker.ask("GET", path)));
  },
};

/** Clients that request everything and read nothing. */
export const stoppedReaders: Attack = {
  name: `16 readers that stop reading lists of ${largeObjects} MB`,
  codes: [],
  async run(attacker) {
    const sockets = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const socket = (await openSocket(attacker.url)).pause();
        socket.write(requestBytes("GET", listOf("large"), attacker.token));
        return socket;
      }),
    );
    // A server that reads ahead would have read all of it by the time that another user has.
    await attacker.ask("GET", listOf("large"), undefined, { authorization: `Bearer ${bob}` });
    for (const socket of sockets) socket.destroy();
    return [];
  },
};

/** Tables and other conversions of large lists. */
export const convertedLists: Attack = {
  name: `tables, metadata and YAML of ${largeObjects} MB`,
  codes: [200, 406],
  async run(attacker) {
    const accepts = [
      "application/json;as=Table;g=meta.k8s.io;v=v1",
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      "application/yaml",
    ];
    const answers = accepts.map((accept) => attacker.ask("GET", listOf("large"), undefined, { accept }));
    return Promise.all([...answers, attacker.ask("GET", `${listOf("large")}?pretty=true`)]);
  },
};

/** Deletes everything, and asks for all of it in the answer. */
export const deleteCollection: Attack = {
  name: `deletecollection of ${largeObjects} MB`,
  codes: [200],
  async run(attacker): Promise<readonly Answer[]> {
    return [await attacker.ask("DELETE", listOf("large"))];
  },
};
