import { expect, test } from "vitest";
import { systemClock } from "../../model/core.js";
import type { ExtensionResponse } from "../../server/index.js";
import { Compacted, MemoryStore, type Store } from "../../store/index.js";
import { controlPlane } from "../control-plane.js";
import { management, type UserAccess } from "./management.js";

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

function get(path: string, query: Record<string, string> = {}): Promise<ExtensionResponse | undefined> {
  return management({ parts: () => ({}), store: compactedStore(), clock: systemClock }).serve({
    method: "GET",
    path,
    parameter: (name) => query[name],
    user: { name: "anna", groups: [] },
    json: async () => undefined,
    body: (async function* () {})(),
    signal: new AbortController().signal,
  });
}

test("authorizes the user of the request to read the object whose history is requested", async () => {
  await using plane = await controlPlane({
    store: "memory",
    listen: false,
    authorize: ({ user }) => ({ allowed: user.name !== "anna" }),
  });
  const { pipeline } = plane.api;
  const api: UserAccess = {
    clientAs: () => plane.client,
    checkAccess: (attributes) => pipeline.checkAccess(attributes),
  };
  const served = management({ parts: () => ({ api }), store: new MemoryStore(), clock: systemClock });
  const query: Record<string, string> = { apiVersion: "v1", kind: "ConfigMap", name: "secret-plans" };
  const history = (name: string): Promise<ExtensionResponse | undefined> =>
    served.serve({
      method: "GET",
      path: "history",
      parameter: (parameter) => query[parameter],
      user: { name, groups: [] },
      json: async () => undefined,
      body: (async function* () {})(),
      signal: new AbortController().signal,
    });
  await expect(history("anna")).rejects.toMatchObject({ code: 403 });
  await expect(history("bert")).rejects.toMatchObject({ code: 404 });
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
