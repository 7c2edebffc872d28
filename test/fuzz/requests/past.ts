import type { Choices } from "../choices.js";
import { contentTypes, draft, placeholders, type Draft, type Pair } from "./draft.js";

const namespaces = ["api", "v1", "namespaces"];

/** List request that returns a resourceVersion and a continue token: there are always several namespaces. */
export function rememberDraft(): Draft {
  return draft({
    resource: undefined,
    family: "past",
    verb: "list",
    method: "GET",
    segments: [...namespaces],
    query: [["limit", "1"]],
    headers: [["accept", "application/json"]],
  });
}

/** Write that creates a new revision, so that earlier ones are in the past. */
export function turnDraft(turn: number): Draft {
  return draft({
    resource: undefined,
    family: "past",
    verb: "patch",
    method: "PATCH",
    segments: [...namespaces, "default"],
    headers: [["content-type", contentTypes["merge-patch"]]],
    form: "merge-patch",
    value: { metadata: { annotations: { "fuzz.dev/turn": String(turn) } } },
  });
}

const { first, continue: further } = placeholders;

interface Question {
  readonly verb: string;
  readonly segments: readonly string[];
  readonly query: readonly Pair[];
}

const ask = (verb: string, query: readonly Pair[], segments: readonly string[] = namespaces): Question => ({
  verb,
  segments,
  query,
});
const exactly: readonly Pair[] = [
  ["resourceVersion", first],
  ["resourceVersionMatch", "Exact"],
];

/** Requests for compacted history. The first of them are sent unchanged. */
const questions: readonly Question[] = [
  ask("list", [
    ["limit", "1"],
    ["continue", further],
  ]),
  ask("list", exactly),
  ask("watch", [
    ["watch", "1"],
    ["resourceVersion", first],
  ]),
  ask(
    "changes",
    [
      ["follow", "true"],
      ["after", first],
    ],
    ["fettle", "v1", "changes"],
  ),
  ask("list", [["limit", "1"], ...exactly]),
  ask("watch", [
    ["watch", "1"],
    ["resourceVersion", "1"],
    ["allowWatchBookmarks", "true"],
  ]),
  ask("list", [
    ["limit", "5"],
    ["continue", further],
    ["labelSelector", "app=web"],
  ]),
];
export const asTheyStand = 4;

/** Request for compacted history: the first ones in turn, then any of them. */
export function pastDraft(turn: number, choices: Choices): Draft {
  const { verb, segments, query } = turn < asTheyStand ? questionAt(turn) : choices.pick(questions);
  return draft({
    resource: undefined,
    family: "past",
    verb,
    method: "GET",
    segments: [...segments],
    query: query.map(([name, value]): Pair => [name, value]),
    headers: [["accept", "application/json"]],
  });
}

function questionAt(turn: number): Question {
  const question = questions[turn];
  if (question === undefined) throw new Error(`there is no question ${turn}`);
  return question;
}
