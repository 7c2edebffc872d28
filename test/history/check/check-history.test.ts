import { expect, test } from "vitest";
import type { GetOperation, Operation, Register, WatchStep } from "../history.js";
import { checkHistory } from "./check-history.js";

/** A history that tests can change. */
interface Draft {
  operations: Operation[];
  watches: { client: string; side: "left" | undefined; steps: WatchStep[] }[];
  reference: { client: string; side: undefined; steps: WatchStep[] };
}

const register = (
  name: string,
  revision: number,
  data: Register["data"],
  side: Register["side"] = "left",
): Register => ({
  name,
  uid: `uid-of-${name}`,
  revision,
  side,
  data,
});

const versions = {
  created: register("a", 2, { write: "w0.1", w0: "1" }),
  updated: register("a", 3, { write: "w1.1", w0: "1", w1: "1" }),
  patched: register("a", 5, { write: "w0.2", w0: "2", w1: "1" }, "right"),
  other: register("b", 7, { write: "w0.3", w0: "3" }),
  deleted: register("b", 8, { write: "w0.3", w0: "3" }),
};

type PutFields = Pick<
  Extract<Operation, { type: "put" }>,
  "verb" | "id" | "data" | "invoked" | "returned" | "expects"
>;

const put = (made: Register, fields: PutFields): Operation => ({
  type: "put",
  client: fields.id.slice(0, 2),
  name: made.name,
  side: made.side,
  outcome: { type: "ok", register: made },
  ...fields,
});

const event = (at: number, event: "ADDED" | "MODIFIED" | "DELETED", register: Register): WatchStep => {
  return { type: "event", at, event, register };
};

const get = (found: Register | undefined, invoked: number): GetOperation => {
  return { type: "get", client: "reader", invoked, returned: invoked + 1, name: "a", found };
};

/** Two writers, a reader and two watchers, one of them with a selector, without a violation. */
function valid(): Draft {
  const { created, updated, patched, other, deleted } = versions;
  const steps: WatchStep[] = [
    { type: "listed", at: 1, page: { revision: 1, items: [] } },
    { type: "opened", from: 1 },
    event(11, "ADDED", created),
    event(21, "MODIFIED", updated),
    { type: "bookmark", at: 22, revision: 4 },
    { type: "opened", from: 4 },
    event(31, "MODIFIED", patched),
    event(41, "ADDED", other),
    event(51, "DELETED", deleted),
  ];
  return {
    operations: [
      put(created, { verb: "create", id: "w0.1", data: created.data, invoked: 5, returned: 10 }),
      get(created, 12),
      put(updated, { verb: "update", id: "w1.1", data: updated.data, expects: 2, invoked: 15, returned: 20 }),
      put(patched, {
        verb: "patch",
        id: "w0.2",
        data: { write: "w0.2", w0: "2" },
        invoked: 25,
        returned: 30,
      }),
      put(other, { verb: "apply", id: "w0.3", data: other.data, invoked: 35, returned: 40 }),
      {
        type: "delete",
        client: "w1",
        name: "b",
        invoked: 45,
        returned: 50,
        outcome: { type: "ok", uid: other.uid },
      },
      get(patched, 55),
      {
        type: "list",
        client: "reader",
        side: undefined,
        invoked: 60,
        returned: 61,
        pages: [{ revision: 8, items: [patched] }],
      },
      {
        type: "list",
        client: "reader",
        side: undefined,
        invoked: 62,
        returned: 63,
        at: { revision: 7, match: "Exact" },
        pages: [
          { revision: 7, items: [patched] },
          { revision: 7, items: [other] },
        ],
      },
    ],
    watches: [
      { client: "watcher", side: undefined, steps: [...steps] },
      {
        client: "left",
        side: "left",
        steps: [
          { type: "listed", at: 12, page: { revision: 2, items: [created] } },
          { type: "opened", from: 2 },
          event(23, "MODIFIED", updated),
          event(33, "DELETED", { ...updated, revision: 5 }),
          event(43, "ADDED", other),
          event(53, "DELETED", deleted),
        ],
      },
    ],
    reference: { client: "reference", side: undefined, steps },
  };
}

const rulesOf = (history: Draft): string[] =>
  [...new Set(checkHistory(history).map(({ rule }) => rule))].sort();

/** Steps of the first watcher; it has the same ones as the reference. */
const watched = (history: Draft): WatchStep[] => history.watches[0]?.steps ?? [];

/** Replaces an operation. */
const replace = (history: Draft, index: number, fields: object): void => {
  history.operations[index] = { ...history.operations[index], ...fields } as Operation;
};

/** Removes a change from everything that watchers and readers have seen, as if the server had lost it. */
const forget = (history: Draft, revision: number): void => {
  for (const { steps } of [history.reference, ...history.watches]) {
    const kept = steps.filter((step) => step.type !== "event" || step.register.revision !== revision);
    steps.splice(0, Infinity, ...kept);
  }
};

test("a history without a violation passes", () => {
  expect(checkHistory(valid())).toEqual([]);
});

