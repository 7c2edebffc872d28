import { describe, expect, test } from "vitest";
import { createClient } from "../../client/create-client.js";
import { systemClock } from "../../model/core.js";
import type { ExtensionRequest, ExtensionResponse } from "../../server/index.js";
import { Compacted, MemoryStore, type Store } from "../../store/index.js";
import { controlPlane } from "../control-plane.js";
import { inProcess } from "../in-process.js";
import type { UserAccess } from "./access.js";
import { management } from "./management.js";

/** A store that is compacted between two reads. */
function compactedStore(): Store {
  const store = new MemoryStore();
  store.range = () => Promise.reject(new Compacted(3, 5));
  store.watch = () => {
    throw new Compacted(3, 5);
  };
  store.status = async () => ({ revision: 9, floor: 3 });
  return store;
}

/** A request for an endpoint; the path has been authorized. */
function requestOf(
  path: string,
  query: Record<string, string> = {},
  user = "anna",
  method = "GET",
): ExtensionRequest {
  return {
    method,
    path,
    parameter: (name) => query[name],
    user: { name: user, groups: [] },
    headers: {},
    bytes: async () => new Uint8Array(),
    json: async () => ({ manifests: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }] }),
    body: (async function* () {})(),
    signal: new AbortController().signal,
  };
}

function get(path: string, query: Record<string, string> = {}): Promise<ExtensionResponse | undefined> {
  const api: UserAccess = {
    clientAs: () => {
      throw new Error("no client is needed");
    },
    checkAccess: () => undefined,
  };
  const served = management({ parts: () => ({ api }), store: compactedStore(), clock: systemClock });
  return served.serve(requestOf(path, query));
}

describe("the user of a request", () => {
  const configMap = { apiVersion: "v1", kind: "ConfigMap" };

  /** Permissions that anna is asked for, and lacks, when she sends a request; bert has them all. */
  async function needed(path: string, query: Record<string, string> = {}, method = "GET"): Promise<string[]> {
    const asked: string[] = [];
    await using plane = await controlPlane({
      store: "memory",
      listen: false,
      authorize({ user, verb, resource }) {
        if (user.name !== "anna" || resource === undefined) return { allowed: true };
        const { group, resource: plural, namespace, name } = resource;
        asked.push([verb, plural, group, namespace, name].filter(Boolean).join(" "));
        return { allowed: verb === "list" && plural === "configmaps" };
      },
    });
    const { pipeline } = plane.api;
    const api: UserAccess = {
      clientAs: (user) => createClient({ transport: inProcess(plane.api, { user }) }),
      checkAccess: (attributes) => pipeline.checkAccess(attributes),
    };
    const { controllers } = plane;
    const store = new MemoryStore();
    const served = management({ parts: () => ({ api, controllers }), store, clock: systemClock });
    await expect(served.serve(requestOf(path, query, "anna", method))).rejects.toMatchObject({ code: 403 });
    await served.serve(requestOf(path, query, "bert", method)).catch((error: unknown) => {
      // There is nothing in this store.
      expect(error).toMatchObject({ code: 404 });
    });
    await store.close();
    return asked;
  }

  test.each<[string, Record<string, string>, string[]]>([
    ["history", { ...configMap, name: "plans" }, ["get configmaps default plans"]],
    ["changes", {}, ["list * *"]],
    ["changes", { kind: "ConfigMap" }, ["list * *"]],
    ["changes", { apiVersion: "none.dev/v1", kind: "Gone" }, ["list * *"]],
    ["changes", { ...configMap, follow: "true" }, ["list configmaps", "watch configmaps"]],
    ["state", {}, ["list * *"]],
    ["backup", { follow: "true" }, ["list * *"]],
    ["runs", { reveal: "true" }, ["list secrets"]],
    ["profile", { type: "heapsnapshot", follow: "true" }, ["* * *"]],
  ])("must be allowed to read the objects of %s %j", async (path, query, permissions) => {
    expect(await needed(path, query)).toEqual(permissions);
  });

  test("must be allowed to read Secrets to reveal them in a plan", async () => {
    expect(await needed("plan", { reveal: "true" }, "POST")).toEqual(["list secrets"]);
  });
});

test.each(["state", "changes"])(
  "responds 410 when a revision is compacted while it is read: %s",
  async (path) => {
    await expect(get(path)).rejects.toMatchObject({ code: 410, reason: "Expired" });
  },
);

test("sends 410 as the last line of a stream", async () => {
  const response = await get("changes", { follow: "true", tail: "5" });
  if (response === undefined || !("stream" in response)) throw new Error("not a stream");
  const received: string[] = [];
  for await (const line of response.stream) received.push(String(line));
  expect(received.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { kind: "Status", code: 410, reason: "Expired" },
  ]);
});
