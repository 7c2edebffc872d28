import { expect, test } from "vitest";
import { systemClock } from "../../model/core.js";
import type { ExtensionAnswer } from "../../server/index.js";
import { Compacted, MemoryStore, type Store } from "../../store/index.js";
import { management } from "./management.js";

/** A store whose floor moves past a revision between two reads of it. */
function forgetful(): Store {
  const store = new MemoryStore();
  store.range = () => Promise.reject(new Compacted(3, 5));
  store.watch = () => {
    throw new Compacted(3, 5);
  };
  store.status = async () => ({ revision: 9, floor: 3 });
  return store;
}

function ask(path: string, query: Record<string, string> = {}): Promise<ExtensionAnswer | undefined> {
  return management({ parts: () => ({}), store: forgetful(), clock: systemClock }).serve({
    method: "GET",
    path,
    parameter: (name) => query[name],
    user: { name: "anna", groups: [] },
    json: async () => undefined,
    body: (async function* () {})(),
    signal: new AbortController().signal,
  });
}

test.each(["state", "changes"])("what is forgotten while it is read is a 410: %s", async (path) => {
  await expect(ask(path)).rejects.toMatchObject({ code: 410, reason: "Expired" });
});

test("also in a stream, as its last line", async () => {
  const answer = await ask("changes", { follow: "true", tail: "5" });
  if (answer === undefined || !("stream" in answer)) throw new Error("it is no stream");
  const told: string[] = [];
  for await (const line of answer.stream) told.push(String(line));
  expect(told.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { kind: "Status", code: 410, reason: "Expired" },
  ]);
});