test("writes with an unknown outcome may have happened or not", () => {
  const history = valid();
  replace(history, 2, { outcome: { type: "unknown", cause: "connection lost" } });
  const { created } = versions;
  const data = { write: "w5.1" };
  history.operations.push({
    ...put(created, { verb: "patch", id: "w5.1", data, invoked: 16, returned: 17 }),
    outcome: { type: "unknown", cause: "connection lost" },
  } as Operation);
  expect(checkHistory(history)).toEqual([]);
});

test.each<[string, string, (history: Draft) => void]>([
  ["lost write", "an acknowledged write that is nowhere", (history) => forget(history, 7)],
  [
    "lost write",
    "an acknowledged delete that did not happen",
    (history) => {
      forget(history, 8);
      history.operations.splice(7);
    },
  ],
  [
    "effect of a refused write",
    "a refused write that is in the history",
    (history) => replace(history, 3, { outcome: { type: "refused", code: 422, reason: "Invalid" } }),
  ],
  [
    "repeated write",
    "a write that happened twice",
    (history) => {
      for (const { steps } of [history.reference, ...history.watches.slice(0, 1)]) {
        steps.splice(7, 0, event(32, "MODIFIED", { ...versions.patched, revision: 6 }));
      }
    },
  ],
  ["invented change", "a version that nobody wrote", (history) => history.operations.splice(4, 1)],
  ["invented change", "a delete that nobody sent", (history) => history.operations.splice(5, 1)],
  [
    "content",
    "a patch that undid an update which it did not see",
    (history) => {
      const { w1: _, ...data } = versions.patched.data;
      for (const { steps } of [history.reference, ...history.watches.slice(0, 1)]) {
        steps[6] = event(31, "MODIFIED", { ...versions.patched, data });
      }
    },
  ],
  [
    "compare-and-swap",
    "two compare-and-swaps that replaced the same version",
    (history) => replace(history, 3, { verb: "update", expects: 2, data: versions.patched.data }),
  ],
  [
    "compare-and-swap",
    "a delete of another version than its precondition names",
    (history) => replace(history, 5, { expects: 6 }),
  ],
  [
    "wrong refusal",
    "a conflict although the version was current",
    (history) =>
      history.operations.push({
        ...put(versions.patched, {
          verb: "update",
          id: "w5.1",
          data: {},
          expects: 5,
          invoked: 56,
          returned: 57,
        }),
        outcome: { type: "refused", code: 409, reason: "Conflict" },
      } as Operation),
  ],
  [
    "order",
    "a write that was sent after a greater revision had been seen",
    (history) => replace(history, 0, { invoked: 65, returned: 70 }),
  ],
  [
    "stale read",
    "a read of a version that had been replaced",
    (history) => history.operations.push(get(versions.updated, 56)),
  ],
  [
    "stale read",
    "a read of nothing after a write was acknowledged",
    (history) => history.operations.push(get(undefined, 56)),
  ],
  [
    "stale read",
    "a list that is older than one before",
    (history) => {
      const items = [versions.patched, versions.other];
      replace(history, 7, { pages: [{ revision: 7, items }] });
    },
  ],
  [
    "wrong read",
    "a read of a version that was never committed",
    (history) => history.operations.push(get({ ...versions.patched, revision: 6 }, 56)),
  ],
  [
    "wrong read",
    "a list at an exact revision that lacks an object",
    (history) => replace(history, 8, { pages: [{ revision: 7, items: [versions.patched] }] }),
  ],
  [
    "wrong read",
    "pages of different revisions",
    (history) =>
      replace(history, 8, {
        pages: [
          { revision: 7, items: [versions.patched] },
          { revision: 8, items: [versions.other] },
        ],
      }),
  ],
  ["lost event", "a gap in a watch", (history) => watched(history).splice(6, 1)],
  ["lost event", "a bookmark that skips an event", (history) => watched(history).splice(3, 1)],
  [
    "repeated event",
    "an event that is sent again after a reconnect",
    (history) => watched(history).splice(6, 0, event(24, "MODIFIED", versions.updated)),
  ],
  [
    "repeated event",
    "two events in the wrong order",
    (history) =>
      watched(history).splice(
        2,
        2,
        event(11, "MODIFIED", versions.updated),
        event(21, "ADDED", versions.created),
      ),
  ],
  [
    "wrong event",
    "an event with another content than the version has",
    (history) =>
      watched(history).splice(3, 1, event(21, "MODIFIED", { ...versions.updated, data: { write: "w1.1" } })),
  ],
  [
    "wrong event",
    "an event of an uncommitted change",
    (history) => watched(history).push(event(59, "ADDED", register("c", 9, { write: "w9.1" }))),
  ],
  [
    "lost revision",
    "a revision that is unknown after a restart",
    (history) => watched(history).push({ type: "future", from: 8 }),
  ],
  [
    "lost revision",
    "an exact list at a lost revision",
    (history) => replace(history, 8, { pages: "future" }),
  ],
  [
    "order",
    "a revision that is used again after a restart",
    (history) => history.reference.steps.push(event(59, "ADDED", register("c", 8, { write: "w9.1" }))),
  ],
])("reports a %s: %s", (rule, _, tamper) => {
  const history = valid();
  tamper(history);
  expect(rulesOf(history)).toContain(rule);
});
